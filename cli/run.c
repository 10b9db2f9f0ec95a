/* cli/run.c - `xoff run`: one or more experiments, a table, and files with -o. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build_id.h"
#include "cli/batch.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/path.h"
#include "cli/rundir.h"
#include "cli/signals.h"
#include "cli/status.h"
#include "observe/outfile.h"
#include "observe/table.h"
#include "sim/engine.h"
#include "sim/mem.h"
#include "sim/units.h"

static const char *const queue_names[] = { "wheel", "heap", NULL };	/* enum engine_queue */
_Static_assert(ENGINE_WHEEL == 0 && ENGINE_HEAP == 1, "queue_names follows engine_queue");

struct run_options {
	const char *out, *seed;
	bool force, json, quiet, no_expect;
	struct options_list variants, sets, pcap;
	const char *pcap_window;
	bool pcap_zst;
	struct pcapng_conf capture;
	int queue, color;
};

#define FIELD(name) offsetof(struct run_options, name)
static const struct options_row options[] = {
	{ "out", 'o', OPTIONS_TEXT, FIELD(out), "DIR",
	  "leave CSV files and summary.json in DIR", NULL },
	{ "force", 'f', OPTIONS_FLAG, FIELD(force), NULL,
	  "replace DIR if it is a run of xoff's", NULL },
	{ "variant", 'V', OPTIONS_LIST, FIELD(variants), "NAME",
	  "run this variant only (or base); again for more", NULL },
	{ "set", 's', OPTIONS_LIST, FIELD(sets), "PATH=VALUE",
	  "change one setting: --set switch.buffer.alpha=1/32", NULL },
	{ "seed", 0, OPTIONS_TEXT, FIELD(seed), "N", "the seed of every random stream", NULL },
	{ "json", 0, OPTIONS_FLAG, FIELD(json), NULL,
	  "print what summary.json holds, not a table", NULL },
	{ "no-expect", 0, OPTIONS_FLAG, FIELD(no_expect), NULL,
	  "check no rule, and run nothing only for a rule", NULL },
	{ "quiet", 'q', OPTIONS_FLAG, FIELD(quiet), NULL,
	  "no progress, no notes, no warnings", NULL },
	{ "pcap", 0, OPTIONS_LIST, FIELD(pcap), "PORT",
	  "with -o: capture a port (leaf0:3) to capture.pcapng; again for more", NULL },
	{ "pcap-window", 0, OPTIONS_TEXT, FIELD(pcap_window), "FROM..TO",
	  "capture only this span, such as 2ms..3ms", NULL },
	{ "pcap-zst", 0, OPTIONS_FLAG, FIELD(pcap_zst), NULL,
	  "compress the capture: capture.pcapng.zst, which Wireshark opens too", NULL },
	{ "queue", 0, OPTIONS_CHOICE, FIELD(queue), "KIND",
	  "event queue, wheel or heap: same result, other speed", queue_names },
	{ "color", 0, OPTIONS_CHOICE, FIELD(color), "WHEN", "auto, always or never",
	  message_color_names },
	{ .name = NULL },
};

struct session {		/* all of one command */
	struct run_options opt;
	struct batch *batches;
	int n;
	struct rundir *dir;
};

/* -------------------------------------------------------------------- open */

static int open_all(struct session *s, const struct options_list *args)
{
	const char *queue = s->opt.queue == ENGINE_HEAP ? "run.queue=heap" : "run.queue=wheel";
	int nsets = s->opt.sets.n, status = STATUS_OK;
	const char **sets = mem_zalloc(sizeof(*sets) * (size_t)(nsets + 1));
	struct batch_wanted wanted = {
		.scenario = { .sets = sets, .seed = s->opt.seed },
		.variants = s->opt.variants.items, .nvariants = s->opt.variants.n,
		.no_expect = s->opt.no_expect,
		.pcap = s->opt.pcap.items, .npcap = s->opt.pcap.n,
	};

	for (int i = 0; i < nsets; i++)
		sets[i] = s->opt.sets.items[i];
	if (s->opt.queue >= 0)
		sets[nsets++] = queue;
	wanted.scenario.nsets = nsets;
	s->batches = mem_zalloc(sizeof(*s->batches) * (size_t)args->n);
	for (; s->n < args->n; s->n++) {
		struct batch *b = &s->batches[s->n];
		int rc = batch_open(b, "run", args->items[s->n], &wanted);

		if (rc || (diag_warnings(b->diag) && !s->opt.quiet))
			diag_print(b->diag, stderr);
		status = status_worse(status, rc);
	}
	free(sets);
	return status;
}

/* In DIR each of several experiments has a folder of its name. */
static int check_names(const struct session *s)
{
	for (int i = 0; s->opt.out && i < s->n; i++)
		for (int j = 0; j < i; j++) {
			const char *name = scenario_name(s->batches[i].sc);

			if (strcmp(name, scenario_name(s->batches[j].sc)))
				continue;
			message_error("run", "%s and %s are both named \"%s\": with -o each needs "
				      "a directory of its own", scenario_path(s->batches[j].sc),
				      scenario_path(s->batches[i].sc), name);
			return -1;
		}
	return 0;
}

