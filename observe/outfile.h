/*
 * observe/outfile.h - a file of the run directory, whose every failure is told.
 *
 * Writing goes through stdio; a full disk may show only at flush or close, so
 * outfile_close reports it.  Fields that may hold commas or quotes go through
 * outfile_text (RFC 4180).
 */
#ifndef OUTFILE_H
#define OUTFILE_H
#include <stdio.h>
#include "sim/error.h"

struct outfile {
	FILE *stream;	/* NULL: not open */
	char *path;
};

/* DIR/NAME, truncated. */
int outfile_open(struct outfile *out, const char *dir, const char *name,
		 struct sim_error *err) SIM_MUST_CHECK;
int outfile_open_path(struct outfile *out, const char *path,
		      struct sim_error *err) SIM_MUST_CHECK;
/* mkdir DIR/NAME; one that exists is fine. */
int outfile_mkdir(const char *dir, const char *name, struct sim_error *err) SIM_MUST_CHECK;
void outfile_text(struct outfile *out, const char *text);
char *outfile_quote(const char *text);	/* the same as a string, owned by the caller */
/* Reports the first failure since the file was opened.  Does nothing when not
 * open; so it may be called on every way out. */
int outfile_close(struct outfile *out, struct sim_error *err) SIM_MUST_CHECK;
/* Closes without a word: for a run that is being thrown away. */
void outfile_abandon(struct outfile *out);
#endif
