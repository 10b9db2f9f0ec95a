/*
 * interop/ns3.c - finds the files, reads them, and writes the experiment.
 */
#include "interop/ns3_inside.h"

#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scenario/pattern.h"
#include "scenario/source.h"
#include "scenario/writer.h"
#include "sim/mem.h"

void ns3_note(struct ns3 *n, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	n->note = mem_grow(n->note, (size_t)(n->nnotes + 1) * sizeof *n->note);
	n->note[n->nnotes] = mem_vprintf(fmt, ap);
	va_end(ap);
	for (char *c = n->note[n->nnotes++]; *c; c++) {	/* keys are whatever stood in a file */
		if ((unsigned char)*c < ' ' || (unsigned char)*c >= 0x7f)
			*c = '?';
	}
}

void ns3_free(struct ns3 **np)
{
	struct ns3 *n = *np;

	if (!n)
		return;
	for (int i = 0; i < n->nkeys; i++) {
		free(n->key[i].key);
		for (int j = 0; j < n->key[i].n; j++)
			free(n->key[i].value[j]);
	}
	for (int i = 0; i < n->nnotes; i++)
		free(n->note[i]);
	free(n->note);
	free(n->key);
	free(n->is_switch);
	free(n->ports);
	free(n->link);
	free(n->name);
	free(n->config);
	free(n->topology);
	free(n->flows);
	free(n->list);
	free(n);
	*np = NULL;
}

/* ------------------------------------------------------------------- reading */

static int read_one(struct ns3 *n, const char *path, const struct read_ctx *ctx, enum ns3_file wanted)
{
	struct rows r;
	char **slot;
	int rc = rows_open_path(&r, ctx, path);
	enum ns3_file kind = NS3_UNKNOWN;

	if (rc == 0 && rows_next(&r, false))
		kind = ns3_file_of(&r);
	if (rc == 0 && (kind == NS3_UNKNOWN || (wanted != NS3_UNKNOWN && kind != wanted)))
		rc = rows_fail_row(&r, "this is no %s", wanted == NS3_TOPOLOGY ? "topology file (\"nodes switches links\" first)"
				   : wanted == NS3_FLOWS ? "flow file (the number of flows first)"
				   : "file of an ns-3 RDMA simulator: a config (KEY VALUE), a topology (\"nodes switches "
				     "links\" first) or a flow file (the number of flows first)");
	if (rc == 0) {
		slot = kind == NS3_CONFIG ? &n->config : kind == NS3_TOPOLOGY ? &n->topology : &n->flows;
		if (*slot) {
			rc = rows_fail_row(&r, "there is one of this kind already: %s", *slot);
		} else {
			*slot = mem_strdup(path);
			rc = kind == NS3_CONFIG ? ns3_read_config(n, &r)
				: kind == NS3_TOPOLOGY ? ns3_read_topology(n, &r) : ns3_read_flows(n, &r);
		}
	}
	rows_close(&r);
	return rc;
}

static bool folder_is_there(const char *path)
{
	char *copy = mem_strdup(path);
	bool there = access(dirname(copy), F_OK) == 0;

	free(copy);
	return there;
}

/* A file that the config names: as it says (its simulator runs one folder up), or beside it.
 * One that is nowhere is missed where it would be by the config, if there is such a folder. */
static int read_named(struct ns3 *n, const char *key, const struct read_ctx *ctx, enum ns3_file kind)
{
	const char *name = ns3_value(n, key), *last;
	char *beside, *near;
	int rc;

	if (!name)
		return 0;
	last = strrchr(name, '/');
	beside = source_beside(n->config, name);
	near = source_beside(n->config, last ? last + 1 : name);
	if (access(name, R_OK) == 0 || (access(beside, R_OK) && access(near, R_OK) && folder_is_there(name)))
		rc = read_one(n, name, ctx, kind);
	else
		rc = read_one(n, access(beside, R_OK) == 0 ? beside : near, ctx, kind);
	free(beside);
	free(near);
	return rc;
}

/* The flow file as the experiment, which stands at `out`, names it. */
static char *list_path(const char *flows, const char *out)
{
	char *real = realpath(flows, NULL), *copy = mem_strdup(out ? out : "./x");
	char *folder = realpath(dirname(copy), NULL), *path;
	size_t n = folder ? strlen(folder) : 0;

	if (real && folder && strncmp(real, folder, n) == 0 && real[n] == '/')
		path = mem_strdup(real + n + 1);
	else
		path = mem_strdup(real ? real : flows);
	free(real);
	free(folder);
	free(copy);
	return path;
}

