/* observe/series.c - see series.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "sim/mem.h"
#include "observe/names.h"
#include "observe/outfile.h"
#include "observe/series.h"

enum { PRIOS = 8, ALL = OBSERVE_QUEUE | OBSERVE_GROUP | OBSERVE_RATE | OBSERVE_PAUSE };

struct series {
	struct fabric *f;
	struct outfile csv;
	unsigned what;
	int64_t every_ps, last_ps;
	bool in_use[PRIOS];
	uint32_t *ports, nports;
	char **names;			/* of each of them, quoted where it must be */
	int64_t *sent_bytes;		/* at the last sample, of each port and priority */
};

static void sample(void *ctx, int64_t at_ps)
{
	struct series *s = ctx;

	for (uint32_t i = 0; i < s->nports; i++) {
		for (int prio = 0; prio < PRIOS; prio++) {
			if (!s->in_use[prio])
				continue;
			struct view_counters c = view_counters(s->f, s->ports[i], prio);
			int64_t *last = &s->sent_bytes[i * PRIOS + (uint32_t)prio];
			fprintf(s->csv.stream, "%" PRId64 ",%s,%d", at_ps, s->names[i], prio);
			if (s->what & OBSERVE_QUEUE)
				fprintf(s->csv.stream, ",%" PRId64, c.queue_bytes);
			if (s->what & OBSERVE_GROUP)
				fprintf(s->csv.stream, ",%" PRId64, c.group_bytes);
			if (s->what & OBSERVE_RATE)
				fprintf(s->csv.stream, ",%" PRId64, (int64_t)
					((__int128)(c.tx_bytes - *last) * 8 * UNITS_PS_PER_S /
					 (at_ps - s->last_ps)));
			if (s->what & OBSERVE_PAUSE)
				fprintf(s->csv.stream, ",%d", c.paused);
			fputc('\n', s->csv.stream);
			*last = c.tx_bytes;
		}
	}
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
}

static int open_file(struct series *s, const struct observe_series *conf, const char *dir,
		     struct sim_error *err)
{
	static const char *const columns[] = {"queue_bytes", "group_bytes", "tx_bps", "paused"};
	char file[256];

	snprintf(file, sizeof(file), "series/%s.csv", conf->name);
	if (outfile_mkdir(dir, "series", err) || outfile_open(&s->csv, dir, file, err))
		return -1;
	fputs("at_ps,port,prio", s->csv.stream);
	for (int i = 0; i < 4; i++)
		if (s->what & 1u << i)
			fprintf(s->csv.stream, ",%s", columns[i]);
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

int series_finish(struct series *s, struct sim_error *err)
{
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
	free(s);
}
