/*
 * interop/sonic_profile.c - `ports` of a switch: sets of ports with the same
 * profiles, PFC and watchdog, each written once.
 */
#include "interop/sonic_inside.h"

#include <stdlib.h>
#include <string.h>

#include "scenario/writer.h"
#include "sim/mem.h"

enum { TH_MOST = 7 };

struct profile {		/* of some priorities of one port */
	uint8_t prios;
	bool lossless;
	int64_t reserved, headroom, xon, xon_offset, fixed;
	int64_t th;
};
struct look {			/* all that `ports` says of a port */
	uint8_t pfc;
	bool watchdog;
	int n;
	struct profile v[SONIC_PRIOS];
};

static bool same_profile(const struct profile *a, const struct profile *b)
{
	return a->lossless == b->lossless && a->reserved == b->reserved &&
	       a->headroom == b->headroom && a->xon == b->xon &&
	       a->xon_offset == b->xon_offset && a->fixed == b->fixed && a->th == b->th;
}

static bool same_look(const struct look *a, const struct look *b)
{
	if (a->pfc != b->pfc || a->watchdog != b->watchdog || a->n != b->n)
		return false;
	for (int i = 0; i < a->n; i++) {
		if (a->v[i].prios != b->v[i].prios || !same_profile(&a->v[i], &b->v[i]))
			return false;
	}
	return true;
}

static struct look look_of(const struct sonic_device *d, const struct sonic_port *p,
			   uint8_t used)
{
	struct look l = {.pfc = p->lossless & used, .watchdog = p->watchdog.on};

	for (int g = 0; g < SONIC_PRIOS; g++) {
		const struct sonic_group *group = &p->group[g];
		bool lossless = p->lossless >> g & 1;
		struct profile x = {.prios = (uint8_t)(1u << g), .lossless = lossless,
				    .reserved = group->reserved};
		int i = 0;

		if (!(used >> g & 1) || (!lossless && !group->reserved))
			continue;
		if (lossless) {
			x.headroom = group->headroom;
			x.xon = group->xon;
			x.xon_offset = group->xon_offset;
			x.fixed = group->fixed == 0 ? d->shared_bytes : group->fixed;
			x.th = group->th;
		}
		while (i < l.n && !same_profile(&l.v[i], &x))
			i++;
		if (i == l.n)
			l.v[l.n++] = x;
		else
			l.v[i].prios |= x.prios;
	}
	return l;
}

/* ------------------------------------------------------------------------ writing */

static void bytes(struct writer *w, const char *key, int64_t value)
{
	char buf[40];

	snprintf(buf, sizeof buf, "%lldB", (long long)value);
	writer_text(w, key, buf);
}

static void priorities(struct writer *w, const char *key, unsigned bits)
{
	char buf[40] = "[";
	size_t n = 1;

	for (int p = 0; p < SONIC_PRIOS; p++) {
		if (bits >> p & 1)
			n += (size_t)snprintf(buf + n, sizeof buf - n, "%s%d",
					      n > 1 ? ", " : "", p);
	}
	snprintf(buf + n, sizeof buf - n, "]");
	writer_raw(w, key, buf);
}

static void write_profile(struct writer *w, const struct profile *x)
{
	int th = (int)(x->th > TH_MOST ? TH_MOST : x->th);
	char alpha[16];

	priorities(w, "priorities", x->prios);
	bytes(w, "reserved", x->reserved);
	if (!x->lossless)
		return;
	snprintf(alpha, sizeof alpha, th < 0 ? "1/%d" : "%d", 1 << (th < 0 ? -th : th));
	if (x->fixed >= 0)
		bytes(w, "xoff", x->fixed);
	else
		writer_text(w, "alpha", alpha);
	bytes(w, "headroom", x->headroom);
	bytes(w, "xon", x->xon);
	bytes(w, "xon_offset", x->xon_offset);
}

/* "0-28,40" of the ports of one set; ranges run over the ports that have a link, so
 * that they hold no other.  The n-th entry of a set has n zeros before its key: no
 * two keys may be the same. */
static char *key_of(const struct sonic_device *d, const int *set, int this, int zeros)
{
	char *key = NULL;
	size_t size = 0;
	FILE *out = mem_stream(&key, &size);
	int first = -1, last = -1;
	bool some = false;

	for (int i = 0; i <= d->nports; i++) {
		bool in = i < d->nports && d->ports[i].link >= 0 && set[i] == this;

		if (i < d->nports && d->ports[i].link < 0)
			continue;
		if (in) {
			first = first < 0 ? d->ports[i].number : first;
			last = d->ports[i].number;
			continue;
		}
		if (first < 0)
			continue;
		if (some)
			fputc(',', out);
		else
			fprintf(out, "%.*s", zeros, "00000000");
		some = true;
		fprintf(out, first == last ? "%d" : "%d-%d", first, last);
		first = -1;
	}
	mem_stream_close(out);
	return key;
}

static void write_set(struct writer *w, const struct sonic_device *d, const int *set, int this,
		      const struct look *l)
{
	for (int i = 0; i < l->n || i == 0; i++) {
		char *key = key_of(d, set, this, i);

		writer_open(w, key, '{', true);
		if (i == 0) {
			priorities(w, "pfc", l->pfc);
			writer_raw(w, "watchdog", l->watchdog ? "true" : "false");
		}
		if (i < l->n)
			write_profile(w, &l->v[i]);
		writer_close(w, '}');
		free(key);
	}
}

static void tell_large(const struct sonic_device *d, const struct sonic_port *p, uint8_t pfc)
{
	for (int g = 0; g < SONIC_PRIOS; g++) {
		if (pfc >> g & 1 && p->group[g].fixed < 0 && p->group[g].th > TH_MOST)
			sonic_note_prio(d, SONIC_NOTE_APPROXIMATED, p->number, g,
					"dynamic_th %d: Xoff's largest alpha is 128 (7)",
					p->group[g].th);
	}
}

void sonic_switch_ports(struct writer *w, const struct sonic_device *d, uint8_t used)
{
	struct look *looks = mem_zalloc((size_t)d->nports * sizeof *looks + 1);
	int *set = mem_zalloc((size_t)d->nports * sizeof *set + 1), n = 0;

	for (int i = 0; i < d->nports; i++) {
		struct look l = look_of(d, &d->ports[i], used);

		set[i] = 0;
		while (set[i] < n && !same_look(&looks[set[i]], &l))
			set[i]++;
		if (d->ports[i].link < 0)
			set[i] = -1;
		else if (set[i] == n)
			looks[n++] = l;
		if (set[i] >= 0)
			tell_large(d, &d->ports[i], l.pfc);
	}
	writer_open(w, "ports", '{', false);
	for (int k = 0; k < n; k++)
		write_set(w, d, set, k, &looks[k]);
	writer_close(w, '}');
	free(looks);
	free(set);
}
