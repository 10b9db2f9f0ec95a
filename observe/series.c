/* observe/series.c - see series.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "sim/mem.h"
#include "observe/names.h"
#include "observe/outfile.h"
#include "observe/series.h"

enum { PRIOS = 8 };

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

static uint32_t *choose(const struct fabric *f, const char *globs, uint32_t *n)
{
	uint32_t all = view_ports(f), *ports = mem_zalloc(all * sizeof(*ports));
	char name[NAMES_MAX];

	*n = 0;
	for (uint32_t port = 0; port < all; port++)
		if (names_match(globs, names_port(f, port, name, sizeof(name))))
			ports[(*n)++] = port;
	return ports;
}

uint32_t *series_ports(const struct fabric *f, const struct observe_series *conf, uint32_t *n,
		       struct sim_error *err)
{
	char where[256];
	uint32_t *ports = choose(f, conf->match, n);

	snprintf(where, sizeof(where), "/record/series/%.200s", conf->name);
	if (!good_name(conf->name))
		error_set(err, where,
			  "the series \"%.100s\" becomes a file name: letters, "
			  "digits, \"-\", \"_\" and \".\" only",
			  conf->name);
	else if (conf->every_ps <= 0)
		error_set(err, where, "a series needs a period longer than 0");
	else if (!*n) {
		snprintf(where, sizeof(where), "/record/series/%.200s/match", conf->name);
		error_set(err, where, "\"%.200s\" matches no port (NODE:PORT)", conf->match);
	} else
		return ports;
	free(ports);
	return NULL;
}

static void prepare_ports(struct series *s)
{
	char name[NAMES_MAX];

	s->names = mem_zalloc(s->nports * sizeof(*s->names));
	for (uint32_t i = 0; i < s->nports; i++)
		s->names[i] = outfile_quote(names_port(s->f, s->ports[i], name, sizeof(name)));
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

struct series *series_new(struct fabric *f, const struct observe_series *conf, const char *dir,
			  struct sim_error *err)
{
	struct series *s = mem_zalloc(sizeof(*s));

	s->f = f;
	s->name = conf->name;
	s->warmup_ps = view_run_conf(f)->warmup_ps;
	s->what = conf->what ? conf->what & OBSERVE_COLUMNS : OBSERVE_COLUMNS;
	s->every_ps = conf->every_ps;
	for (int i = 0; i < view_classes(f); i++)
		s->in_use[view_class(f, i)->priority] = true;
	s->ports = series_ports(f, conf, &s->nports, err);
	if (s->ports)
		prepare_ports(s);
	if (!s->ports || open_file(s, conf, dir, err)) {
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
	for (uint32_t i = 0; i < s->nports * PRIOS; i++) {
		int prio = (int)(i % PRIOS);
		struct summary_place *place = &out->places[out->nplaces];

		if (!s->in_use[prio])
			continue;
		place->name = mem_strdup(names_queue(s->f, s->ports[i / PRIOS], prio, text,
						     sizeof(text)));
		for (int col = 0; s->samples && col < SUMMARY_COLUMNS; col++)
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
	for (uint32_t i = 0; s->names && i < s->nports; i++)
		free(s->names[i]);
	free(s->names);
	free(s->ports);
	free(s->sent_bytes);
	free(s->sums);
	free(s);
}
