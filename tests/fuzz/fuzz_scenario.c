/*
 * tests/fuzz/fuzz_scenario.c - rubbish into the loader: it must say no, or load.
 *
 * LLVMFuzzerTestOneInput is for libFuzzer (clang -fsanitize=fuzzer -DLIBFUZZER);
 * without it see replay.h.  No fabric is built: the loader alone is tried.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "scenario/assemble.h"
#include "scenario/expect.h"
#include "scenario/jsonc.h"
#include "scenario/resolved.h"
#include "scenario/run.h"
#include "sim/assert.h"
#include "tests/fuzz/replay.h"

enum { INPUT_MAX = FUZZ_INPUT_MAX, NODES_MAX = 3000 };

/* What loads must print, and what is printed must load. */
static void print(const struct run *run)
{
	struct resolved_head head = {"x", "", "", (const char *const[]){NULL}};
	struct jsonc_error err;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	json_t *json;

	sim_assert(out);
	resolved_print(run, &head, out);
	fclose(out);
	json = jsonc_parse(text, size, &err);
	sim_assert(json);
	json_decref(json);
	free(text);
}

static void load(struct assembly *a, struct diag *diag)
{
	for (int i = 0; i < a->nruns && i < 4; i++) {
		struct read_ctx ctx = {&a->runs[i].origin, a->sections, diag, NULL, false};
		struct read at = read_root(&ctx, a->runs[i].doc);
		struct run run = {0};

		if (run_load(&at, &run) == 0 && run.topo.nnodes < NODES_MAX)
			print(&run);
		run_fini(&run);
	}
}

/* The input as an expectation, too. */
static void rule(const uint8_t *data, size_t size)
{
	char text[300];
	struct expect_rule parsed;
	struct sim_error err = {0};

	snprintf(text, sizeof text, "%.*s", size > 299 ? 299 : (int)size, (const char *)data);
	if (expect_parse(text, &parsed, &err) == 0) {
		struct scenario_verdict verdict = {0};
		json_t *runs = json_object();

		expect_eval(&parsed, runs, "base", &verdict);
		json_decref(runs);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const sets[] = {"run.seed=3", "traffic.a.class=x", "nic.cc.dcqcn.g=1/2"};
	struct scenario_options opt = {.sets = sets, .nsets = 3};
	struct diag *diag = diag_new();
	struct assembly a = {0};
	char path[40];
	int fd = memfd_create("input", 0);
	FILE *null = fopen("/dev/null", "w");

	sim_assert(fd >= 0);
	sim_assert(null);
	if (size <= INPUT_MAX && write(fd, data, size) == (ssize_t)size) {
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		if (assemble_open(&a, path, size % 2 ? &opt : NULL, diag) == 0)
			load(&a, diag);
		else
			sim_assert(diag_errors(diag) > 0);
		assemble_close(&a);
		rule(data, size);
	}
	diag_print(diag, null);
	diag_free(&diag);
	fclose(null);
	close(fd);
	return 0;
}

#ifndef LIBFUZZER
int main(int argc, char **argv)
{
	static const char *const words[] = {"null", "{", "}", "[", "]", ",", ":", "\"", "/*", "-1",
		"\"*\"", "\"h[0-9:3]\"", "1e9", "\"auto\"", "\"100Gbps\"", "true", "0", "\\u0000", NULL};

	return fuzz_replay(argc, argv, "fuzz_scenario", "corpus", words);
}
#endif
