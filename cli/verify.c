/*
 * cli/verify.c - `xoff verify`: runs experiments and checks every `expect`.
 *
 * The parent reads and checks all of them first, so that nothing is run while
 * one of them is wrong.  Each is then run in a child process of its own, -j at
 * once; what a child prints is kept in a file and shown in the order of names.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/batch.h"
#include "cli/command.h"
#include "cli/find.h"
#include "cli/junit.h"
#include "cli/message.h"
#include "cli/signals.h"
#include "cli/status.h"
#include "sim/mem.h"

struct verify_options {
	const char *junit;
	int jobs, color;
	bool slow, quiet;
};

#define FIELD(name) offsetof(struct verify_options, name)
static const struct options_row options[] = {
	{ "junit", 0, OPTIONS_TEXT, FIELD(junit), "FILE",
	  "write the verdicts as JUnit XML", NULL },
	{ "jobs", 'j', OPTIONS_COUNT, FIELD(jobs), "N",
	  "experiments at once (default: one a processor)", NULL },
	{ "slow", 0, OPTIONS_FLAG, FIELD(slow), NULL,
	  "run those marked \"slow\": true as well", NULL },
	{ "quiet", 'q', OPTIONS_FLAG, FIELD(quiet), NULL, "no progress", NULL },
	{ "color", 0, OPTIONS_CHOICE, FIELD(color), "WHEN", "auto, always or never",
	  message_color_names },
	{ .name = NULL },
};

struct tally {			/* in memory shared with the child */
	int passed, failed;
	double wall_s;
};

enum job_state { JOB_WAITS, JOB_RUNS, JOB_DONE, JOB_SHOWN };

struct job {
	struct batch batch;
	struct tally *tally;
	FILE *out, *errors, *cases;
	enum job_state state;
	pid_t pid;
	int status;
	bool skipped;
};

struct session {
	struct verify_options opt;
	struct find_list found;
	struct job *jobs;
	int n;
	struct tally *tallies;
	FILE *junit;
	bool colored;
};

/* -------------------------------------------------------------------- child */

static void judge(const struct session *s, struct job *j, const struct batch_run *r)
{
	const char *run = batch_run_name(&j->batch, r);
	char prefix[256];

	snprintf(prefix, sizeof prefix, "%s/%s", scenario_name(j->batch.sc), run);
	for (int i = 0; i < r->nverdicts; i++) {
		const struct scenario_verdict *v = &r->verdicts[i];
		char why[768];

		batch_print_verdict(j->out, prefix, v, s->colored);
		snprintf(why, sizeof why, "%s (%s)", v->why, v->value);
		junit_case(j->cases, prefix, v->rule, v->passed ? NULL : why, false);
		if (v->passed)
			j->tally->passed++;
		else
			j->tally->failed++;
	}
	if (r->broken) {
		fprintf(j->out, "%s %s: a bug in xoff: %s\n",
			message_verdict(false, s->colored), prefix, r->broken);
		junit_case(j->cases, prefix, "invariants", r->broken, true);
		j->tally->failed++;
	}
	j->tally->wall_s += r->summary.cost.wall_s;
}

static _Noreturn void child(const struct session *s, struct job *j)
{
	struct batch_how how = { .dir = NULL };
	int status;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	dup2(fileno(j->errors), STDERR_FILENO);
	status = batch_execute(&j->batch, &how);
	for (int i = 0; i < j->batch.nruns; i++)
		judge(s, j, &j->batch.runs[i]);
	fflush(stderr);
	if (fflush(j->out) | ferror(j->out) | fflush(j->cases) | ferror(j->cases)) {
		message_error("verify", "cannot write a temporary file: %s", strerror(errno));
		status = STATUS_OUTPUT;
	}
	_exit(status);		/* what the parent has buffered is the parent's to write */
}

/* ------------------------------------------------------------------- parent */

static int start(const struct session *s, struct job *j)
{
	j->out = tmpfile();
	j->errors = tmpfile();
	j->cases = tmpfile();
	if (!j->out || !j->errors || !j->cases) {
		message_error("verify", "cannot make a temporary file: %s", strerror(errno));
		return -1;
	}
	fflush(stdout);
	j->pid = fork();
	if (j->pid < 0) {
		message_error("verify", "cannot start a process: %s", strerror(errno));
		return -1;
	}
	if (j->pid == 0)
		child(s, j);
	j->state = JOB_RUNS;
	return 0;
}

static void copy(FILE *from, FILE *to)
{
	char buf[4096];
	size_t n;

	rewind(from);
	while ((n = fread(buf, 1, sizeof buf, from)) > 0)
		fwrite(buf, 1, n, to);
}

