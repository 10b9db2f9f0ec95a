/* tests/fuzz/replay.c - see replay.h. */
#include "tests/fuzz/replay.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static uint64_t draw(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* Bytes changed, cut, doubled, or words of the format dropped in. */
static size_t mutate(const uint8_t *from, size_t n, uint8_t *to, uint64_t *x, const char *const *words)
{
	size_t nwords = 0;
	const char *word;

	while (words[nwords])
		nwords++;
	word = words[draw(x) % nwords];
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

static int replay(const char *path, int rounds, const char *const *words)
{
	uint8_t *data = malloc(2 * FUZZ_INPUT_MAX), *other = malloc(2 * FUZZ_INPUT_MAX);
	FILE *f = fopen(path, "r");
	uint64_t x = 88172645463325252u;
	size_t n;

	if (!f || !data || !other)
		return -1;
	n = fread(data, 1, FUZZ_INPUT_MAX - 1024, f);
	fclose(f);
	LLVMFuzzerTestOneInput(data, n);
	for (int i = 0; i < rounds; i++) {
		size_t m = mutate(data, n, other, &x, words);

		for (uint64_t more = draw(&x) % 3; more > 0; more--) {
			uint8_t *copy = malloc(2 * FUZZ_INPUT_MAX);
			size_t k;

			if (!copy)
				return -1;
			k = mutate(other, m, copy, &x, words);
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

static int replay_all(const char *path, int rounds, int *count, const char *const *words)
{
	struct dirent **names;
	struct stat st;
	int n, rc = 0;

	if (stat(path, &st))
		return -1;
	if (!S_ISDIR(st.st_mode)) {
		++*count;
		return replay(path, rounds, words);
	}
	n = scandir(path, &names, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		char inner[4096];

		snprintf(inner, sizeof inner, "%s/%s", path, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			rc |= replay_all(inner, rounds, count, words);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return n < 0 ? -1 : rc;
}

int fuzz_replay(int argc, char **argv, const char *name, const char *corpus, const char *const *words)
{
	const char *srcdir = getenv("srcdir"), *rounds = getenv("FUZZ_ROUNDS");
	int count = 0, rc = 0, n = rounds ? atoi(rounds) : 200;
	char path[4096];

	snprintf(path, sizeof path, "%s/tests/fuzz/%s", srcdir ? srcdir : ".", corpus);
	if (argc < 2)
		rc = replay_all(path, n, &count, words);
	for (int i = 1; i < argc; i++)
		rc |= replay_all(argv[i], n, &count, words);
	printf("%s: %d files, %d mutations of each\n", name, count, n);
	return rc || count == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
