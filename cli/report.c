/* cli/report.c - `xoff report`: one HTML file that shows and replays runs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/path.h"
#include "cli/report_block.h"
#include "cli/report_page.h"
#include "cli/report_runs.h"
#include "cli/status.h"
#include "observe/outfile.h"
#include "sim/mem.h"
#include "sim/units.h"

struct report_options { const char *out; bool quiet; };

#define FIELD(name) offsetof(struct report_options, name)
static const struct options_row options[] = {
	{ "out", 'o', OPTIONS_TEXT, FIELD(out), "FILE", "the file to write (report.html)", NULL },
	{ "quiet", 'q', OPTIONS_FLAG, FIELD(quiet), NULL, "no note at the end", NULL },
	{ .name = NULL },
};

static const char data_mark[] = "<!--XOFF-DATA-->";

/* Where the data go; NULL: the page was not built. */
static const unsigned char *find_mark(void)
{
	size_t n = strlen(data_mark);

	for (size_t i = 0; i + n <= report_page_bytes; i++)
		if (memcmp(report_page + i, data_mark, n) == 0)
			return report_page + i;
	return NULL;
}

static int write_page(FILE *out, const struct report_runs *list, struct sim_error *err)
{
	static const char *const files[] = {
		"summary.json", "resolved.json", "replay.json", "events.csv"
	};
	const unsigned char *mark = find_mark();
	size_t before = (size_t)(mark - report_page);

	fwrite(report_page, 1, before, out);
	for (int i = 0; i < list->n; i++)
		for (int k = 0; k < 4; k++)
			if (report_block_write(out, i, list->run[i].label, list->run[i].dir,
					       files[k], err))
				return STATUS_INPUT;
	fwrite(mark + strlen(data_mark), 1, report_page_bytes - before - strlen(data_mark), out);
	return STATUS_OK;
}

/* Written beside its place and renamed: what has the name is whole. */
static int write_file(const char *path, const struct report_runs *list, struct sim_error *err)
{
	char *partial = path_append(path, ".partial");
	struct outfile out;
	int status = outfile_open_path(&out, partial, err) ? STATUS_OUTPUT : STATUS_OK;

	if (status == STATUS_OK) {
		status = write_page(out.stream, list, err);
		if (outfile_close(&out, err) && status == STATUS_OK)
			status = STATUS_OUTPUT;
		if (status == STATUS_OK && rename(partial, path)) {
			error_set(err, "", "cannot write %s: %s", path, strerror(errno));
			status = STATUS_OUTPUT;
		}
		if (status != STATUS_OK)
			remove(partial);
	}
	free(partial);
	return status;
}

static int report(const struct report_options *opt, const struct options_list *args)
{
	const char *path = opt->out ? opt->out : "report.html";
	struct report_runs list = { 0 };
	struct sim_error err = { 0 };
	int status = STATUS_OK;

	for (int i = 0; i < args->n && status == STATUS_OK; i++)
		if (report_runs_add(&list, args->items[i], &err))
			status = STATUS_INPUT;
	if (status == STATUS_OK && !find_mark()) {
		error_set(&err, "", "this xoff was built without its page; in a git clone, "
				    "`make report-page && make' builds it (needs node, npm and their "
				    "registry); a release has it");
		status = STATUS_INPUT;
	}
	if (status == STATUS_OK)
		status = strcmp(path, "-") == 0 ? write_page(stdout, &list, &err) :
						  write_file(path, &list, &err);
	if (err.set)
		message_error("report", "%s", err.text);
	if (status == STATUS_OK && !opt->quiet && report_page_stale)
		message_note("report", "the page is older than this xoff: `make report-page && make' builds it anew");
	if (status == STATUS_OK && !opt->quiet && strcmp(path, "-") != 0)
		message_note("report", "%s: %d run%s; open it in a browser", path, list.n,
			     list.n == 1 ? "" : "s");
	report_runs_fini(&list);
	return status;
}

static int report_main(const struct command *self, int argc, char **argv)
{
	struct report_options opt = { 0 };
	struct options_list args = { 0 };
	enum options_answer answer = options_parse(self, argc, argv, &opt, &args);
	int status = answer == OPTIONS_WRONG ? STATUS_INPUT : STATUS_OK;

	if (answer == OPTIONS_GO)
		status = report(&opt, &args);
	options_fini(self, &opt, &args);
	return status;
}

const struct command report_command = {
	.name = "report",
	.args = "DIR...",
	.about = "write one HTML file that shows and replays runs",
	.details =
	"DIR is what `xoff run -o DIR' left, with variants or without.  The file is whole in\n"
	"itself: it opens by double click, offline, and shows two runs side by side on one\n"
	"clock.  -o - writes to standard output.\n",
	.examples =
	"  xoff run experiments/deadlock/ring.json -o ring && xoff report ring -o ring.html\n"
	"  xoff report ring/base ring/third-greedy -o two.html\n",
	.options = options,
	.min_args = 1,
	.max_args = 100,
	.main = report_main,
};
