#include "sweep/store.h"

#include <errno.h>
#include <fnmatch.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sim/mem.h"
#include "sim/nearpath.h"

enum { STORE_APPLICATION = 0x586f6666, STORE_VERSION = 1 };	/* "Xoff" */

struct store {
	sqlite3 *db;
	char *path;
	sqlite3_stmt *run, *param, *metric, *has, *value;
	const char **metrics;
};

static const char schema[] =
	"CREATE TABLE IF NOT EXISTS run(key TEXT, variant TEXT, idx INTEGER, experiment TEXT, status INTEGER,"
	" digest TEXT, PRIMARY KEY(key, variant)) STRICT;"
	"CREATE TABLE IF NOT EXISTS param(key TEXT, variant TEXT, name TEXT, value TEXT,"
	" PRIMARY KEY(key, variant, name)) STRICT;"
	"CREATE TABLE IF NOT EXISTS metric(key TEXT, variant TEXT, name TEXT, value REAL,"
	" PRIMARY KEY(key, variant, name)) STRICT;";

static int fail(struct store *s, struct sim_error *err)
{
	return error_set(err, "", "%s: %s", s->path, sqlite3_errmsg(s->db));
}

static int exec(struct store *s, const char *sql, struct sim_error *err)
{
	return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : fail(s, err);
}

static int prepare(struct store *s, sqlite3_stmt **stmt, const char *sql, struct sim_error *err)
{
	return sqlite3_prepare_v2(s->db, sql, -1, stmt, NULL) == SQLITE_OK ? 0 : fail(s, err);
}

static int64_t pragma(struct store *s, const char *sql)
{
	sqlite3_stmt *q = NULL;
	int64_t v = -1;

	if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW)
		v = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	return v;
}

/* A file of somebody else's is not ours to write into. */
static int check_owner(struct store *s, bool write, struct sim_error *err)
{
	int64_t app = pragma(s, "PRAGMA application_id"), tables = pragma(s, "SELECT count(*) FROM sqlite_master");

	if (tables < 0)
		return error_set(err, "", "%s is no SQLite file", s->path);
	if (tables > 0 && app != STORE_APPLICATION)
		return error_set(err, "", "%s is a SQLite file, but not of xoff sweep", s->path);
	if (tables == 0 && !write)
		return error_set(err, "", "%s holds no sweep", s->path);
	if (!write)
		return 0;
	char sql[80];
	sqlite3_snprintf(sizeof sql, sql, "PRAGMA application_id=%d; PRAGMA user_version=%d;", STORE_APPLICATION,
			 STORE_VERSION);
	return exec(s, sql, err) || exec(s, schema, err) ? -1 : 0;
}

struct store *store_open(const char *path, bool write, struct sim_error *err)
{
	struct store *s = mem_zalloc(sizeof *s);
	int flags = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
	char hint[NEARPATH_MAX];

	s->path = mem_strdup(path);
	if (!write && access(path, F_OK)) {
		error_set(err, "", "cannot read %s: %s%s", path, strerror(errno),
			  nearpath_hint(path, hint, sizeof hint));
		store_close(&s);
		return NULL;
	}
	if (sqlite3_open_v2(path, &s->db, flags, NULL) != SQLITE_OK) {
		error_set(err, "", "cannot open %s: %s", path, sqlite3_errmsg(s->db));
		store_close(&s);
		return NULL;
	}
	if (check_owner(s, write, err) ||
	    (write && (prepare(s, &s->run, "INSERT OR REPLACE INTO run VALUES(?1,?2,?3,?4,?5,?6)", err) ||
		       prepare(s, &s->param, "INSERT OR REPLACE INTO param VALUES(?1,?2,?3,?4)", err) ||
		       prepare(s, &s->metric, "INSERT OR REPLACE INTO metric VALUES(?1,?2,?3,?4)", err))) ||
	    prepare(s, &s->has, "SELECT 1 FROM run WHERE key=?1 AND variant=?2", err) ||
	    prepare(s, &s->value, "SELECT value FROM metric WHERE key=?1 AND variant=?2 AND name=?3", err))
		store_close(&s);
	return s;
}

void store_close(struct store **sp)
{
	struct store *s = *sp;

	if (!s)
		return;
	sqlite3_finalize(s->run);
	sqlite3_finalize(s->param);
	sqlite3_finalize(s->metric);
	sqlite3_finalize(s->has);
	sqlite3_finalize(s->value);
	sqlite3_close(s->db);
	for (int i = 0; s->metrics && s->metrics[i]; i++)
		free((void *)(uintptr_t)s->metrics[i]);
	free(s->metrics);
	free(s->path);
	free(s);
	*sp = NULL;
}

static void text(sqlite3_stmt *q, int i, const char *v)
{
	sqlite3_bind_text(q, i, v, -1, SQLITE_TRANSIENT);
}

