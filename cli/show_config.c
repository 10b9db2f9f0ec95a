/*
 * cli/show_config.c - settings as SONiC's commands print them: `mmuconfig -l', `ecnconfig -l', and the maps as CONFIG_DB names them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/show.h"
#include "cli/show_table.h"
#include "sim/mem.h"
#include "sim/units.h"

enum { PRIOS = 8, PS_PER_M = 5000, PROFILES = 256 };

/* Fields of a profile or pool, one a line. */
static void field(struct show_table *t, const char *name, const char *text)
{
	show_table_text(t, name);
	show_table_text(t, text);
}

static void number(struct show_table *t, const char *name, int64_t value)
{
	show_table_text(t, name);
	show_table_number(t, value);
}

static void print_block(const char *head, const char *name, struct show_table **t)
{
	printf("%s: %s\n", head, name);
	show_table_print(*t, stdout);
	putchar('\n');
	show_table_free(t);
}

/* "3,4" */
static const char *list(unsigned mask, char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (int p = 0; p < PRIOS; p++)
		if (mask >> p & 1 && n < size)
			n += (size_t)snprintf(buf + n, size - n, "%s%d", n ? "," : "", p);
	return buf;
}

/* ------------------------------------------------------------------------ watchdog */

static unsigned watched(const struct show *s, uint32_t port)
{
	unsigned mask = 0;

	for (int prio = 0; prio < PRIOS; prio++)
		mask |= (unsigned)view_watched(s->f, port, prio) << prio;
	return mask;
}

/* ------------------------------------------------------------------------- buffers */

struct profile { char name[80]; struct view_limits limits; };
struct profiles { struct profile v[PROFILES]; int n; };

static bool same(const struct view_limits *a, const struct view_limits *b)
{
	return a->lossless == b->lossless && a->reserved_bytes == b->reserved_bytes &&
	       a->headroom_bytes == b->headroom_bytes && a->xoff_bytes == b->xoff_bytes &&
	       a->alpha.num == b->alpha.num && a->alpha.den == b->alpha.den &&
	       a->xon_bytes == b->xon_bytes && a->xon_offset_bytes == b->xon_offset_bytes;
}

/* The name that buffermgr gives, with a number behind it where one name stands for
 * several profiles. */
static const char *profile_name(const struct show *s, struct profiles *all, uint32_t port,
				const struct view_limits *limits)
{
	struct view_port p = view_port(s->f, port);
	char base[64];
	int alike = 0;

	if (limits->lossless)
		snprintf(base, sizeof(base), "pg_lossless_%" PRId64 "_%" PRId64 "m_profile",
			 p.rate_bps / 1000000, p.delay_ps / PS_PER_M);
	else
		snprintf(base, sizeof(base), "ingress_lossy_profile");
	for (int i = 0; i < all->n; i++) {
		if (strncmp(all->v[i].name, base, strlen(base)) != 0)
			continue;
		if (same(&all->v[i].limits, limits))
			return all->v[i].name;
		alike++;
	}
	if (all->n == PROFILES)
		return "...";
	struct profile *x = &all->v[all->n++];
	x->limits = *limits;
	if (alike)
		snprintf(x->name, sizeof(x->name), "%s_%d", base, alike + 1);
	else
		snprintf(x->name, sizeof(x->name), "%s", base);
	return x->name;
}

/* dynamic_th n stands for alpha 2^n; Xoff's alpha may be no such power. */
static void threshold(struct show_table *t, struct units_ratio alpha)
{
	char text[64];

	for (int th = -16; th <= 16; th++)
		if ((th < 0 ? alpha.num << -th : alpha.num) ==
		    (th < 0 ? alpha.den : alpha.den << th)) {
			number(t, "dynamic_th", th);
			return;
		}
	snprintf(text, sizeof(text), "alpha %" PRId64 "/%" PRId64, alpha.num, alpha.den);
	field(t, "dynamic_th", text);
}

