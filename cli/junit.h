/*
 * cli/junit.h - JUnit XML, as the servers that build and test read it.
 *
 *	junit_case(...)			any number of times, into one stream a suite
 *	junit_begin, junit_suite ..., junit_end	the document round them
 */
#ifndef JUNIT_H
#define JUNIT_H
#include <stdbool.h>
#include <stdio.h>

/* `failure` NULL: passed.  `broken`: not a rule that failed, but no answer at all. */
void junit_case(FILE *out, const char *class_, const char *name, const char *failure,
		bool broken);
void junit_begin(FILE *out);
/* Copies `cases`, from its start. */
void junit_suite(FILE *out, const char *name, int tests, int failures, bool skipped,
		 double seconds, FILE *cases);
void junit_end(FILE *out);
#endif
