/* observe/series.c - see series.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "sim/mem.h"
#include "observe/names.h"
#include "observe/outfile.h"
#include "observe/series.h"

enum { PRIOS = 8, ALL = OBSERVE_QUEUE | OBSERVE_GROUP | OBSERVE_RATE | OBSERVE_PAUSE };

/* Whole numbers, so that the sums are exact. */
struct series_sum { int64_t sum, min, max; __int128 squares; };

struct series {
	struct fabric *f;
	struct outfile csv;		/* stream NULL: none */
	const char *name;		/* borrowed */
	unsigned what;
	int64_t every_ps, last_ps, warmup_ps, samples;
	bool in_use[PRIOS];
	uint32_t *ports, nports;
	char **names;			/* of each of them, quoted where it must be */
	int64_t *sent_bytes;		/* at the last sample, of each port and priority */
	struct series_sum (*sums)[SUMMARY_COLUMNS];	/* likewise, after the warm-up */
};

static void write_row(const struct series *s, int64_t at_ps, uint32_t i, int prio,
		      const int64_t *value)
{
	fprintf(s->csv.stream, "%" PRId64 ",%s,%d", at_ps, s->names[i], prio);
	for (int col = 0; col < SUMMARY_COLUMNS; col++)
		if (s->what >> col & 1)
			fprintf(s->csv.stream, ",%" PRId64, value[col]);
	fputc('\n', s->csv.stream);
}

static void add(struct series_sum *sums, const int64_t *value, bool first)
{
	for (int col = 0; col < SUMMARY_COLUMNS; col++) {
		struct series_sum *sum = &sums[col];
		int64_t v = value[col];

		sum->sum += v;
		sum->squares += (__int128)v * v;
		if (first || v < sum->min)
			sum->min = v;
		if (first || v > sum->max)
			sum->max = v;
	}
}

static void sample(void *ctx, int64_t at_ps)
{
	struct series *s = ctx;
	bool counts = at_ps > s->warmup_ps;

	for (uint32_t i = 0; i < s->nports; i++) {
		for (int prio = 0; prio < PRIOS; prio++) {
			if (!s->in_use[prio])
				continue;
			struct view_counters c = view_counters(s->f, s->ports[i], prio);
			int64_t *last = &s->sent_bytes[i * PRIOS + (uint32_t)prio];
			const int64_t value[SUMMARY_COLUMNS] = {
				c.queue_bytes, c.group_bytes,
				(int64_t)((__int128)(c.tx_bytes - *last) * 8 * UNITS_PS_PER_S /
					  (at_ps - s->last_ps)),
				c.paused,
			};
			if (s->csv.stream)
				write_row(s, at_ps, i, prio, value);
			if (counts)
				add(s->sums[i * PRIOS + (uint32_t)prio], value, !s->samples);
			*last = c.tx_bytes;
		}
	}
	s->samples += counts;
	s->last_ps = at_ps;
}

static bool good_name(const char *name)
{
	size_t n = strlen(name);

	return n && n < 200 && name[0] != '.' &&
	       strspn(name,
		      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == n;
}

static void choose_ports(struct series *s, const char *globs)
{
	uint32_t ports = view_ports(s->f);
	char name[NAMES_MAX];

	s->ports = mem_zalloc(ports * sizeof(*s->ports));
	s->names = mem_zalloc(ports * sizeof(*s->names));
	for (uint32_t port = 0; port < ports; port++) {
		if (!names_match(globs, names_port(s->f, port, name, sizeof(name))))
			continue;
		s->names[s->nports] = outfile_quote(name);
		s->ports[s->nports++] = port;
	}
	s->sent_bytes = mem_zalloc(s->nports * PRIOS * sizeof(*s->sent_bytes));
	s->sums = mem_zalloc(s->nports * PRIOS * sizeof(*s->sums));
}

static int open_file(struct series *s, const struct observe_series *conf, const char *dir,
		     struct sim_error *err)
{
	char file[256];

	if (!dir)
		return 0;

	snprintf(file, sizeof(file), "series/%s.csv", conf->name);
	if (outfile_mkdir(dir, "series", err) || outfile_open(&s->csv, dir, file, err))
		return -1;
	fputs("at_ps,port,prio", s->csv.stream);
	for (int i = 0; i < SUMMARY_COLUMNS; i++)
		if (s->what & 1u << i)
			fprintf(s->csv.stream, ",%s", summary_columns[i]);
	fputc('\n', s->csv.stream);
	return 0;
}

/* What is wrong with a request, told at its place in the experiment. */
static int check(const struct series *s, const struct observe_series *conf,
		 struct sim_error *err)
{
	char where[256];

	snprintf(where, sizeof(where), "/record/series/%.200s", conf->name);
	if (!good_name(conf->name))
		return error_set(err, where,
				 "the series \"%.100s\" becomes a file name: letters, "
				 "digits, \"-\", \"_\" and \".\" only",
				 conf->name);
	if (conf->every_ps <= 0)
		return error_set(err, where, "a series needs a period longer than 0");
	snprintf(where, sizeof(where), "/record/series/%.200s/match", conf->name);
	if (!s->nports)
		return error_set(err, where, "\"%.200s\" matches no port (NODE:PORT)",
				 conf->match);
	return 0;
}

struct series *series_new(struct fabric *f, const struct observe_series *conf, const char *dir,
			  struct sim_error *err)
{
	struct series *s = mem_zalloc(sizeof(*s));

	s->f = f;
	s->name = conf->name;
	s->warmup_ps = view_run_conf(f)->warmup_ps;
	s->what = conf->what ? conf->what : ALL;
	s->every_ps = conf->every_ps;
	for (int i = 0; i < view_classes(f); i++)
		s->in_use[view_class(f, i)->priority] = true;
	choose_ports(s, conf->match);
	if (check(s, conf, err) || open_file(s, conf, dir, err)) {
		series_free(&s);
		return NULL;
	}
	fabric_add_sampler(f, s->every_ps, sample, s);
	return s;
}

static struct summary_stat stat_of(const struct series_sum *sum, int64_t n)
{
	__int128 spread = n * sum->squares - (__int128)sum->sum * sum->sum;

	return (struct summary_stat){ .mean = (double)sum->sum / (double)n,
				      .sd = sqrt((double)spread) / (double)n,
				      .min = sum->min, .max = sum->max };
}

int series_finish(struct series *s, struct summary_series *out, struct sim_error *err)
{
	char text[NAMES_MAX];

	*out = (struct summary_series){ .name = mem_strdup(s->name), .what = s->what,
					.samples = s->samples };
	out->places = mem_zalloc(s->nports * PRIOS * sizeof(*out->places));
	for (uint32_t i = 0; s->samples && i < s->nports * PRIOS; i++) {
		int prio = (int)(i % PRIOS);
		struct summary_place *place = &out->places[out->nplaces];

		if (!s->in_use[prio])
			continue;
		place->name = mem_strdup(names_queue(s->f, s->ports[i / PRIOS], prio, text,
						     sizeof(text)));
		for (int col = 0; col < SUMMARY_COLUMNS; col++)
			place->stat[col] = stat_of(&s->sums[i][col], s->samples);
		out->nplaces++;
	}
	return outfile_close(&s->csv, err);
}

void series_free(struct series **sp)
{
	struct series *s = *sp;

	*sp = NULL;
	if (!s)
		return;
	outfile_abandon(&s->csv);
	for (uint32_t i = 0; i < s->nports; i++)
		free(s->names[i]);
	free(s->names);
	free(s->ports);
	free(s->sent_bytes);
	free(s->sums);
	free(s);
}
