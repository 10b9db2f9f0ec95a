/* cli/show.c - `xoff show': counters and settings in the layouts of SONiC's commands. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/path.h"
#include "cli/rundir_read.h"
#include "cli/show.h"
#include "cli/status.h"
#include "scenario/pattern.h"
#include "scenario/scenario.h"
#include "sim/mem.h"
#include "sim/nearpath.h"

struct conf {
	const char *variant;
	struct options_list switches;
	bool empty, check_storm;
};

static const struct options_row rows[] = {
	{ "switch", 's', OPTIONS_LIST, offsetof(struct conf, switches), "PATTERN",
	  "only these switches, such as leaf0 or spine*" },
	{ "variant", 0, OPTIONS_TEXT, offsetof(struct conf, variant), "NAME",
	  "of a directory with several runs, this one" },
	{ "empty", 'e', OPTIONS_FLAG, offsetof(struct conf, empty), NULL,
	  "pfcwd stats: queues without a storm too" },
	{ "check-storm", 'c', OPTIONS_FLAG, offsetof(struct conf, check_storm), NULL,
	  "pfcwd stats: print nothing, exit with 1 if a queue is in a storm" },
	{ .name = NULL }
};

static const struct { const char *what; show_view *view; bool counters; } views[] = {
	{ "pfc counters", show_pfc_counters, true },
	{ "pfcwd stats", show_pfcwd_stats, true },
	{ "pfcwd config", show_pfcwd_config, false },
	{ "queue counters", show_queue_counters, true },
	{ "queue watermark", show_queue_watermark, true },
	{ "queue watermark unicast", show_queue_watermark, true },
	{ "priority-group watermark", show_group_watermark, true },
	{ "priority-group watermark shared", show_group_shared, true },
	{ "priority-group watermark headroom", show_group_headroom, true },
	{ "buffer-pool watermark", show_pool_watermark, true },
	{ "buffer_pool watermark", show_pool_watermark, true },
	{ "buffer profiles", show_buffer_profiles, false },
	{ "ecn config", show_ecn_config, false },
	{ "qos maps", show_qos_maps, false },
};
enum { VIEWS = sizeof(views) / sizeof(*views) };

/* ---------------------------------------------------------------- for the views */

bool show_wanted(const struct show *s, uint32_t node)
{
	bool wanted = s->nswitches == 0;

	for (int i = 0; i < s->nswitches && !wanted; i++)
		wanted = pattern_match(s->switches[i], view_node_name(s->f, node));
	return wanted && view_is_switch(s->f, node);
}

void show_heading(const struct show *s, uint32_t node)
{
	uint32_t n = 0, first = node;

	for (uint32_t i = view_nodes(s->f); i-- > 0;) {
		if (show_wanted(s, i)) {
			n++;
			first = i;
		}
	}
	if (n > 1)
		printf("%sFor %s:\n", node == first ? "" : "\n", view_node_name(s->f, node));
}

char *show_port(const struct show *s, uint32_t port, char *buf, size_t size)
{
	snprintf(buf, size, "Ethernet%d", view_port(s->f, port).number);
	return buf;
}

uint32_t show_find_port(const struct show *s, char *name)
{
	char *colon = strrchr(name, ':');
	uint32_t node, first, n;
	int number;

	if (!colon)
		return VIEW_NONE;
	number = atoi(colon + 1);
	*colon = '\0';
	node = view_find(s->f, name);
	*colon = ':';
	if (node == VIEW_NONE)
		return VIEW_NONE;
	first = view_first_port(s->f, node);
	n = view_port_count(s->f, node);
	for (uint32_t port = first; port < first + n; port++)
		if (view_port(s->f, port).number == number)
			return port;
	return VIEW_NONE;
}

/* -------------------------------------------------------------------- what, of what */

