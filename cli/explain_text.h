/*
 * cli/explain_text.h - the story for people: a screen, the worst first.
 */
#ifndef EXPLAIN_TEXT_H
#define EXPLAIN_TEXT_H
#include <stdio.h>
#include "cli/explain_run.h"

void explain_text(FILE *out, const struct explain_story *s);
/* explain_text_deadlock.c: one deadlock, as users.md T3 shows it. */
void explain_text_deadlock(FILE *out, const struct explain_story *s, uint32_t number);
/* A root's lines below its head: hops, who brought it, victims. */
void explain_text_root(FILE *out, const struct explain_story *s, const struct blame_root *root);
#endif