static char *name_of(const char *given, const char *file)
{
	char *copy = mem_strdup(file), *name = mem_strdup(given ? given : basename(copy)), *dot = strrchr(name, '.');

	if (!given && dot && dot > name)
		*dot = 0;
	for (char *p = name; *p; p++) {
		char one[2] = {*p, 0};

		if (pattern_name_check(one, NULL))
			*p = '-';
	}
	free(copy);
	return name;
}

static int missing(struct ns3 *n, struct diag *diag)
{
	if (!n->topology)
		return diag_add(diag, DIAG_ERROR, NULL, "no file is a topology, and no config names one");
	if (!n->flows)
		return diag_add(diag, DIAG_ERROR, NULL, "no file is a flow file, and no config names one");
	if (n->nflows == 0)
		return diag_add(diag, DIAG_ERROR, &(struct diag_place){.file = n->flows}, "this lists no flow");
	return 0;
}

static bool linked(const struct ns3 *n, int a, int b)
{
	for (int i = 0; i < n->nlinks; i++) {
		const struct ns3_link *l = &n->link[i];

		if ((l->a == a && l->b == b) || (l->a == b && l->b == a))
			return true;
	}
	return false;
}

/* "LINK_DOWN us a b"; 0 0 0: none. */
static bool goes_down(const struct ns3_key *k)
{
	return strcmp(k->key, "LINK_DOWN") == 0 && (ns3_small(k->value[1]) || ns3_small(k->value[2]));
}

static int check_down(const struct ns3 *n, struct diag *diag)
{
	for (int i = 0; i < n->nkeys; i++) {
		const struct ns3_key *k = &n->key[i];

		if (goes_down(k) && !linked(n, ns3_small(k->value[1]), ns3_small(k->value[2])))
			return diag_add(diag, DIAG_ERROR, &(struct diag_place){.file = n->config},
					"LINK_DOWN: there is no link between %s and %s", k->value[1], k->value[2]);
	}
	return 0;
}

/* What no experiment can have: it would only be refused when it is run. */
static int check_values(const struct ns3 *n, struct diag *diag)
{
	const struct diag_place at = {.file = n->config};
	double payload = ns3_number(n, "PACKET_PAYLOAD_SIZE", 1000);
	int rc = 0;

	if (payload < 256 || payload > 9000)
		rc |= diag_add(diag, DIAG_ERROR, &at, "PACKET_PAYLOAD_SIZE %s: Xoff takes 256 to 9000 bytes",
			       ns3_value(n, "PACKET_PAYLOAD_SIZE"));
	for (int i = 0; i < n->nkeys; i++) {
		const struct ns3_key *k = &n->key[i];
		for (int j = 1; j + 1 < k->n; j += 2) {
			double value = strtod(k->value[j + 1], NULL), bps = strtod(k->value[j], NULL);
			if (!strcmp(k->key, "PMAX_MAP") && (value < 0 || value > 1))
				rc |= diag_add(diag, DIAG_ERROR, &at, "PMAX_MAP: %s is no probability", k->value[j + 1]);
			const char *kmax = strcmp(k->key, "KMIN_MAP") ? NULL : ns3_map(n, "KMAX_MAP", (int64_t)bps);
			if (kmax && value > strtod(kmax, NULL))
				rc |= diag_add(diag, DIAG_ERROR, &at, "KMIN_MAP has %s KB for %s bps, and KMAX_MAP less: %s",
					       k->value[j + 1], k->value[j], kmax);
		}
	}
	return rc;
}

static int by_ends(const void *a, const void *b)
{
	const struct ns3_link *x = a, *y = b;
	int xl = x->a < x->b ? x->a : x->b, yl = y->a < y->b ? y->a : y->b;
	int xh = x->a + x->b - xl, yh = y->a + y->b - yl;

	return xl != yl ? (xl < yl ? -1 : 1) : xh < yh ? -1 : xh > yh;
}