/* A child that ended without a verdict counts as one that failed. */
static void show_death(const struct session *s, struct job *j, const char *why)
{
	const char *name = scenario_name(j->batch.sc);

	printf("%s %s: %s\n", message_verdict(false, s->colored), name, why);
	junit_case(j->cases, name, "run", why, true);
	j->tally->failed++;
}

static void show(const struct session *s, struct job *j)
{
	copy(j->errors, stderr);
	copy(j->out, stdout);
	if (j->status >= 128)
		show_death(s, j, strsignal(j->status - 128));
	else if (j->status == STATUS_BROKEN && !j->tally->failed)
		show_death(s, j, "a bug in xoff ended the run");
	else if (j->status == STATUS_OUTPUT || j->status == STATUS_INPUT)
		show_death(s, j, "it could not be run to its end");
	fflush(stdout);
	j->state = JOB_SHOWN;
}

/* Waits for one child of ours at least; true: one has ended. */
static bool collect(struct session *s)
{
	bool any = false;

	for (int i = 0; i < s->n; i++) {
		struct job *j = &s->jobs[i];
		int ws;

		if (j->state != JOB_RUNS || waitpid(j->pid, &ws, WNOHANG) != j->pid)
			continue;
		j->status = WIFSIGNALED(ws) ? 128 + WTERMSIG(ws) : WEXITSTATUS(ws);
		j->state = JOB_DONE;
		any = true;
	}
	return any;
}

static int count(const struct session *s, enum job_state state)
{
	int n = 0;

	for (int i = 0; i < s->n; i++)
		n += s->jobs[i].state == state;
	return n;
}

static void draw_progress(const struct session *s, bool wipe)
{
	int done = count(s, JOB_DONE) + count(s, JOB_SHOWN);

	if (s->opt.quiet || isatty(STDERR_FILENO) != 1)
		return;
	fputs("\r\033[K", stderr);
	for (int i = 0, named = 0; !wipe && i < s->n; i++) {
		if (s->jobs[i].state != JOB_RUNS)
			continue;
		if (!named++)
			fprintf(stderr, "%d/%d done, running", done, s->n);
		if (named <= 3)
			fprintf(stderr, " %s", scenario_name(s->jobs[i].batch.sc));
	}
	fflush(stderr);
}

static void stop_children(const struct session *s)
{
	for (int i = 0; i < s->n; i++)
		if (s->jobs[i].state == JOB_RUNS)
			kill(s->jobs[i].pid, SIGTERM);
}

static int run_all(struct session *s)
{
	const struct timespec nap = { .tv_nsec = 10000000 };
	int next = 0, shown = 0, status = STATUS_OK;
	bool stopping = false, stuck = false;

	while (shown < s->n) {
		struct job *j = &s->jobs[shown];

		if (!stopping && (signals_stopped() || stuck)) {
			stopping = true;
			stop_children(s);
		}
		for (; next < s->n && count(s, JOB_RUNS) < s->opt.jobs; next++) {
			if (stopping || stuck)
				break;
			if (s->jobs[next].skipped)
				continue;
			stuck = start(s, &s->jobs[next]) != 0;
			draw_progress(s, false);
		}
		if (stuck)
			status = STATUS_OUTPUT;
		if (j->skipped || j->state == JOB_DONE) {
			draw_progress(s, true);
			if (!j->skipped && !stopping)
				show(s, j);
			if (j->status >= 128 && !stopping)
				j->status = STATUS_BROKEN;
			status = status_worse(status, j->status);
			shown++;
		} else if (stopping && !count(s, JOB_RUNS)) {
			break;
		} else if (collect(s)) {
			draw_progress(s, false);
		} else {
			nanosleep(&nap, NULL);
		}
	}
	draw_progress(s, true);
	return signals_stopped() ? STATUS_INTERRUPTED : status;
}

/* --------------------------------------------------------------------- open */

static int find_all(struct session *s, const struct options_list *args)
{
	int status = STATUS_OK;

	for (int i = 0; i < args->n; i++) {
		struct sim_error err = { 0 };

		if (find_experiments(&s->found, args->items[i], &err)) {
			message_error("verify", "%s", err.text);
			status = STATUS_INPUT;
		}
	}
	return status;
}

