/*
 * scenario/lookup.h - `xoff explain`: finds and prints settings and sections.
 */
#ifndef LOOKUP_H
#define LOOKUP_H
#include <stdio.h>
#include "scenario/section.h"

/* See scenario_explain (scenario.h). */
int lookup_print(const struct section_list *list, const char *key, FILE *out,
		 const char **nearest);
void lookup_all(const struct section_list *list, FILE *out);
#endif
