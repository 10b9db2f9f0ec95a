/*
 * Prints the digests of the first N random fabrics (tests/support/chance.h), one
 * a line: built by several compilers, the output must be the same.
 *
 * usage: digests N
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/chance.h"

int main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 100;
	struct chance *c = malloc(sizeof *c);
	struct chance_build how = { 0 };

	for (uint64_t seed = 1; seed <= n; seed++) {
		struct sim_error err;
		struct bed b;

		chance_draw(c, seed, seed % 2);
		error_init(&err);
		if (chance_make(c, &how, &b, &err)) {
			printf("%llu %s\n", (unsigned long long)seed, err.text);
		} else {
			bed_run(&b);
			struct view_run r = view_run(b.f);
			printf("%llu %016llx %llu %llu\n", (unsigned long long)seed,
			       (unsigned long long)r.digest, (unsigned long long)r.events,
			       (unsigned long long)r.packet_hops);
		}
		bed_close(&b);
	}
	free(c);
	return 0;
}
