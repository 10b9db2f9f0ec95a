/* cli/fluid_packet.c - see fluid_packet.h. */
#include "cli/fluid_packet.h"

#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/csv.h"
#include "cli/path.h"
#include "sim/mem.h"
#include "sim/nearpath.h"

enum { AT, PORT, PRIO, QUEUE };
static const char *const columns[] = { "at_ps", "port", "prio", "queue_bytes", NULL };

struct place { char *port, *prio; double sum; int64_t n; };
struct search { struct place *place; size_t n; double most; };

/* Called with each row; -1 stops. */
typedef int row_f(void *ctx, const struct csv *t, struct sim_error *err);

static int each_row(const char *dir, const char *file, row_f *f, void *ctx,
		    struct sim_error *err)
{
	struct csv t;
	int more = csv_open(&t, dir, file, columns, err) ? -1 : 1;

	while (more == 1 && (more = csv_next(&t, err)) == 1)
		if (f(ctx, &t, err))
			more = -1;
	csv_close(&t);
	return more;
}

static int add_to_place(void *ctx, const struct csv *t, struct sim_error *err)
{
	struct search *s = ctx;
	struct place *p = NULL;
	int64_t queue;

	if (csv_number(t, QUEUE, 0, &queue, err))
		return -1;
	for (size_t i = 0; i < s->n && !p; i++)
		if (!strcmp(s->place[i].port, t->field[PORT]) &&
		    !strcmp(s->place[i].prio, t->field[PRIO]))
			p = &s->place[i];
	if (!p) {
		s->place = mem_grow(s->place, (s->n + 1) * sizeof *s->place);
		p = &s->place[s->n++];
		*p = (struct place){ .port = mem_strdup(t->field[PORT]),
				     .prio = mem_strdup(t->field[PRIO]) };
	}
	p->sum += (double)queue;
	p->n++;
	return 0;
}

struct taking { struct fluid_packet *to; const struct place *place; size_t cap; };

static int take(void *ctx, const struct csv *t, struct sim_error *err)
{
	struct taking *k = ctx;
	struct fluid_packet *p = k->to;

	if (strcmp(k->place->port, t->field[PORT]) || strcmp(k->place->prio, t->field[PRIO]))
		return 0;
	if (p->n == k->cap) {
		k->cap = k->cap ? 2 * k->cap : 1024;
		p->at_ps = mem_grow(p->at_ps, k->cap * sizeof *p->at_ps);
		p->queue_bytes = mem_grow(p->queue_bytes, k->cap * sizeof *p->queue_bytes);
	}
	if (csv_number(t, AT, 0, &p->at_ps[p->n], err) ||
	    csv_number(t, QUEUE, 0, &p->queue_bytes[p->n], err))
		return -1;
	p->n++;
	return 0;
}

/* Of one file: keeps its longest queue if it is longer than what was found before. */
static int consider(struct fluid_packet *p, const char *dir, const char *file, double *most,
		    struct sim_error *err)
{
	struct search s = { .n = 0 };
	const struct place *best = NULL;
	int rc = each_row(dir, file, add_to_place, &s, err);

	for (size_t i = 0; i < s.n && !rc; i++)
		if (s.place[i].sum / (double)s.place[i].n > *most) {
			*most = s.place[i].sum / (double)s.place[i].n;
			best = &s.place[i];
		}
	if (best) {
		struct taking k = { .to = p, .place = best };
		size_t room = strlen(best->port) + strlen(best->prio) + 16;

		fluid_packet_fini(p);
		p->file = path_join(dir, file);
		p->place = mem_zalloc(room);
		snprintf(p->place, room, "%s priority %s", best->port, best->prio);
		rc = each_row(dir, file, take, &k, err);
	}
	for (size_t i = 0; i < s.n; i++) {
		free(s.place[i].port);
		free(s.place[i].prio);
	}
	free(s.place);
	return rc;
}

static void summarize(struct fluid_packet *p)
{
	double sum = 0, squares = 0;
	size_t n = 0;

	p->until_ps = p->n ? p->at_ps[p->n - 1] : 0;
	p->from_ps = p->until_ps / 2;
	for (size_t i = 0; i < p->n; i++) {
		double q = (double)p->queue_bytes[i];

		if (p->at_ps[i] <= p->from_ps)
			continue;
		p->queue_min = n ? fmin(p->queue_min, q) : q;
		p->queue_max = n ? fmax(p->queue_max, q) : q;
		sum += q;
		squares += q * q;
		n++;
	}
	if (n) {
		double variance = squares / (double)n - sum / (double)n * (sum / (double)n);

		p->queue_mean = sum / (double)n;
		p->queue_sd = variance > 0 ? sqrt(variance) : 0;
	}
}

static int is_csv(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);

	return n > 4 && !strcmp(entry->d_name + n - 4, ".csv");
}

/* A series has the columns that were asked for, and files besides. */
static bool has_queue(const char *dir, const char *file)
{
	char *path = path_join(dir, file), line[512] = "";
	FILE *in = fopen(path, "r");
	bool has = in && fgets(line, sizeof line, in) && strstr(line, ",queue_bytes");

	if (in)
		fclose(in);
	free(path);
	return has;
}

/* DIR/series, or DIR/base/series. */
static char *series_dir(const char *dir)
{
	char *base = path_join(dir, "base"), *own = path_join(dir, "series");
	char *below = path_join(base, "series");
	struct stat st;
	bool variants = stat(own, &st) && !stat(below, &st);

	free(base);
	free(variants ? own : below);
	return variants ? below : own;
}

int fluid_packet_read(struct fluid_packet *p, const char *dir, struct sim_error *err)
{
	char *series = series_dir(dir);
	struct dirent **files = NULL;
	int n = scandir(series, &files, is_csv, alphasort), rc = 0;
	char hint[NEARPATH_MAX];
	double most = -1;

	*p = (struct fluid_packet){ .n = 0 };
	if (access(dir, F_OK))
		rc = error_set(err, "", "there is no folder %s%s", dir,
			       nearpath_hint(dir, hint, sizeof hint));
	else if (n <= 0)
		rc = error_set(err, "",
			       "no series in %s: give the experiment a \"record.series\" "
			       "with what [\"queue\"], and run it with -o",
			       series);
	for (int i = 0; i < n; i++) {
		if (!rc && has_queue(series, files[i]->d_name))
			rc = consider(p, series, files[i]->d_name, &most, err);
		free(files[i]);
	}
	if (!rc && !p->n)
		rc = error_set(err, "", "no queue was sampled in %s: give the record.series \"what\": "
			       "[\"queue\"]", series);
	free(files);
	free(series);
	if (!rc)
		summarize(p);
	else
		fluid_packet_fini(p);
	return rc;
}

void fluid_packet_fini(struct fluid_packet *p)
{
	free(p->file);
	free(p->place);
	free(p->at_ps);
	free(p->queue_bytes);
	*p = (struct fluid_packet){ .n = 0 };
}