static int open_all(struct session *s)
{
	const struct batch_wanted all = { .nvariants = 0 };
	size_t size = sizeof(*s->tallies) * (size_t)s->found.n;
	int status = STATUS_OK;

	s->jobs = mem_zalloc(sizeof(*s->jobs) * (size_t)s->found.n);
	s->tallies = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s->tallies == MAP_FAILED) {
		message_error("verify", "out of memory");
		s->tallies = NULL;
		return STATUS_OUTPUT;
	}
	for (; s->n < s->found.n; s->n++) {
		struct job *j = &s->jobs[s->n];
		int rc = batch_open(&j->batch, "verify", s->found.paths[s->n], &all);

		if (rc)
			diag_print(j->batch.diag, stderr);
		else
			j->skipped = !s->opt.slow && scenario_slow(j->batch.sc);
		j->tally = &s->tallies[s->n];
		status = status_worse(status, rc);
	}
	return status;
}

static int open_junit(struct session *s)
{
	if (!s->opt.junit)
		return STATUS_OK;
	s->junit = fopen(s->opt.junit, "w");
	if (s->junit)
		return STATUS_OK;
	message_error("verify", "cannot write %s: %s", s->opt.junit, strerror(errno));
	return STATUS_OUTPUT;
}

static int write_junit(struct session *s)
{
	bool failed;

	if (!s->junit)
		return STATUS_OK;
	junit_begin(s->junit);
	for (int i = 0; i < s->n; i++) {
		const struct job *j = &s->jobs[i];
		const struct tally *t = j->tally;

		junit_suite(s->junit, scenario_name(j->batch.sc), t->passed + t->failed, t->failed,
			    j->skipped, t->wall_s, j->cases);
	}
	junit_end(s->junit);
	failed = fflush(s->junit) | ferror(s->junit);
	failed |= fclose(s->junit) != 0;
	s->junit = NULL;
	if (!failed)
		return STATUS_OK;
	message_error("verify", "cannot write %s: %s", s->opt.junit, strerror(errno));
	return STATUS_OUTPUT;
}

/* --------------------------------------------------------------------- main */

static void print_total(const struct session *s)
{
	int passed = 0, failed = 0, skipped = 0, rules = 0;

	for (int i = 0; i < s->n; i++) {
		passed += s->jobs[i].tally->passed;
		failed += s->jobs[i].tally->failed;
		skipped += s->jobs[i].skipped;
		rules = s->jobs[i].tally->passed + s->jobs[i].tally->failed;
		if (!rules && !s->jobs[i].skipped)
			message_note("verify", "%s promises nothing: it has no `expect'",
				     scenario_path(s->jobs[i].batch.sc));
	}
	if (skipped)
		message_note("verify", "%d of %d experiments left out as slow; --slow runs them",
			     skipped, s->n);
	printf("%d passed, %d failed\n", passed, failed);
}

static int verify(struct session *s, const struct options_list *args)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	int status = find_all(s, args);

	if (!s->opt.jobs)
		s->opt.jobs = cores < 1 ? 1 : cores > 64 ? 64 : (int)cores;
	s->colored = message_colored((enum message_color)s->opt.color, stdout);
	if (status == STATUS_OK)
		status = open_all(s);
	if (status == STATUS_OK)
		status = open_junit(s);
	if (status != STATUS_OK)
		return status;
	status = run_all(s);
	if (status == STATUS_INTERRUPTED) {
		message_note("verify", "interrupted after %d of %d experiments",
			     count(s, JOB_SHOWN), s->n);
		return status;
	}
	status = status_worse(status, write_junit(s));
	print_total(s);
	return status;
}

static void close_file(FILE *f)
{
	if (f)
		fclose(f);
}

static int verify_main(const struct command *self, int argc, char **argv)
{
	struct session s = { .n = 0 };
	struct options_list args = { 0 };
	enum options_answer answer = options_parse(self, argc, argv, &s.opt, &args);
	int status = answer == OPTIONS_WRONG ? STATUS_INPUT : STATUS_OK;

	if (answer == OPTIONS_GO)
		status = verify(&s, &args);
	for (int i = 0; i < s.n; i++) {
		batch_fini(&s.jobs[i].batch);
		close_file(s.jobs[i].out);
		close_file(s.jobs[i].errors);
		close_file(s.jobs[i].cases);
	}
	close_file(s.junit);
	free(s.jobs);
	if (s.tallies)
		munmap(s.tallies, sizeof(*s.tallies) * (size_t)s.found.n);
	find_fini(&s.found);
	options_fini(self, &s.opt, &args);
	return status;
}

const struct command verify_command = {
	.name = "verify",
	.args = "PATH...",
	.about = "run experiments and check every `expect', one line each",
	.details =
	"Of a folder, all experiments in it.  Ends with the line \"N passed, M failed\".\n",
	.examples =
	"  xoff verify experiments\n"
	"  xoff verify -j 4 --junit verdicts.xml experiments\n",
	.options = options,
	.min_args = 1,
	.max_args = 1000,
	.main = verify_main,
};