static void link_notes(struct ns3 *n)
{
	struct ns3_link *sorted = mem_zalloc((size_t)n->nlinks * sizeof *sorted + 1);
	int parallel = 0;

	memcpy(sorted, n->link, (size_t)n->nlinks * sizeof *sorted);
	qsort(sorted, (size_t)n->nlinks, sizeof *sorted, by_ends);
	for (int i = 1; i < n->nlinks; i++)
		parallel += by_ends(&sorted[i - 1], &sorted[i]) == 0;
	if (parallel)
		ns3_note(n, "approximated: %d link%s beside another of the same nodes: here all carry frames, there only the "
			 "last", parallel, parallel == 1 ? "" : "s");
	free(sorted);
}

struct ns3 *ns3_import(const struct ns3_options *opt, struct diag *diag)
{
	struct ns3 *n = mem_zalloc(sizeof *n);
	struct read_ctx ctx = {.diag = diag};
	int rc = 0;

	n->name = name_of(opt->name, opt->files[0]);
	for (int i = 0; i < opt->nfiles; i++)
		rc |= read_one(n, opt->files[i], &ctx, NS3_UNKNOWN);
	if (rc == 0 && !n->topology)
		rc |= read_named(n, "TOPOLOGY_FILE", &ctx, NS3_TOPOLOGY);
	if (rc == 0 && !n->flows)
		rc |= read_named(n, ns3_value(n, "FLOW_FILE") ? "FLOW_FILE" : "FLOW_INPUT_FILE", &ctx, NS3_FLOWS);
	if (rc || missing(n, diag) || check_down(n, diag) || check_values(n, diag)) {
		ns3_free(&n);
		return NULL;
	}
	n->origin_ps = n->first_ps >= 2 * UNITS_PS_PER_S ? 2 * UNITS_PS_PER_S : 0;
	n->list = list_path(n->flows, opt->out);
	ns3_fabric_notes(n);
	ns3_nic_notes(n);
	link_notes(n);
	if (n->other_groups)
		ns3_note(n, "approximated: %lld flow%s of another priority group than 3: here all are of class rdma, priority 3",
			 (long long)n->other_groups, n->other_groups == 1 ? "" : "s");
	if (n->origin_ps)
		ns3_note(n, "computed: 0 here is 2 s there (origin)");
	if (!ns3_value(n, "SIMULATOR_STOP_TIME"))
		ns3_note(n, "assumed: the run ends 10 ms after the last flow begins");
	else if (ns3_number(n, "SIMULATOR_STOP_TIME", 0) * 1e12 <= (double)n->last_ps)
		ns3_note(n, "kept: SIMULATOR_STOP_TIME, %s s, ends the run before the last flow begins, at %.9g s",
			 ns3_value(n, "SIMULATOR_STOP_TIME"), (double)n->last_ps * 1e-12);
	ns3_account(n);
	return n;
}

struct ns3_totals ns3_totals(const struct ns3 *n)
{
	return (struct ns3_totals){n->switches, n->nodes - n->switches, n->nlinks, n->nflows};
}

void ns3_notes(const struct ns3 *n, const char *prefix, FILE *out)
{
	for (int i = 0; i < n->nnotes; i++)
		fprintf(out, "%s%s\n", prefix, n->note[i]);
}

/* ------------------------------------------------------------------- writing */

static void topology(struct writer *w, const struct ns3 *n)
{
	char text[40];

	writer_open(w, "topology", '{', false);
	writer_open(w, "nodes", '{', false);
	for (int i = 0; i < n->nodes; i++) {
		if (!n->ports[i])
			continue;
		snprintf(text, sizeof text, "%d", i);
		writer_text(w, text, n->is_switch[i] ? "switch" : "host");
	}
	writer_close(w, '}');
	writer_open(w, "links", '[', false);
	for (int i = 0; i < n->nlinks; i++) {
		const struct ns3_link *l = &n->link[i];

		writer_open(w, NULL, '{', true);
		snprintf(text, sizeof text, "%d:%d", l->a, l->a_port);
		writer_text(w, "a", text);
		snprintf(text, sizeof text, "%d:%d", l->b, l->b_port);
		writer_text(w, "b", text);
		writer_text(w, "rate", units_exact(l->rate_bps, UNITS_RATE, text, sizeof text));
		writer_text(w, "delay", units_exact(l->delay_ps > 0 ? l->delay_ps : 1, UNITS_TIME, text, sizeof text));
		writer_close(w, '}');
	}
	writer_close(w, ']');
	writer_close(w, '}');
}