static void print_profile(const struct profile *x, const struct switch_conf *c)
{
	struct show_table *t = show_table_new(NULL, 2);
	bool own = x->limits.lossless && !c->buffer.shared_headroom_bytes;

	field(t, "pool", "ingress_lossless_pool");
	number(t, "size", x->limits.reserved_bytes + (own ? x->limits.headroom_bytes : 0));
	if (x->limits.lossless) {
		number(t, "xon", x->limits.xon_bytes);
		number(t, "xon_offset", x->limits.xon_offset_bytes);
		number(t, "xoff", x->limits.headroom_bytes);
	}
	if (!x->limits.lossless)
		threshold(t, c->buffer.lossy_alpha);
	else if (x->limits.xoff_bytes >= 0)
		number(t, "static_th", x->limits.xoff_bytes);
	else
		threshold(t, x->limits.alpha);
	print_block("Profile", x->name, &t);
}

/* Rows port, groups, profile: groups next to each other with one profile are a range. */
static void fill_groups(const struct show *s, uint32_t port, struct profiles *all,
			struct show_table *t)
{
	char name[32], range[16];

	for (int prio = 0; prio < PRIOS; prio++) {
		struct view_limits x = view_limits(s->f, port, prio);
		int last = prio;

		if (!x.in_use)
			continue;
		while (last + 1 < PRIOS) {
			struct view_limits next = view_limits(s->f, port, last + 1);
			if (!next.in_use || !same(&x, &next))
				break;
			last++;
		}
		snprintf(range, sizeof(range), last > prio ? "%d-%d" : "%d", prio, last);
		show_table_text(t, show_port(s, port, name, sizeof(name)));
		show_table_text(t, range);
		show_table_text(t, profile_name(s, all, port, &x));
		prio = last;
	}
}

static void print_pool(const struct show *s, uint32_t node)
{
	const struct switch_conf *c = view_switch_conf(s->f, node);
	struct show_table *t = show_table_new(NULL, 2);

	field(t, "mode", "dynamic");
	number(t, "size", view_pool_bytes(s->f, node));
	field(t, "type", "ingress");
	if (c->buffer.shared_headroom_bytes)
		number(t, "xoff", c->buffer.shared_headroom_bytes);
	print_block("Pool", "ingress_lossless_pool", &t);
}

int show_buffer_profiles(struct show *s, struct sim_error *err)
{
	static const char *const titles[] = { "Port", "PG", "Profile" };

	(void)err;
	for (uint32_t node = 0; node < view_nodes(s->f); node++) {
		if (!show_wanted(s, node))
			continue;
		struct profiles *all = mem_zalloc(sizeof(*all));
		struct show_table *t = show_table_new(titles, 3);
		uint32_t first = view_first_port(s->f, node), n = view_port_count(s->f, node);

		for (uint32_t port = first; port < first + n; port++)
			fill_groups(s, port, all, t);
		show_heading(s, node);
		print_pool(s, node);
		for (int i = 0; i < all->n; i++)
			print_profile(&all->v[i], view_switch_conf(s->f, node));
		show_table_print(t, stdout);
		show_table_free(&t);
		free(all);
	}
	return 0;
}

/* ----------------------------------------------------------------------------- ECN */

/* A probability in per cent, with the digits that it needs. */
static void percent(struct show_table *t, const char *name, struct units_ratio r)
{
	char text[48];

	if (r.num * 100 % r.den == 0)
		snprintf(text, sizeof(text), "%" PRId64, r.num * 100 / r.den);
	else
		snprintf(text, sizeof(text), "%.4g", 100.0 * (double)r.num / (double)r.den);
	field(t, name, text);
}

