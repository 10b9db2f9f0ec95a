/*
 * tests/fuzz/fuzz_ns3.c - rubbish as the config, topology or flows of an ns-3 RDMA simulator: no,
 * or an experiment that parses.
 *
 * See fuzz_scenario.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "interop/ns3.h"
#include "scenario/jsonc.h"
#include "sim/assert.h"
#include "tests/fuzz/replay.h"

static const char topology[] = "5 2 4\n0 3\n0 1 100Gbps 1us 0\n0 2 100Gbps 1us 0\n3 4 100Gbps 1us 0\n0 3 400Gbps 1us 0\n";
static const char flows[] = "1\n1 2 3 100 1000 2.0\n";

static int memory_file(const void *data, size_t size, char *path)
{
	int fd = memfd_create("input", 0);

	sim_assert(fd >= 0);
	sim_assert(write(fd, data, size) == (ssize_t)size);
	sprintf(path, "/proc/self/fd/%d", fd);
	return fd;
}

static void import(const char *const *files, int n)
{
	struct ns3_options opt = {.files = files, .nfiles = n, .name = "x"};
	struct diag *diag = diag_new();
	struct ns3 *s = ns3_import(&opt, diag);
	char *text = NULL;
	size_t size = 0;

	if (!s) {
		sim_assert(diag_errors(diag) > 0);
	} else {
		FILE *out = open_memstream(&text, &size);
		struct jsonc_error err;
		json_t *json;

		sim_assert(out && ns3_write(s, out) == 0);
		fclose(out);
		json = jsonc_parse(text, size, &err);
		sim_assert(json);
		json_decref(json);
		free(text);
	}
	ns3_free(&s);
	diag_free(&diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char input[40], links[40], list[40];
	int fd[3];

	if (size > FUZZ_INPUT_MAX)
		return 0;
	fd[0] = memory_file(data, size, input);
	fd[1] = memory_file(topology, sizeof topology - 1, links);
	fd[2] = memory_file(flows, sizeof flows - 1, list);
	import((const char *const[]){input, links, list}, 3);	/* as a config */
	import((const char *const[]){input, list}, 2);
	import((const char *const[]){input, links}, 2);
	for (int i = 0; i < 3; i++)
		close(fd[i]);
	return 0;
}

#ifndef LIBFUZZER
int main(int argc, char **argv)
{
	static const char *const words[] = {"\n", " ", "0", "1", "3", "4", "100Gbps", "Mb/s", "1000ns", "us", "2.0", ".", "-1",
		"1e-5", "99999999999999999999", "CC_MODE", "KMIN_MAP 3", "LINK_DOWN 0 0 3", "RP_TIMER", "#", "\"", NULL};

	return fuzz_replay(argc, argv, "fuzz_ns3", "ns3", words);
}
#endif