static int open_directory(struct session *s)
{
	struct sim_error err = { 0 };

	if (!s->opt.out)
		return STATUS_OK;
	s->dir = rundir_open(s->opt.out, s->opt.force, &err);
	if (!s->dir) {
		message_error("run", "%s", err.text);
		return STATUS_OUTPUT;
	}
	if (rundir_replaced_partial(s->dir) && !s->opt.quiet)
		message_note("run", "%s was left by a run that did not end; it starts anew",
			     rundir_partial(s->dir));
	return STATUS_OK;
}

/* --------------------------------------------------------------------- run */

static int run_batch(struct session *s, struct batch *b)
{
	const char *partial = s->dir ? rundir_partial(s->dir) : NULL;
	struct batch_how how = {
		.dir = partial, .flat = b->nwanted == 1, .progress = !s->opt.quiet,
		.pcap = s->opt.pcap.n ? &s->opt.capture : NULL
	};
	struct sim_error err = { 0 };
	char *own = NULL;
	int status;

	if (partial && s->n > 1) {
		const char *name = scenario_name(b->sc);

		how.dir = own = path_join(partial, name);
		if (outfile_mkdir(partial, name, &err)) {
			message_error("run", "%s", err.text);
			free(own);
			return STATUS_OUTPUT;
		}
	}
	status = batch_execute(b, &how);
	free(own);
	return status;
}

static int wanted_runs(const struct session *s)
{
	int n = 0;

	for (int i = 0; i < s->n; i++)
		n += s->batches[i].nwanted;
	return n;
}

static int all_summaries(const struct session *s, const struct summary **out)
{
	int n = 0;

	for (int i = 0; i < s->n; i++)
		n += batch_summaries(&s->batches[i], out + n);
	return n;
}

/* In place of the mark that the run is not over, which stays if this fails. */
static int write_summary(const char *dir, const struct summary *const *runs, int n)
{
	char *path = path_join(dir, "summary.json"), *fresh = path_append(path, ".new");
	struct sim_error err = { 0 };
	int rc = summary_write_file(fresh, runs, n, &err);

	if (!rc && rename(fresh, path))
		rc = error_set(&err, "", "cannot rename %s: %s", fresh, strerror(errno));
	if (rc) {
		message_error("run", "%s", err.text);
		unlink(fresh);
	}
	free(fresh);
	free(path);
	return rc;
}

/* DIR/summary.json, and DIR/EXPERIMENT/summary.json of several; then the rename. */
static int finish_directory(struct session *s, int status, const struct summary *const *runs,
			    int n)
{
	struct sim_error err = { 0 };
	int rc = 0;

	for (int i = 0; i < s->n && s->n > 1 && !rc; i++) {
		const struct batch *b = &s->batches[i];
		const struct summary **own = mem_zalloc(sizeof(*own) * (size_t)b->nwanted);
		char *path = path_join(rundir_partial(s->dir), scenario_name(b->sc));
		int nown = batch_summaries(b, own);

		if (nown)
			rc = write_summary(path, own, nown);
		free(path);
		free(own);
	}
	if (rc || write_summary(rundir_partial(s->dir), runs, n))
		return STATUS_OUTPUT;
	if (status == STATUS_INTERRUPTED)
		return STATUS_OK;
	if (rundir_commit(s->dir, &err)) {
		message_error("run", "%s", err.text);
		return STATUS_OUTPUT;
	}
	return STATUS_OK;
}

/* ------------------------------------------------------------------- print */

/* The table without its rows on rules: each rule has a line of its own below. */
static void print_table(const struct summary **runs, int n)
{
	struct summary *bare = mem_zalloc(sizeof(*bare) * (size_t)n);

	for (int i = 0; i < n; i++) {
		bare[i] = *runs[i];
		bare[i].nexpects = 0;
		runs[i] = &bare[i];
	}
	table_print(stdout, runs, n);
	free(bare);
}

static void print_batch(const struct session *s, const struct batch *b)
{
	const struct summary **runs = mem_zalloc(sizeof(*runs) * (size_t)b->nwanted);
	bool colored = message_colored((enum message_color)s->opt.color, stdout);
	int n = batch_summaries(b, runs), rules = 0;

	if (n)
		print_table(runs, n);
	free(runs);
	for (int i = 0; i < b->nruns; i++)
		for (int v = 0; v < b->runs[i].nverdicts; v++) {
			if (!rules++)
				printf("\nclaim: %s\n", scenario_about(b->sc));
			batch_print_verdict(stdout, batch_run_name(b, &b->runs[i]),
					    &b->runs[i].verdicts[v], colored);
		}
}

static void tell_of_helpers(const struct session *s)
{
	for (int i = 0; i < s->n && !s->opt.quiet; i++) {
		const struct batch *b = &s->batches[i];

		for (int r = 0; r < b->nruns; r++)
			if (!b->runs[r].wanted)
				message_note("run", "%s runs too, because a rule refers to it "
					     "(--no-expect: without)",
					     batch_run_name(b, &b->runs[r]));
	}
}

