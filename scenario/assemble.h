/*
 * scenario/assemble.h - a file and all it refers to, merged into runs.
 *
 * The base is the includes, then the file, then each --set, then the values of a
 * point of the sweep.  A variant is the base with the variant's patch over it,
 * then each of these once more (the command line has the last word) unless the patch removed what it reaches into.  Then
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

/* Inside this room.  The assembly owns the source from now on; NULL stays NULL. */
struct source *assemble_keep(struct assembly *a, struct source *src);
/* A topology that is a string is the path of a file.  Before a patch, so that
 * the patch finds an object; in a patch the string replaces all. */
void assemble_open_topology(json_t *doc);
#endif
