/*
 * scenario/assemble.h - a file and all it refers to, merged into runs.
 *
 * The base is the includes, then the file, then each --set.  A variant is the
 * base with the variant's patch over it, then each --set once more (the command
 * line has the last word) unless the patch removed what it reaches into.  Then
 * the file that `topology` names is merged under the rest of that section.
 */
#ifndef ASSEMBLE_H
#define ASSEMBLE_H
#include <jansson.h>
#include "scenario/origin.h"
#include "scenario/scenario.h"
#include "scenario/section.h"

struct assemble_run {
	char *name;		/* "base", or the variant's */
	json_t *doc;		/* merged; without include, variants and sweep */
	struct origin origin;
};
struct assembly {
	struct section_list *sections;
	struct source **sources;	/* every text that was read; owned */
	int nsources;
	struct assemble_run *runs;	/* base first */
	int nruns;
	json_t *sweep;		/* or NULL */
	char *path;
};

/* `a` is zero before; assemble_close after, also on an error. */
int assemble_open(struct assembly *a, const char *path, const struct scenario_options *opt,
		  struct diag *diag);
void assemble_close(struct assembly *a);
#endif