static void tell_of_ends(const struct session *s, int status)
{
	char now[32];

	for (int i = 0; i < s->n; i++)
		for (int r = 0; r < s->batches[i].nruns; r++) {
			const struct batch_run *run = &s->batches[i].runs[r];

			if (run->broken)
				message_error("run", "%s: a bug in xoff: %s",
					      batch_run_name(&s->batches[i], run), run->broken);
			if (run->done && !run->summary.complete)
				message_note("run", "%s: interrupted at %s",
					     batch_run_name(&s->batches[i], run),
					     units_format(run->summary.simulated_ps, UNITS_TIME,
							  now, sizeof now));
		}
	if ((status == STATUS_INTERRUPTED || status == STATUS_OUTPUT) && s->dir)
		message_note("run", "what has been written stays in %s", rundir_partial(s->dir));
}

static int run_all(struct session *s)
{
	const struct summary **runs = mem_zalloc(sizeof(*runs) * (size_t)(wanted_runs(s) + 1));
	int status = STATUS_OK, n;

	tell_of_helpers(s);
	for (int i = 0; i < s->n; i++) {
		status = status_worse(status, run_batch(s, &s->batches[i]));
		if (status == STATUS_INTERRUPTED || status == STATUS_OUTPUT)
			break;
	}
	n = all_summaries(s, runs);
	if (s->dir && status == STATUS_INPUT)
		rundir_discard(s->dir);
	else if (s->dir && status != STATUS_OUTPUT)
		status = status_worse(status, finish_directory(s, status, runs, n));
	if (s->opt.json) {
		summary_write(stdout, runs, n);
	} else {
		for (int i = 0; i < s->n; i++) {
			if (i)
				fputc('\n', stdout);
			print_batch(s, &s->batches[i]);
		}
	}
	tell_of_ends(s, status);
	free(runs);
	return status;
}

static int one_time(const char *text, const char *whole, int64_t *out)
{
	struct sim_error err = { 0 };

	if (units_parse(text, UNITS_TIME, out, NULL, &err) == 0)
		return 0;
	message_error("run", "--pcap-window %s: %s", whole, err.text);
	return -1;
}

/* --pcap and --pcap-window. */
static int set_capture(struct run_options *o)
{
	const char *window = o->pcap_window;
	const char *dots = window ? strstr(window, "..") : NULL;

	o->capture = (struct pcapng_conf){ .ports = o->pcap.items, .nports = o->pcap.n,
					   .to_ps = UNITS_NEVER, .version = XOFF_VERSION,
					   .zst = o->pcap_zst };
	if ((o->pcap.n && !o->out) || ((window || o->pcap_zst) && !o->pcap.n)) {
		message_error("run", o->pcap.n ? "--pcap needs -o DIR, where capture.pcapng goes" :
			      window ? "--pcap-window needs --pcap PORT" : "--pcap-zst needs --pcap PORT");
		return -1;
	}
	if (!window)
		return 0;
	if (!dots) {
		message_error("run", "--pcap-window %s: wanted FROM..TO, such as 2ms..3ms", window);
		return -1;
	}
	char *from = mem_strdup(window);
	from[dots - window] = 0;
	int rc = one_time(from, window, &o->capture.from_ps) | one_time(dots + 2, window, &o->capture.to_ps);
	free(from);
	if (rc == 0 && o->capture.from_ps > o->capture.to_ps) {
		message_error("run", "--pcap-window %s ends before it begins", window);
		rc = -1;
	}
	return rc ? -1 : 0;
}

static int run_main(const struct command *self, int argc, char **argv)
{
	struct session s = { .opt = { .queue = -1 } };
	struct options_list args = { 0 };
	enum options_answer answer = options_parse(self, argc, argv, &s.opt, &args);
	int status = answer == OPTIONS_WRONG ? STATUS_INPUT : STATUS_OK;

	if (answer == OPTIONS_GO) {
		status = set_capture(&s.opt) ? STATUS_INPUT : open_all(&s, &args);
		if (status == STATUS_OK && check_names(&s))
			status = STATUS_INPUT;
		if (status == STATUS_OK)
			status = open_directory(&s);
		if (status == STATUS_OK)
			status = run_all(&s);
	}
	rundir_free(&s.dir);
	for (int i = 0; i < s.n; i++)
		batch_fini(&s.batches[i]);
	free(s.batches);
	options_fini(self, &s.opt, &args);
	return status;
}

const struct command run_command = {
	.name = "run",
	.args = "EXPERIMENT...",
	.about = "run an experiment and its variants, side by side",
	.details =
	"Without -o nothing is written.  With it, DIR.partial is renamed to DIR at the end;\n"
	"several runs get a directory each, DIR/VARIANT.  EXPERIMENT - is standard input.\n",
	.examples =
	"  xoff run experiments/incident/shared-priority-storm.json\n"
	"  xoff run storm.json --variant base --variant quiet -o results\n"
	"  xoff run storm.json --set run.until=5ms --set traffic.burst=null --seed 7 --json\n",
	.options = options,
	.min_args = 1,
	.max_args = 1000,
	.main = run_main,
};
