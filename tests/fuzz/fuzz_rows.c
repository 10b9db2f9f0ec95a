/*
 * tests/fuzz/fuzz_rows.c - rubbish as a list of flows and as a table of flow sizes: no, with
 * its place, or what prints as an experiment that is the same.
 *
 * See fuzz_scenario.c.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "models/host/workload_cdf.h"
#include "scenario/scenario.h"
#include "sim/assert.h"
#include "tests/fuzz/replay.h"

static int memory_file(const void *data, size_t size)
{
	int fd = memfd_create("input", 0);

	sim_assert(fd >= 0);
	sim_assert(write(fd, data, size) == (ssize_t)size);
	return fd;
}

/* Opens, builds and prints the experiment; NULL when it is wrong, which has been said. */
static char *printed(const char *text, size_t size)
{
	struct diag *diag = diag_new();
	int fd = memory_file(text, size);
	char path[40], *out_text = NULL;
	struct scenario *sc;

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	sc = scenario_open(path, NULL, diag);
	if (sc && scenario_check(sc, diag) == 0) {
		size_t n;
		FILE *out = open_memstream(&out_text, &n);

		sim_assert(out && scenario_resolved(sc, 0, NULL, out) == 0);
		fclose(out);
	} else {
		sim_assert(diag_errors(diag) > 0);
		for (int i = 0; diag_line(diag, i); i++)
			sim_assert(strstr(diag_line(diag, i), "/proc/self/fd/"));
	}
	scenario_free(&sc);
	diag_free(&diag);
	close(fd);
	return out_text;
}

/* The rows as what `traffic` makes of them. */
static void try(const char *traffic, int rows)
{
	char text[600], file[300], *once, *twice;
	int n;

	snprintf(file, sizeof file, traffic, rows);
	n = snprintf(text, sizeof text, "{\"topology\": {\"star\": {\"hosts\": 12}}, \"run\": {\"until\": \"1us\"}, "
		     "\"traffic\": {\"t\": {%s, \"class\": \"rdma\"}}}", file);
	once = printed(text, (size_t)n);
	if (!once)
		return;
	twice = printed(once, strlen(once));
	sim_assert(twice && strcmp(once, twice) == 0);
	free(once);
	free(twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int rows;

	if (size > FUZZ_INPUT_MAX)
		return 0;
	rows = memory_file(data, size);
	try("\"list\": {\"file\": \"/proc/self/fd/%d\"}", rows);
	try("\"list\": {\"file\": \"/proc/self/fd/%d\", \"origin\": \"2s\"}", rows);
	try("\"list\": {\"file\": \"/proc/self/fd/%d\", \"workload\": \"a\"}", rows);
	try("\"poisson\": {\"hosts\": \"h*\", \"load\": \"1%%\", \"cdf\": {\"file\": \"/proc/self/fd/%d\"}}", rows);
	close(rows);
	return 0;
}

#ifndef LIBFUZZER
int main(int argc, char **argv)
{
	static const char *const words[] = {",", "\n", "\r\n", "#", "\"", " ", "\t", "h0", "h11", "12", "0", "1", "100",
		"99999999999999999999", "0.5", ".", "-1", "1e9", "64KB", "size", "start_us", "workload", "a", NULL};

	return fuzz_replay(argc, argv, "fuzz_rows", "rows", words);
}
#endif