/* SONiC has no such marks; the names are those of the experiment. */
static void pi_fields(struct show_table *t, const struct ecn_conf *e)
{
	char text[48];

	field(t, "wred_green_enable", "false");
	number(t, "pi_ref", e->pi_ref_bytes);
	field(t, "pi_interval", units_format(e->pi_interval_ps, UNITS_TIME, text, sizeof(text)));
	snprintf(text, sizeof(text), "%.9g", (double)e->pi_a.num / (double)e->pi_a.den);
	field(t, "pi_a", text);
	snprintf(text, sizeof(text), "%.9g", (double)e->pi_b.num / (double)e->pi_b.den);
	field(t, "pi_b", text);
}

int show_ecn_config(struct show *s, struct sim_error *err)
{
	(void)err;
	for (uint32_t node = 0; node < view_nodes(s->f); node++) {
		if (!show_wanted(s, node))
			continue;
		show_heading(s, node);
		for (int c = 0; c < view_classes(s->f); c++) {
			const struct ecn_conf *e = &view_switch_conf(s->f, node)->ecn[c];
			struct show_table *t;

			if (!e->on)
				continue;
			t = show_table_new(NULL, 2);
			number(t, "queue", view_class(s->f, c)->tc);
			field(t, "ecn", "ecn_all");
			if (e->pi_ref_bytes) {
				pi_fields(t, e);
			} else {
				field(t, "wred_green_enable", "true");
				number(t, "green_min_threshold", e->kmin_bytes);
				number(t, "green_max_threshold", e->kmax_bytes);
				percent(t, "green_drop_probability", e->pmax);
			}
			print_block("Profile", view_class(s->f, c)->name, &t);
		}
	}
	return 0;
}

/* ---------------------------------------------------------------------------- maps */

static void print_dscps(const struct show *s, uint32_t node)
{
	struct show_table *t = show_table_new(NULL, 2);
	char key[16];

	for (int dscp = 0; dscp < FABRIC_DSCPS; dscp++) {
		snprintf(key, sizeof(key), "%d", dscp);
		number(t, key, view_queue_of(s->f, node, dscp));
	}
	print_block("Map", "DSCP_TO_TC_MAP", &t);
}

static void print_classes(const struct show *s)
{
	struct show_table *queues = show_table_new(NULL, 2), *groups = show_table_new(NULL, 2),
			  *served = show_table_new(NULL, 2);
	char key[16], text[32];

	for (int tc = 0; tc < FABRIC_TCS; tc++) {
		for (int i = 0; i < view_classes(s->f); i++) {
			const struct class_conf *c = view_class(s->f, i);

			if (c->tc != tc)
				continue;
			snprintf(key, sizeof(key), "%d", tc);
			number(queues, key, tc);
			number(groups, key, c->priority);
			snprintf(text, sizeof(text), c->strict ? "STRICT" : "DWRR %" PRId64,
				 c->weight);
			field(served, key, text);
			break;
		}
	}
	print_block("Map", "TC_TO_QUEUE_MAP", &queues);
	print_block("Map", "TC_TO_PRIORITY_GROUP_MAP", &groups);
	print_block("Queue", "SCHEDULER", &served);
}

int show_qos_maps(struct show *s, struct sim_error *err)
{
	static const char *const titles[] = { "PORT", "pfc_enable", "pfcwd_sw_enable" };
	char text[32];

	(void)err;
	for (uint32_t node = 0; node < view_nodes(s->f); node++) {
		if (!show_wanted(s, node))
			continue;
		struct show_table *t = show_table_new(titles, 3);
		uint32_t first = view_first_port(s->f, node), n = view_port_count(s->f, node);

		for (uint32_t port = first; port < first + n; port++) {
			show_table_text(t, show_port(s, port, text, sizeof(text)));
			show_table_text(t, list(view_lossless_of(s->f, port), text,
						sizeof(text)));
			show_table_text(t, list(watched(s, port), text, sizeof(text)));
		}
		show_heading(s, node);
		print_dscps(s, node);
		print_classes(s);
		show_table_print(t, stdout);
		show_table_free(&t);
	}
	return 0;
}