static int find_view(const struct options_list *args)
{
	const char *names[VIEWS + 1] = { 0 }, *near;
	char what[128] = "";

	for (int i = 0; i < args->n - 1; i++) {
		size_t used = strlen(what);

		snprintf(what + used, sizeof(what) - used, "%s%s", i ? " " : "",
			 args->items[i]);
	}
	for (int i = 0; i < VIEWS; i++) {
		if (strcmp(views[i].what, what) == 0)
			return i;
		names[i] = views[i].what;
	}
	near = error_nearest(what, names);
	if (near)
		message_error("show", "there is nothing \"%s\" to show; did you mean \"%s\"?",
			      what,
			      near);
	else
		message_error("show", "there is nothing \"%s\" to show; `xoff help show' lists "
			      "what there is", what);
	return -1;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A fabric with the settings of the run, or of an experiment, which need not say
 * how long it runs. */
static struct fabric *build(const char *path, bool run, struct scenario **sc)
{
	struct scenario_options opt = { .until = "1s" };
	struct diag *diag = diag_new();
	struct fabric *f;

	*sc = scenario_open(path, run ? NULL : &opt, diag);
	f = *sc ? scenario_build(*sc, 0, diag) : NULL;
	if (!f)
		diag_print(diag, stderr);
	diag_free(&diag);
	return f;
}

/* Does each of the patterns match a switch? */
static int check_switches(const struct show *s, struct sim_error *err)
{
	const char **names = mem_zalloc((view_nodes(s->f) + 1) * sizeof(*names)), *near;
	int n = 0;

	for (uint32_t node = 0; node < view_nodes(s->f); node++)
		if (view_is_switch(s->f, node))
			names[n++] = view_node_name(s->f, node);
	if (!n)
		error_set(err, "", "there is no switch");
	for (int i = 0; i < s->nswitches && !err->set; i++) {
		const char *pattern = s->switches[i];
		bool hit = false;

		for (int k = 0; k < n && !hit; k++)
			hit = pattern_match(pattern, names[k]);
		near = hit ? NULL : error_nearest(pattern, names);
		if (!hit)
			error_set(err, "", "there is no switch that matches %s%s%s%s", pattern,
				  near ? "; did you mean \"" : "", near ? near : "",
				  near ? "\"?" : "");
	}
	free(names);
	return err->set ? -1 : 0;
}

static int check_options(int v, const struct conf *conf)
{
	bool stats = strcmp(views[v].what, "pfcwd stats") == 0;

	if (stats || !(conf->check_storm || conf->empty))
		return 0;
	message_error("show", "--%s is for pfcwd stats, not for %s",
		      conf->check_storm ? "check-storm" : "empty", views[v].what);
	return -1;
}

static int show_one(struct show *s, const char *path, int v, const struct conf *conf)
{
	char *dir = NULL, *file = NULL, hint[NEARPATH_MAX];
	struct sim_error err = { 0 };
	struct scenario *sc = NULL;
	struct fabric *f = NULL;
	int status = STATUS_INPUT;

	if (is_directory(path)) {
		dir = rundir_read_find(path, conf->variant, &err);
		file = dir ? path_join(dir, "resolved.json") : NULL;
	} else if (views[v].counters) {
		error_set(&err, "", "%s is no run directory, and counters come from one%s", path,
			  nearpath_hint(path, hint, sizeof hint));
	}
	if (!err.set)
		f = build(file ? file : path, file != NULL, &sc);
	s->dir = dir;
	s->f = f;
	if (f && !check_switches(s, &err) && views[v].view(s, &err) == 0)
		status = conf->check_storm && s->stormed ? STATUS_FAILED : STATUS_OK;
	if (err.set)
		message_error("show", "%s", err.text);
	if (f)
		fabric_free(&f);
	scenario_free(&sc);
	free(file);
	free(dir);
	return status;
}

static int show_main(const struct command *self, int argc, char **argv)
{
	struct options_list args = { 0 };
	struct conf conf = { 0 };
	enum options_answer answer = options_parse(self, argc, argv, &conf, &args);
	int status = answer == OPTIONS_WRONG ? STATUS_INPUT : STATUS_OK;

	if (answer == OPTIONS_GO) {
		int v = find_view(&args);
		struct show s = { .switches = conf.switches.items, .nswitches = conf.switches.n,
				  .empty = conf.empty, .check = conf.check_storm };

		status = v < 0 || check_options(v, &conf) ? STATUS_INPUT : show_one(&s, args.items[args.n - 1], v, &conf);
	}
	options_fini(self, &conf, &args);
	return status;
}

const struct command show_command = {
	.name = "show",
	.args = "WHAT DIR",
	.about = "print counters and settings in SONiC's layouts",
	.details =
	"WHAT is one of\n"
	"  pfc counters                        pause frames received and sent\n"
	"  pfcwd stats, pfcwd config           storms of the PFC watchdog; its settings\n"
	"  queue counters, queue watermark     frames sent; the longest queue\n"
	"  priority-group watermark [shared|headroom]   the most that ingress groups held\n"
	"  buffer-pool watermark               the most that all groups of a switch held\n"
	"  buffer profiles, ecn config, qos maps        settings\n"
	"DIR is a directory left by xoff run -o; for settings an experiment will do.\n",
	.examples =
	"  xoff show pfc counters results\n"
	"  xoff show priority-group watermark headroom results --switch leaf0\n"
	"  xoff show pfcwd config fabric.json\n",
	.options = rows,
	.min_args = 2,
	.max_args = 4,
	.main = show_main,
};