static void fault_open(struct writer *w, const char *name, const char *kind, int a, int b)
{
	char text[24];

	writer_open(w, name, '{', false);
	writer_open(w, kind, '{', true);
	snprintf(text, sizeof text, "%d", a);
	writer_text(w, "a", text);
	snprintf(text, sizeof text, "%d", b);
	writer_text(w, "b", text);
}

/* A packet is lost with p: of its 8 (payload + 48) bits each is wrong with p / bits, nearly. */
static void faults(struct writer *w, const struct ns3 *n)
{
	double bits = 8 * (ns3_number(n, "PACKET_PAYLOAD_SIZE", 1000) + 48), all = ns3_number(n, "ERROR_RATE_PER_LINK", 0);
	char name[40], text[40];

	writer_open(w, "faults", '{', false);
	for (int i = 0; i < n->nlinks; i++) {
		double p = n->link[i].error > 0 ? n->link[i].error : all;

		if (!(p > 0))
			continue;
		snprintf(name, sizeof name, "errors%d", i);
		fault_open(w, name, "bit_errors", n->link[i].a, n->link[i].b);
		snprintf(text, sizeof text, "%.3e", p / bits);
		writer_text(w, "ber", text);
		writer_close(w, '}');
		writer_close(w, '}');
	}
	for (int i = 0; i < n->nkeys; i++) {
		const struct ns3_key *k = &n->key[i];

		if (!goes_down(k))
			continue;
		snprintf(name, sizeof name, "down%d", i);
		fault_open(w, name, "link_down", ns3_small(k->value[1]), ns3_small(k->value[2]));
		/* at 2 s and so many microseconds */
		double us = strtod(k->value[0], NULL);
		int64_t at = 2 * UNITS_PS_PER_S + (int64_t)((us < 1e11 ? us : 1e11) * 1e6) - n->origin_ps;
		writer_text(w, "at", units_exact(at, UNITS_TIME, text, sizeof text));
		writer_close(w, '}');
		writer_close(w, '}');
	}
	writer_close(w, '}');
}

static void run(struct writer *w, const struct ns3 *n)
{
	double stop_s = ns3_number(n, "SIMULATOR_STOP_TIME", 0);
	int64_t until = n->last_ps + UNITS_PS_PER_S / 100;
	char text[40];

	if (stop_s > 0 && stop_s < 1e6)
		until = (int64_t)(stop_s * 1e9 + 0.5) * 1000;
	until -= n->origin_ps;
	writer_open(w, "run", '{', true);
	writer_text(w, "until", units_exact(until > 0 ? until : 1000, UNITS_TIME, text, sizeof text));
	writer_close(w, '}');
}

int ns3_write(const struct ns3 *n, FILE *out)
{
	struct writer w = {.out = out};
	char text[40];

	fputs("// Made by `xoff import ns3'.  What is not as it was there:\n//\n", out);
	ns3_notes(n, "//   ", out);
	writer_open(&w, NULL, '{', false);
	writer_text(&w, "schema", "xoff.experiment/1");
	writer_text(&w, "name", n->name);
	writer_text(&w, "about", "A topology and flows of an ns-3 RDMA simulator.");
	writer_open(&w, "classes", '{', false);
	writer_open(&w, "rdma", '{', true);
	writer_raw(&w, "dscp", "3");
	writer_raw(&w, "tc", "3");
	writer_raw(&w, "priority", "3");
	writer_raw(&w, "lossless", "true");
	writer_close(&w, '}');
	writer_open(&w, "control", '{', true);
	writer_raw(&w, "dscp", "48");
	writer_raw(&w, "tc", "7");
	writer_raw(&w, "priority", "7");
	writer_raw(&w, "strict", "true");
	writer_close(&w, '}');
	writer_close(&w, '}');
	ns3_switches(&w, n);
	ns3_nic(&w, n);
	writer_open(&w, "traffic", '{', false);
	writer_open(&w, "flows", '{', true);
	writer_open(&w, "list", '{', true);
	writer_text(&w, "file", n->list);
	writer_text(&w, "origin", units_exact(n->origin_ps, UNITS_TIME, text, sizeof text));
	writer_close(&w, '}');
	writer_text(&w, "class", "rdma");
	writer_close(&w, '}');
	writer_close(&w, '}');
	faults(&w, n);
	run(&w, n);
	topology(&w, n);
	writer_close(&w, '}');
	return ferror(out) ? -1 : 0;
}
