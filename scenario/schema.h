/*
 * scenario/schema.h - the JSON Schema (draft-07) of an experiment, from the
 * sections and their tables.
 */
#ifndef SCHEMA_H
#define SCHEMA_H
#include <stdio.h>
#include "scenario/section.h"

int schema_print(const struct section_list *list, FILE *out);
#endif
