/*
 * scenario/section.h - the shape of an experiment: which keys stand where.
 *
 * One list of sections is the single source of what the loader accepts, what
 * `xoff explain` prints and what `xoff schema` describes.  A path is dotted; a
 * part in capitals stands for any name ("traffic.NAME.incast").  The settings
 * of a section are the rows of a parameter table (sim/param.h), its other keys
 * are sections of their own.
 */
#ifndef SECTION_H
#define SECTION_H
#include <stdbool.h>
#include "sim/param.h"

enum section_kind {
	SECTION_OBJECT,		/* { }: rows of `table` and child sections */
	SECTION_MAP,		/* { }: any names, each as the one child says */
	SECTION_TEXT,		/* a string */
	SECTION_TEXTS,		/* a string or a list of strings */
	SECTION_COUNT,		/* a whole number */
	SECTION_FLAG,		/* true or false */
	SECTION_LIST,		/* [ ]: each as the one child says */
	SECTION_ANY		/* read by its own rules */
};

struct section {
	const char *path;
	enum section_kind kind;
	const char *doc;	/* one sentence, ending in a full stop */
	const struct param *table;	/* or NULL */
	const char *only;	/* " key key ": the rows of table that count; NULL: all */
	const char *same_as;	/* has the rows and children of that section */
	bool or_text;		/* a string is accepted too */
	const char **names;	/* owned: the strings that it may be, NULL at the end; or NULL */
};

struct section_list { struct section *v; int n; };

struct section_list *section_list_new(void);
void section_list_free(struct section_list **list);

const struct section *section_find(const struct section_list *list, const char *path);
/* Does this row count in the section? */
bool section_has_row(const struct section *s, const struct param *row);
/* The child of `s` with that last name, or NULL; `same_as` is followed. */
const struct section *section_child(const struct section_list *list, const struct section *s,
				    const char *key);
/* Is `key` a setting or a child section of `s`? */
bool section_knows(const struct section_list *list, const struct section *s, const char *key);
/* Does the section's name stand for any name? */
bool section_free(const struct section *s);
/* The nearest key of `s` to a wrong one, or NULL. */
const char *section_suggest(const struct section_list *list, const struct section *s,
			    const char *key);
/* The same text in memory that outlives every list; NULL: no section's key. */
const char *section_lasting(const char *key);
/* Is `child` directly below `parent` (paths)?  Then the last part, else NULL. */
const char *section_below(const char *parent, const char *child);
#endif
