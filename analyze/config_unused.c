/* analyze/config_unused.c - settings without effect, because of others. */
#include <stdlib.h>
#include <string.h>
#include "analyze/config.h"
#include "analyze/sent.h"
#include "sim/mem.h"

/* ------------------------------------------------------------- marks that nobody heeds */

struct senders { const struct fabric *f; int class_; uint32_t first; bool heeds; };

static void look_at(struct senders *s, uint32_t host)
{
	s->first = s->first == ROUTING_NONE ? host : s->first;
	s->heeds |= (view_nic_conf(s->f, host)->cc->needs & (CC_NEED_ECN | CC_NEED_CNP)) != 0;
}

static void look_at_pair(void *ctx, int workload, uint32_t src, uint32_t dst, bool data)
{
	struct senders *s = ctx;

	(void)dst;
	if (data && view_workload_conf(s->f, workload)->class_ == s->class_)
		look_at(s, src);
}

/* Those of the traffic; without traffic, all hosts. */
static struct senders senders_of(const struct routing *r, int class_)
{
	struct senders s = { .f = r->f, .class_ = class_, .first = ROUTING_NONE };

	sent_pairs(r->f, look_at_pair, &s);
	for (uint32_t h = 0; !view_workloads(r->f) && h < view_nodes(r->f); h++)
		if (config_is_host(r, h))
			look_at(&s, h);
	return s;
}

static void marks(const struct routing *r, int class_, struct finding_list *out)
{
	uint32_t first = ROUTING_NONE;
	struct finding *x;
	int64_t n = 0;
	char more[32];

	for (uint32_t s = 0; s < r->nswitches; s++)
		if (view_switch_conf(r->f, r->node[s])->ecn[class_].on && !n++)
			first = s;
	if (!n)
		return;
	struct senders s = senders_of(r, class_);

	if (s.heeds || s.first == ROUTING_NONE)
		return;
	const char *cc = view_nic_conf(r->f, s.first)->cc->name;

	x = finding_add(out, FINDING_NOTE, "ecn");
	finding_object(x, "%s%s, class %s", view_node_name(r->f, r->node[first]),
		       finding_more(n - 1, more, sizeof(more)), view_class(r->f, class_)->name);
	finding_value(x, n, UNITS_COUNT);
	finding_reason(x, "no sender reacts to ECN marks: nic.cc is %s%s, so marks slow nobody down", cc,
		       strcmp(cc, "none") ? "" : " (it is unless set)");
	finding_remedy(x, "\"nic\": {\"cc\": \"dcqcn\"}, say (xoff explain nic.cc)");
}

void config_marks(const struct routing *r, struct finding_list *out)
{
	for (int k = 0; k < view_classes(r->f); k++)
		if (view_class(r->f, k)->lossless)
			marks(r, k, out);
}

/* ---------------------------------------------------------- alpha under a static limit */

static bool differs(const struct units_ratio *a, const struct units_ratio *b)
{
	return (__int128)a->num * b->den != (__int128)b->num * a->den;
}

/* Rows are compared as bytes: of int64_t alone. */
struct alpha_case { int64_t num, den, xoff, port; };

/* An alpha that differs from the default, of a group with a static limit, and of none without. */
static struct alpha_case alpha_case(const struct routing *r, uint32_t sw)
{
	const struct fabric *f = r->f;
	uint32_t first = view_first_port(f, r->node[sw]), end = first + view_port_count(f, r->node[sw]);
	struct mmu_conf usual;
	struct alpha_case c = { .den = 0 };
	bool dynamic = false;

	param_defaults(mmu_params, &usual);
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t p = first; p < end; p++)
			for (unsigned m = view_lossless_of(f, p); m; m &= m - 1) {
				struct view_limits l = view_limits(f, p, __builtin_ctz(m));
				struct units_ratio found = { c.num, c.den };

				if (l.xoff_bytes < 0) {
					dynamic = true;
					if (c.den && !differs(&l.alpha, &found))
						c.den = 0;
				} else if (!pass && !c.den) {
					c.xoff = l.xoff_bytes;
					c.num = l.alpha.num;
					c.den = differs(&l.alpha, &usual.alpha) ? l.alpha.den : 0;
					c.port = l.port_alpha.num > 0;
				}
			}
	c.port = c.port && !dynamic;
	return c;
}

void config_alpha(const struct routing *r, struct finding_list *out)
{
	struct alpha_case *list = mem_zalloc((r->nswitches + 1) * sizeof(*list));
	char more[32], xoff[32];

	for (uint32_t s = 0; s < r->nswitches; s++)
		list[s] = alpha_case(r, s);
	for (uint32_t s = 0; s < r->nswitches; s++) {
		struct alpha_case c = list[s];
		int64_t others = 0;

		if (!c.den && !c.port)
			continue;
		for (uint32_t t = s + 1; t < r->nswitches; t++)
			if (!memcmp(&list[t], &c, sizeof(c))) {
				list[t] = (struct alpha_case){ .den = 0 };
				others++;
			}
		struct finding *x = finding_add(out, FINDING_NOTE, "buffer");

		finding_object(x, "%s%s", view_node_name(r->f, r->node[s]),
			       finding_more(others, more, sizeof(more)));
		finding_value(x, c.xoff, UNITS_BYTES);
		finding_reason(x, "%s not used: xoff is %s, a limit that stands still",
			       c.den && c.port ? "alpha and port_alpha are" : c.den ? "alpha is" : "port_alpha is",
			       units_format(c.xoff, UNITS_BYTES, xoff, sizeof(xoff)));
		finding_remedy(x, "\"xoff\": \"dynamic\" lets it follow %s; or leave %s out",
			       c.den ? "alpha" : "port_alpha", c.den ? "alpha" : "port_alpha");
	}
	free(list);
}
