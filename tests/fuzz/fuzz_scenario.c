/*
 * tests/fuzz/fuzz_scenario.c - rubbish into the loader: it must say no, or load.
 *
 * LLVMFuzzerTestOneInput is for libFuzzer (clang -fsanitize=fuzzer -DLIBFUZZER).
 * Without it, main replays the files and folders named on the command line
 * (default: $srcdir/tests/fuzz/corpus), and after each a number of mutations of
 * it, always the same.  No fabric is built: the loader alone is tried.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scenario/assemble.h"
#include "scenario/expect.h"
#include "scenario/jsonc.h"
#include "scenario/resolved.h"
#include "scenario/run.h"
#include "sim/assert.h"

enum { INPUT_MAX = 1 << 16, NODES_MAX = 3000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
static uint64_t draw(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* Bytes changed, cut, doubled, or words of the format dropped in. */
static size_t mutate(const uint8_t *from, size_t n, uint8_t *to, uint64_t *x)
{
	static const char *const words[] = {"null", "{", "}", "[", "]", ",", ":", "\"", "/*", "-1",
		"\"*\"", "\"h[0-9:3]\"", "1e9", "\"auto\"", "\"100Gbps\"", "true", "0", "\\u0000"};
	const char *word = words[draw(x) % (sizeof words / sizeof *words)];
	size_t at = n ? draw(x) % n : 0, len = 1 + draw(x) % 16;

	memcpy(to, from, n);
	if (at + len > n)
		len = n - at;
	switch (draw(x) % 5) {
	case 0:
		return at;
	case 1:
		to[at] = (uint8_t)draw(x);
		return n;
	case 2:
		memmove(to + at, to + at + len, n - at - len);
		return n - len;
	case 3:
		memmove(to + at + len, to + at, n - at);
		return n + len;
	default:
		len = strlen(word);
		memmove(to + at + len, to + at, n - at);
		memcpy(to + at, word, len);
		return n + len;
	}
}

static int replay(const char *path, int rounds)
{
	uint8_t *data = malloc(2 * INPUT_MAX), *other = malloc(2 * INPUT_MAX);
	FILE *f = fopen(path, "r");
	uint64_t x = 88172645463325252u;
	size_t n;

	if (!f || !data || !other)
		return -1;
	n = fread(data, 1, INPUT_MAX - 1024, f);
	fclose(f);
	LLVMFuzzerTestOneInput(data, n);
	for (int i = 0; i < rounds; i++) {
		size_t m = mutate(data, n, other, &x);

		for (uint64_t more = draw(&x) % 3; more > 0; more--) {
			uint8_t *copy = malloc(2 * INPUT_MAX);
			size_t k;

			if (!copy)
				return -1;
			k = mutate(other, m, copy, &x);
			memcpy(other, copy, k);
			m = k;
			free(copy);
		}
		LLVMFuzzerTestOneInput(other, m);
	}
	free(data);
	free(other);
	return 0;
}

static int replay_all(const char *path, int rounds, int *count)
{
	struct dirent **names;
	struct stat st;
	int n, rc = 0;

	if (stat(path, &st))
		return -1;
	if (!S_ISDIR(st.st_mode)) {
		++*count;
		return replay(path, rounds);
	}
	n = scandir(path, &names, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		char inner[4096];

		snprintf(inner, sizeof inner, "%s/%s", path, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			rc |= replay_all(inner, rounds, count);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return n < 0 ? -1 : rc;
}

int main(int argc, char **argv)
{
	const char *srcdir = getenv("srcdir"), *rounds = getenv("FUZZ_ROUNDS");
	int count = 0, rc = 0, n = rounds ? atoi(rounds) : 200;
	char path[4096];

	snprintf(path, sizeof path, "%s/tests/fuzz/corpus", srcdir ? srcdir : ".");
	if (argc < 2)
		rc = replay_all(path, n, &count);
	for (int i = 1; i < argc; i++)
		rc |= replay_all(argv[i], n, &count);
	printf("fuzz_scenario: %d files, %d mutations of each\n", count, n);
	return rc || count == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
#endif
