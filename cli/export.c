/* cli/export.c - `xoff export perfetto': a finished run for other people's programs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "cli/command.h"
#include "cli/export_perfetto.h"
#include "cli/message.h"
#include "cli/path.h"
#include "cli/rundir_read.h"
#include "cli/status.h"
#include "observe/outfile.h"
#include "sim/mem.h"
#include "sim/units.h"

struct export_options { const char *out, *variant; bool all, quiet; };

static int put_plain(void *ctx, const char *text, size_t n)
{
	return fwrite(text, 1, n, ctx) == n ? 0 : -1;
}

static int put_gzip(void *ctx, const char *text, size_t n)
{
	return gzwrite(ctx, text, (unsigned)n) == (int)n ? 0 : -1;
}

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

static int write_gzip(const char *path, struct chrometrace *trace, struct sim_error *err)
{
	gzFile out = gzopen(path, "wb6");
	int rc = out ? chrometrace_write(trace, put_gzip, out) : -1;

	if ((out && gzclose(out) != Z_OK) || rc)
		return error_set(err, "", "cannot write %s: %s", path, strerror(errno ? errno : EIO));
	return 0;
}

/* Written beside its place and renamed: what has the name is whole. */
static int write_file(const char *path, struct chrometrace *trace, struct sim_error *err)
{
	char *partial = path_append(path, ".partial");
	struct outfile out = { NULL, NULL };
	int rc;

	errno = 0;
	if (ends_in(path, ".gz")) {
		rc = write_gzip(partial, trace, err);
	} else {
		rc = outfile_open_path(&out, partial, err);
		if (!rc) {
			if (chrometrace_write(trace, put_plain, out.stream))
				error_set(err, "", "cannot write %s: %s", partial,
					  strerror(errno ? errno : EIO));
			rc = outfile_close(&out, err) || err->set ? -1 : 0;
		}
	}
	if (!rc && rename(partial, path))
		rc = error_set(err, "", "cannot write %s: %s", path, strerror(errno));
	if (rc)
		remove(partial);
	free(partial);
	return rc ? STATUS_OUTPUT : STATUS_OK;
}

/* Is it a file that the run left in its folder?  (What an export left may be written anew.) */
static bool of_the_run(const char *dir, const char *path)
{
	static const char *const names[] = { "resolved.json", "replay.json", "summary.json", NULL };
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char *beside = path_join(dir, name);
	bool is = ends_in(name, ".csv");
	struct stat a, b;

	for (int i = 0; names[i]; i++)
		is |= strcmp(name, names[i]) == 0;
	is = is && stat(path, &a) == 0 && stat(beside, &b) == 0 && a.st_ino == b.st_ino &&
	     a.st_dev == b.st_dev;
	free(beside);
	return is;
}

static int export(const struct export_options *opt, const char *what, const char *where)
{
	static const char *const formats[] = { "perfetto", NULL };
	const char *path = opt->out ? opt->out : "trace.json", *near = error_nearest(what, formats);
	struct sim_error err = { 0 };
	struct chrometrace *trace;
	char *dir;
	int status = STATUS_INPUT;

	if (strcmp(what, "perfetto")) {
		message_error("export", near ? "unknown format \"%s\"; did you mean \"%s\"?" :
				      "unknown format \"%s\"; there is: perfetto%.0s", what, near);
		return STATUS_INPUT;
	}
	dir = rundir_read_find(where, opt->variant, &err);
	if (dir && of_the_run(dir, path))
		error_set(&err, "", "%s is a file of the run; the trace needs another name", path);
	trace = dir && !err.set ? export_perfetto(dir, opt->all, &err) : NULL;
	if (trace && strcmp(path, "-") == 0)
		status = chrometrace_write(trace, put_plain, stdout) ? STATUS_OUTPUT : STATUS_OK;
	else if (trace)
		status = write_file(path, trace, &err);
	if (err.set)
		message_error("export", "%s", err.text);
	if (status == STATUS_OK && !opt->quiet && strcmp(path, "-"))
		message_note("export", "%s: %zu events; open it at ui.perfetto.dev", path,
			     chrometrace_events(trace));
	chrometrace_free(&trace);
	free(dir);
	return status;
}

static int export_main(const struct command *self, int argc, char **argv)
{
	struct export_options opt = { 0 };
	struct options_list args = { 0 };
	enum options_answer answer = options_parse(self, argc, argv, &opt, &args);
	int status = answer == OPTIONS_WRONG ? STATUS_INPUT : STATUS_OK;

	if (answer == OPTIONS_GO)
		status = export(&opt, args.items[0], args.items[1]);
	options_fini(self, &opt, &args);
	return status;
}

#define FIELD(name) offsetof(struct export_options, name)
static const struct options_row options[] = {
	{ "out", 'o', OPTIONS_TEXT, FIELD(out), "FILE",
	  "the file to write (trace.json); one that ends in .gz is compressed", NULL },
	{ "variant", 'V', OPTIONS_TEXT, FIELD(variant), "NAME",
	  "of several runs in DIR this one; else base", NULL },
	{ "all", 'a', OPTIONS_FLAG, FIELD(all), NULL,
	  "counters of all ports, not only of those that pauses met", NULL },
	{ "quiet", 'q', OPTIONS_FLAG, FIELD(quiet), NULL, "no note at the end", NULL },
	{ .name = NULL },
};

const struct command export_command = {
	.name = "export",
	.args = "perfetto DIR",
	.about = "write a run for another program: a trace that ui.perfetto.dev opens",
	.details =
	"DIR is what `xoff run -o DIR' left.  A process is a node, a thread a port in one\n"
	"priority: its pauses, storms and deadlocks are slices, exact to the picosecond (the\n"
	"page keeps nanoseconds); queue, rate, what the priority group holds and what of it\n"
	"lies above its XOFF limit are counters; losses and the rest of events.csv are marks.\n"
	"The form is Chrome's JSON.  -o - writes to standard output.\n",
	.examples =
	"  xoff export perfetto ring -o ring.json\n"
	"  xoff export perfetto results --variant storm-watchdog -o storm.json.gz\n",
	.options = options,
	.min_args = 2,
	.max_args = 2,
	.main = export_main,
};
