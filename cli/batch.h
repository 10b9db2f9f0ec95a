/*
 * cli/batch.h - one experiment and those of its runs that are wanted: opened,
 * checked, run one after the other in this process, judged.
 *
 *	batch_open(&b, "run", path, &wanted)	what is wrong with the files: b.diag
 *	batch_execute(&b, &how)			an exit code: the worst of the runs
 *	... b.runs[i].summary, .verdicts
 *	batch_fini(&b)				always
 */
#ifndef BATCH_H
#define BATCH_H
#include <stdbool.h>
#include "interop/pcapng.h"
#include "observe/observe.h"
#include "observe/summary.h"
#include "scenario/scenario.h"

struct batch_wanted {		/* zero: the base and every variant, as the file has them */
	struct scenario_options scenario;
	const char *const *variants;	/* names, "base" included */
	int nvariants;
	bool no_expect;		/* check no rule, run nothing that only a rule needs */
	const char *const *pcap;	/* ports to capture: checked against every run */
	int npcap;
};

struct batch_run {
	int run;		/* its number in the scenario */
	bool wanted;		/* false: run only because a rule refers to it */
	bool done;		/* summary is filled (complete or interrupted) */
	struct summary summary;
	struct scenario_verdict *verdicts;
	struct summary_expect *expects;		/* the same, for summary.expects */
	int nverdicts;
	char *broken;		/* an invariant of ours that broke; NULL */
};

struct batch {
	const char *command;	/* for messages */
	struct scenario *sc;	/* NULL when the file could not be read */
	struct diag *diag;	/* what batch_open found; what comes later is printed at once */
	struct batch_run *runs;
	int nruns, nwanted;
	bool no_expect;
};

struct batch_how {
	const char *dir;	/* existing directory for the files; NULL: none */
	bool flat;		/* the one wanted run straight into dir; else dir/VARIANT */
	bool progress;
	const struct pcapng_conf *pcap;	/* captures go to dir/capture.pcapng(.zst); NULL: none */
};

/* The number of the run of that name; -1 after a message. */
int batch_variant(const char *command, const struct scenario *sc, const char *name);

/* What the run records, for the observers; the caller frees. */
struct observe_series *batch_series(const struct scenario *sc, int run, int *n);

/* Every run that is wanted is built once, so that nothing is run while any of
 * them is wrong, a rule of `expect` that asks for what no summary has included.  STATUS_OK or STATUS_INPUT. */
int batch_open(struct batch *b, const char *command, const char *path,
	       const struct batch_wanted *wanted);
int batch_execute(struct batch *b, const struct batch_how *how);
void batch_fini(struct batch *b);

const char *batch_run_name(const struct batch *b, const struct batch_run *r);
/* The summaries of the wanted runs that are done; `out` has room for nwanted. */
int batch_summaries(const struct batch *b, const struct summary **out);
/* "ok   storm/quiet: drops.lossless == 0 (0)", with the reason where it failed.
 * `prefix` "storm/quiet" or "quiet". */
void batch_print_verdict(FILE *out, const char *prefix, const struct scenario_verdict *v,
			 bool colored);
#endif