static int finish(struct store *s, sqlite3_stmt *q, struct sim_error *err)
{
	int rc = sqlite3_step(q) == SQLITE_DONE ? 0 : fail(s, err);
	sqlite3_reset(q);
	return rc;
}

bool store_has(struct store *s, const char *key, const char *variant)
{
	text(s->has, 1, key);
	text(s->has, 2, variant);
	bool found = sqlite3_step(s->has) == SQLITE_ROW;
	sqlite3_reset(s->has);
	return found;
}

int store_begin(struct store *s, struct sim_error *err) { return exec(s, "BEGIN", err); }
int store_commit(struct store *s, struct sim_error *err) { return exec(s, "COMMIT", err); }

int store_run(struct store *s, const struct store_run *r, struct sim_error *err)
{
	text(s->run, 1, r->key);
	text(s->run, 2, r->variant);
	sqlite3_bind_int64(s->run, 3, r->index);
	text(s->run, 4, r->experiment);
	sqlite3_bind_int(s->run, 5, r->status);
	text(s->run, 6, r->digest);
	return finish(s, s->run, err);
}

int store_param(struct store *s, const struct store_run *r, const char *name, const char *value,
		struct sim_error *err)
{
	text(s->param, 1, r->key);
	text(s->param, 2, r->variant);
	text(s->param, 3, name);
	text(s->param, 4, value);
	return finish(s, s->param, err);
}

int store_metric(struct store *s, const struct store_run *r, const char *name, double value,
		 struct sim_error *err)
{
	text(s->metric, 1, r->key);
	text(s->metric, 2, r->variant);
	text(s->metric, 3, name);
	sqlite3_bind_double(s->metric, 4, value);
	return finish(s, s->metric, err);
}

int store_merge(struct store *s, const char *other, struct sim_error *err)
{
	struct store *check = store_open(other, false, err);

	if (!check)
		return -1;
	store_close(&check);
	char *attach = sqlite3_mprintf("ATTACH %Q AS other", other);
	int rc = exec(s, attach, err);
	sqlite3_free(attach);
	if (rc)
		return -1;
	rc = exec(s, "BEGIN;"
		  "INSERT OR IGNORE INTO run SELECT * FROM other.run;"
		  "INSERT OR IGNORE INTO param SELECT * FROM other.param;"
		  "INSERT OR IGNORE INTO metric SELECT * FROM other.metric;"
		  "COMMIT; DETACH other", err);
	return rc;
}

/* ---- reading ---- */

static int no_metric(struct store *s, const char *metric, struct sim_error *err)
{
	const char *near = error_nearest(metric, store_metrics(s));

	if (near)
		return error_set(err, "", "no run has a metric \"%s\"; did you mean \"%s\"?", metric, near);
	for (const char *const *m = store_metrics(s); *m; m++)
		if (!strncmp(*m, metric, strlen(metric)))
			return error_set(err, "", "no run has a metric \"%s\"; of those that begin so: \"%s\"",
					 metric, *m);
	return error_set(err, "", "no run has a metric \"%s\"", metric);
}

int store_known(struct store *s, const char *metric, struct sim_error *err)
{
	for (const char *const *m = store_metrics(s); *m; m++)
		if (!strcmp(*m, metric))
			return 0;
	return no_metric(s, metric, err);
}

int store_each(struct store *s, const char *metric,
	       void (*each)(void *, const char *, const char *, const char *, double), void *ctx,
	       struct sim_error *err)
{
	static const char sql[] =
		"SELECT r.key, r.variant, m.value, coalesce((SELECT group_concat(name||'='||value, ' ') FROM"
		" (SELECT name, value FROM param p WHERE p.key=r.key AND p.variant=r.variant AND"
		" p.name NOT IN ('seed','run.seed') ORDER BY name)),'') ||"
		" CASE r.variant WHEN 'base' THEN '' ELSE ' variant='||r.variant END AS setting"
		" FROM run r JOIN metric m ON m.key=r.key AND m.variant=r.variant AND m.name=?1"
		" ORDER BY setting, r.idx, r.key";
	sqlite3_stmt *q;
	int rows = 0;

	if (prepare(s, &q, sql, err))
		return -1;
	text(q, 1, metric);
	while (sqlite3_step(q) == SQLITE_ROW) {
		rows++;
		each(ctx, (const char *)sqlite3_column_text(q, 3), (const char *)sqlite3_column_text(q, 0),
		     (const char *)sqlite3_column_text(q, 1), sqlite3_column_double(q, 2));
	}
	sqlite3_finalize(q);
	return rows ? 0 : no_metric(s, metric, err);
}

