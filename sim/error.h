/*
 * sim/error.h - what is wrong with the user's input.
 *
 * Every fallible function takes a struct sim_error * last and returns 0 or -1
 * (or a pointer or NULL).  The first error wins: setting one twice keeps the
 * first.  NULL is accepted.  `where` is a JSON pointer ("/links/3/rate") or
 * empty; the scenario room turns it into file, line and column.
 * Bugs are not errors: they go to sim_assert (sim/assert.h).
 */
#ifndef SIM_ERROR_H
#define SIM_ERROR_H

struct sim_error {
	int set;		/* 0: nothing wrong so far */
	char where[256];	/* JSON pointer, or "" */
	char text[512];		/* one sentence, no newline, no full stop */
};

#define SIM_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define SIM_MUST_CHECK __attribute__((warn_unused_result))

void error_init(struct sim_error *err);
/* Always returns -1, so a function can end with `return error_set(...)`. */
int error_set(struct sim_error *err, const char *where, const char *fmt, ...)
	SIM_PRINTF(3, 4);
/* The nearest of `names` (NULL-terminated) to `word`, or NULL when none is
 * near: Damerau-Levenshtein distance <= 2 and <= length/3 + 1, case folded. */
const char *error_nearest(const char *word, const char *const *names);
#endif
