/* cli/rundir_read.c - see rundir_read.h: the summary, the ports and the whole. */
#include "cli/rundir_read.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <jansson.h>
#include "cli/csv.h"
#include "cli/path.h"
#include "cli/rundir_tables.h"
#include "sim/mem.h"
#include "sim/nearpath.h"
#include "sim/units.h"

/* ------------------------------------------------------------------ which one */

static bool holds_run(const char *dir)
{
	char *path = path_join(dir, "pauses.csv");
	struct stat st;
	bool is = stat(path, &st) == 0 && S_ISREG(st.st_mode);

	free(path);
	return is;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of the directories in `path` that hold a run, NULL at the end. */
static char **runs_in(const char *path, int *n)
{
	char **names = mem_zalloc(sizeof(*names));
	DIR *dir = opendir(path);
	struct dirent *d;

	*n = 0;
	while (dir && (d = readdir(dir))) {
		char *below = path_join(path, d->d_name);

		if (d->d_name[0] != '.' && holds_run(below)) {
			names = mem_grow(names, sizeof(*names) * (size_t)(*n + 2));
			names[(*n)++] = mem_strdup(d->d_name);
			names[*n] = NULL;
		}
		free(below);
	}
	if (dir)
		closedir(dir);
	qsort(names, (size_t)*n, sizeof(*names), by_name);
	return names;
}

static char *choose(const char *path, const char *variant, char **names, int n,
		    struct sim_error *err)
{
	char list[256] = "", hint[NEARPATH_MAX];
	struct stat st;
	size_t used = 0;

	for (int i = 0; i < n; i++)
		if (!strcmp(names[i], variant ? variant : "base") || (!variant && n == 1))
			return path_join(path, names[i]);
	for (int i = 0; i < n && used < sizeof(list) - 1; i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
					 i ? ", " : "", names[i]);
	if (access(path, F_OK))
		error_set(err, "", "there is no folder %s%s", path,
			  nearpath_hint(path, hint, sizeof hint));
	else if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
		error_set(err, "", "%s is a file; wanted a folder that `xoff run FILE -o DIR' left",
			  path);
	else if (holds_run(path))
		error_set(err, "", "%s holds one run and is not a folder of several; leave out "
			  "--variant", path);
	else if (!n)
		error_set(err, "", "%s holds no run of xoff's (no pauses.csv)", path);
	else if (variant)
		error_set(err, "", "%s holds no run \"%s\"; there are: %s", path, variant,
			  list);
	else
		error_set(err, "", "%s holds several runs, choose one with --variant: %s", path,
			  list);
	return NULL;
}

bool rundir_read_any(const char *path)
{
	char **names;
	int n;

	if (holds_run(path))
		return true;
	names = runs_in(path, &n);
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return n > 0;
}

char *rundir_read_find(const char *path, const char *variant, struct sim_error *err)
{
	char *found = NULL, **names;
	int n;

	if (holds_run(path) && !variant)
		return mem_strdup(path);
	names = runs_in(path, &n);
	found = choose(path, variant, names, n, err);
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return found;
}

/* ------------------------------------------------------------- JSON of the run */

static json_t *load(const char *dir, const char *name, struct sim_error *err)
{
	char *path = path_join(dir, name);
	json_error_t why;
	json_t *doc = json_load_file(path, 0, &why);

	if (!doc)
		error_set(err, "", "cannot read %s: %s", path, why.text);
	free(path);
	return doc;
}

static int64_t number(const json_t *at, const char *object, const char *key)
{
	return json_integer_value(json_object_get(
		object ? json_object_get(at, object) : at, key));
}

static char *text(const json_t *at, const char *object, const char *key)
{
	return mem_strdup(json_string_value(json_object_get(
		object ? json_object_get(at, object) : at, key)));
}

static int read_summary(struct rundir_read *r, struct sim_error *err)
{
	json_t *doc = load(r->dir, "summary.json", err);
	json_t *run = json_array_get(json_object_get(doc, "runs"), 0);

	if (doc && !run)
		error_set(err, "", "%s/summary.json tells of no run: it was interrupted",
			  r->dir);
	r->experiment = text(run, NULL, "experiment");
	r->variant = text(run, NULL, "variant");
	r->stall = text(run, "stall", "why");
	r->seed = number(run, NULL, "seed");
	r->simulated_ps = number(run, NULL, "simulated_ps");
	r->paused_ps = number(run, "pfc", "paused_ps");
	r->xoff_frames = number(run, "pfc", "xoff_frames");
	r->rnr_wait_ps = number(run, "rnr", "wait_ps");
	r->complete = json_is_true(json_object_get(run, "complete"));
	r->wall_s = json_number_value(json_object_get(json_object_get(run, "cost"), "wall_s"));
	json_decref(doc);
	return run ? 0 : -1;
}

static int read_nodes(struct rundir_read *r, struct sim_error *err)
{
	json_t *doc = load(r->dir, "resolved.json", err);
	json_t *nodes = json_object_get(json_object_get(doc, "topology"), "nodes"), *kind;
	const char *name;

	json_object_foreach(nodes, name, kind)
		intern_add(&r->nodes, name, strlen(name));
	r->is_host = mem_zalloc(r->nodes.n + 1);
	json_object_foreach(nodes, name, kind)
		r->is_host[intern_find(&r->nodes, name)] =
			json_is_string(kind) && !strcmp(json_string_value(kind), "host");
	if (doc && !json_object_size(nodes))
		error_set(err, "", "%s/resolved.json has no nodes", r->dir);
	json_decref(doc);
	return r->nodes.n ? 0 : -1;
}

/* ------------------------------------------------------------------- ports.csv */

static int read_ports(struct rundir_read *r, struct sim_error *err)
{
	static const char *const wanted[] = {
		"port", "prio", "peer", "rate_bps", "queue_peak_bytes", NULL
	};
	struct csv t;
	int rc = csv_open(&t, r->dir, "ports.csv", wanted, err), more = 0;
	int64_t prio, rate_bps, peak;

	while (rc == 0 && (more = csv_next(&t, err)) == 1) {
		uint32_t port, peer;

		if (csv_number(&t, 1, 0, &prio, err) || csv_number(&t, 3, 0, &rate_bps, err) ||
		    csv_number(&t, 4, 0, &peak, err) ||
		    rundir_tables_port(r, &t, 0, &port, err) ||
		    rundir_tables_port(r, &t, 2, &peer, err)) {
			rc = -1;
			break;
		}
		r->port[port].peer = peer;
		r->port[peer].peer = port;
		r->port[port].rate_bps = r->port[peer].rate_bps = rate_bps;
		if (prio >= 0 && prio < RUNDIR_READ_PRIOS)
			r->peak_bytes[port * RUNDIR_READ_PRIOS + prio] = peak;
	}
	csv_close(&t);
	return rc || more < 0 ? -1 : 0;
}

/* ------------------------------------------------------------------- the whole */

/* What is known of each place, once all ports are. */
static void fill_places(struct rundir_read *r)
{
	uint32_t n = r->ports.n * RUNDIR_READ_PRIOS;

	r->drain_ps = mem_zalloc(n * sizeof(*r->drain_ps));
	r->host = mem_zalloc(n * sizeof(*r->host));
	r->node = mem_zalloc(n * sizeof(*r->node));
	for (uint32_t place = 0; place < n; place++) {
		const struct rundir_read_port *p = &r->port[place / RUNDIR_READ_PRIOS];
		uint32_t far = p->peer == INTERN_NONE ? INTERN_NONE : r->port[p->peer].node;

		r->node[place] = p->node;
		r->host[place] = far != INTERN_NONE && r->is_host[far] ? far : BLAME_NONE;
		if (p->rate_bps > 0)
			r->drain_ps[place] = units_tx_ps(r->peak_bytes[place], p->rate_bps);
		if (r->drain_ps[place] < UNITS_PS_PER_S / 1000000)
			r->drain_ps[place] = UNITS_PS_PER_S / 1000000;
	}
	r->dst = mem_zalloc(r->pairs.n * sizeof(*r->dst));
	for (uint32_t i = 0; i < r->pairs.n; i++)
		r->dst[i] = r->pair[i].dst;
	r->log = (struct blame_log){
		.nplaces = n, .npairs = r->pairs.n, .drain_ps = r->drain_ps, .host = r->host,
		.node = r->node, .dst = r->dst, .pauses = r->pauses, .npauses = r->npauses,
		.causes = r->causes, .parts = r->parts, .stops = r->stops, .nstops = r->nstops,
		.waiting = r->waiting, .members = r->places, .deadlocks = r->deadlocks,
		.ndeadlocks = r->ndeadlocks, .storms = r->storms, .nstorms = r->nstorms,
	};
}

struct rundir_read *rundir_read_open(const char *dir, struct sim_error *err)
{
	struct rundir_read *r = mem_zalloc(sizeof(*r));

	r->dir = mem_strdup(dir);
	if (read_summary(r, err) || read_nodes(r, err) || read_ports(r, err) ||
	    rundir_tables_pauses(r, err) || rundir_tables_stops(r, err) ||
	    rundir_tables_deadlocks(r, err) || rundir_tables_events(r, err)) {
		rundir_read_free(&r);
		return NULL;
	}
	fill_places(r);
	return r;
}

void rundir_read_free(struct rundir_read **rp)
{
	struct rundir_read *r = *rp;

	*rp = NULL;
	if (!r)
		return;
	for (size_t i = 0; i < r->nmembers; i++)
		free(r->members[i].waits_for);
	void *all[] = {
		r->dir, r->experiment, r->variant, r->stall, r->port, r->pair, r->is_host,
		r->members, r->drain_ps, r->peak_bytes, r->host, r->node, r->dst, r->waiting,
		r->places, r->pauses, r->causes, r->parts, r->stops, r->deadlocks, r->storms,
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		free(all[i]);
	intern_fini(&r->ports);
	intern_fini(&r->nodes);
	intern_fini(&r->workloads);
	intern_fini(&r->pairs);
	free(r);
}


char *rundir_read_place(const struct rundir_read *r, uint32_t place, char *buf, size_t size)
{
	snprintf(buf, size, "%s/%u", r->ports.name[place / RUNDIR_READ_PRIOS],
		 (unsigned)(place % RUNDIR_READ_PRIOS));
	return buf;
}
