/*
 * analyze/tally.h - sums by up to three keys, in the order of first use.
 */
#ifndef TALLY_H
#define TALLY_H
#include <stddef.h>
#include <stdint.h>

struct tally_entry {
	uint32_t a, b, c;
	int64_t x, y;		/* the sums; zero at first */
};

struct tally {			/* zero is empty */
	struct tally_entry *entry;
	size_t n, cap;
	uint32_t *place;	/* open addressing: index + 1, 0 is free */
	size_t room;
};

/* The entry of these keys, made if it is new; valid until the next one is made. */
struct tally_entry *tally_at(struct tally *t, uint32_t a, uint32_t b, uint32_t c);
void tally_fini(struct tally *t);
#endif