int store_arms(struct store *s, const char *metric, const char *by,
	       void (*each)(void *, const char *, const char *, const char *, double), void *ctx,
	       struct sim_error *err)
{
	static const char sql[] =
		"SELECT coalesce((SELECT group_concat(name||'='||value, ' ') FROM"
		" (SELECT name, value FROM param p WHERE p.key=r.key AND p.variant=r.variant AND"
		" p.name NOT IN ('seed','run.seed',?2) ORDER BY name)),'') ||"
		" CASE WHEN r.variant='base' OR ?2='variant' THEN '' ELSE ' variant='||r.variant END AS setting,"
		" CASE ?2 WHEN 'variant' THEN r.variant ELSE coalesce((SELECT value FROM param p WHERE"
		" p.key=r.key AND p.variant=r.variant AND p.name=?2),'') END,"
		" coalesce((SELECT value FROM param p WHERE p.key=r.key AND p.variant=r.variant AND"
		" p.name IN ('seed','run.seed')),''), m.value"
		" FROM run r JOIN metric m ON m.key=r.key AND m.variant=r.variant AND m.name=?1"
		" ORDER BY setting, r.rowid";
	sqlite3_stmt *q;

	if (prepare(s, &q, sql, err))
		return -1;
	text(q, 1, metric);
	text(q, 2, by);
	while (sqlite3_step(q) == SQLITE_ROW)
		each(ctx, (const char *)sqlite3_column_text(q, 0), (const char *)sqlite3_column_text(q, 1),
		     (const char *)sqlite3_column_text(q, 2), sqlite3_column_double(q, 3));
	sqlite3_finalize(q);
	return 0;
}

int store_match(struct store *s, const char *glob, void (*each)(void *, const char *), void *ctx,
		struct sim_error *err)
{
	sqlite3_stmt *q;
	int rows = 0;

	if (prepare(s, &q, "SELECT name FROM metric GROUP BY name ORDER BY min(rowid)", err))
		return -1;
	while (sqlite3_step(q) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(q, 0);
		if (fnmatch(glob, name, 0))
			continue;
		each(ctx, name);
		rows++;
	}
	sqlite3_finalize(q);
	return rows ? 0 : no_metric(s, glob, err);
}

char *store_axis(struct store *s)
{
	static const char sql[] = "SELECT name FROM param WHERE name NOT IN ('seed','run.seed')"
				  " GROUP BY name HAVING count(DISTINCT value) > 1 ORDER BY name LIMIT 1";
	struct sim_error ignored = { 0 };
	sqlite3_stmt *q;
	char *name = NULL;

	if (prepare(s, &q, sql, &ignored))
		return NULL;
	if (sqlite3_step(q) == SQLITE_ROW)
		name = mem_strdup((const char *)sqlite3_column_text(q, 0));
	sqlite3_finalize(q);
	return name;
}

int store_dimension(struct store *s, const char *name, struct sim_error *err)
{
	static const char sql[] = "SELECT 'variant' UNION SELECT name FROM param WHERE name NOT IN ('seed','run.seed')";
	const char *names[64] = { NULL }, *near;
	sqlite3_stmt *q;
	bool known = false;
	int n = 0;

	if (prepare(s, &q, sql, err))
		return -1;
	while (n < 63 && sqlite3_step(q) == SQLITE_ROW) {
		names[n] = mem_strdup((const char *)sqlite3_column_text(q, 0));
		known |= !strcmp(names[n++], name);
	}
	sqlite3_finalize(q);
	near = known ? NULL : error_nearest(name, names);
	if (!known)
		error_set(err, "", "this sweep has no setting \"%s\"; %s \"%s\"%s", name,
			  near ? "did you mean" : "there is", near ? near : names[0], near ? "?" : "");
	for (int i = 0; i < n; i++)
		free((void *)(uintptr_t)names[i]);
	return known ? 0 : -1;
}

int store_variants(struct store *s)
{
	return (int)pragma(s, "SELECT count(DISTINCT variant) FROM run");
}

bool store_value(struct store *s, const char *key, const char *variant, const char *metric, double *value)
{
	text(s->value, 1, key);
	text(s->value, 2, variant);
	text(s->value, 3, metric);
	bool found = sqlite3_step(s->value) == SQLITE_ROW;
	if (found)
		*value = sqlite3_column_double(s->value, 0);
	sqlite3_reset(s->value);
	return found;
}

const char *const *store_metrics(struct store *s)
{
	sqlite3_stmt *q;
	struct sim_error ignored = { 0 };
	int n = 0;

	if (s->metrics)
		return s->metrics;
	s->metrics = mem_zalloc(sizeof *s->metrics);
	if (prepare(s, &q, "SELECT DISTINCT name FROM metric ORDER BY name", &ignored))
		return s->metrics;
	while (sqlite3_step(q) == SQLITE_ROW) {
		s->metrics = mem_grow(s->metrics, (size_t)(n + 2) * sizeof *s->metrics);
		s->metrics[n++] = mem_strdup((const char *)sqlite3_column_text(q, 0));
		s->metrics[n] = NULL;
	}
	sqlite3_finalize(q);
	return s->metrics;
}
