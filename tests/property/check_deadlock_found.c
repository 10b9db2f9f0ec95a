/*
 * Small random fabrics with random routes and greedy streams: whenever a run
 * deadlocks, the buffer-dependency graph had a circle.  Never the reverse: a
 * circle is needed, and not enough.
 *
 * Half of the fabrics have their traffic's circle only by ways set by hand, the
 * other half have shortest paths on a ring with chords.  Every fourth changes
 * priorities on the way; with XOFF_CHECK=long there are ten times as many.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/bdg.h"
#include "observe/observe.h"
#include "sim/rng.h"
#include "tests/support/bed.h"

enum { FABRICS = 300, SWITCHES = 7, HOSTS = 2 };

struct draw {
	struct rng rng;
	struct bed bed;
	int switches, ports[SWITCHES];
	bool linked[SWITCHES][SWITCHES];
};

static int below(struct draw *d, int n) { return (int)rng_below(&d->rng, (uint64_t)n); }

static const char *name(const char *what, int i, char buf[16])
{
	snprintf(buf, 16, "%s%d", what, i);
	return buf;
}

static void join(struct draw *d, int i, int j)
{
	char a[16], b[16];

	if (i == j || d->linked[i][j])
		return;
	d->linked[i][j] = d->linked[j][i] = true;
	bed_link(&d->bed, name("s", i, a), d->ports[i]++, name("s", j, b), d->ports[j]++,
		 40 * BED_G, 100 * BED_NS);
}

static void make_switches(struct draw *d)
{
	char s[16];
	bool remap = below(d, 4) == 0;

	for (int i = 0; i < d->switches; i++) {
		int64_t mine = d->bed.sw.dscp_to_tc[26];

		if (remap && below(d, 2))
			d->bed.sw.dscp_to_tc[26] = 4;
		d->bed.sw.flood_per_copy = below(d, 2);
		bed_switch(&d->bed, name("s", i, s));
		d->bed.sw.dscp_to_tc[26] = mine;
	}
	for (int i = 0; i < d->switches; i++)
		join(d, i, (i + 1) % d->switches);
	for (int k = below(d, 3); k > 0; k--)
		join(d, below(d, d->switches), below(d, d->switches));
}

static void make_hosts(struct draw *d)
{
	char s[16], h[16];

	for (int i = 0; i < d->switches; i++)
		for (int k = 0; k < HOSTS; k++)
			bed_leaf(&d->bed, name("h", i * HOSTS + k, h), name("s", i, s),
				 d->ports[i]++, 40 * BED_G, 100 * BED_NS);
}

/* Some ways are turned towards a random neighbour; a few are flooded. */
static void make_routes(struct draw *d)
{
	char at[16], to[16], via[16], *vias[1] = { via }, route[48];
	struct sim_error err = { 0 };

	for (int i = 0; i < d->switches; i++)
		for (int h = 0; h < d->switches * HOSTS; h++) {
			int next = below(d, d->switches);

			if (h / HOSTS == i || !d->linked[i][next] || below(d, 3))
				continue;
			name("s", i, at);
			name("h", h, to);
			name("s", next, via);
			snprintf(route, sizeof(route), "r%d-%d", i, h);
			ck_assert(!fabric_add_route(
				d->bed.f,
				&(struct route_conf){ .name = route,
						      .at = at,
						      .to = to,
						      .via = vias,
						      .vias = 1,
						      .flood = below(d, 20) == 0 },
				&err));
		}
}

static void make_streams(struct draw *d)
{
	int hosts = d->switches * HOSTS;
	char stream[16], from[16], to[16];

	d->bed.class_ = BED_RDMA;
	for (int k = 0; k < hosts; k++) {
		int dst = below(d, hosts);

		if (dst == k)
			continue;
		bed_stream(&d->bed, name("t", k, stream), name("h", k, from),
			   name("h", dst, to), 0, 1000, below(d, 20) * BED_US, UNITS_NEVER);
	}
}

static bool circle(const struct fabric *f)
{
	struct routing *r = routing_new(f);
	struct bdg *all = bdg_new(r, BDG_ALL), *some = bdg_new(r, BDG_TRAFFIC);
	struct bdg_result g;
	bool has = bdg_build(some, ROUTING_GLOBAL, NULL, 0, &g);

	if (has)
		ck_assert(bdg_build(all, ROUTING_GLOBAL, NULL, 0,
				    &g)); /* has all that traffic has */
	bdg_free(&all);
	bdg_free(&some);
	routing_free(&r);
	return has;
}

/* What a fabric came to: bit 0 a circle, bit 1 a deadlock. */
static int try_one(uint64_t seed, bool by_hand)
{
	struct draw d = { .rng = { seed } };
	struct sim_error err = { 0 };
	struct observe *o;
	int came;

	d.switches = 3 + below(&d, SWITCHES - 2);
	bed_open(&d.bed, 1500 * BED_US);
	d.bed.classes[BED_BULK] = (struct class_conf){ .name = d.bed.classes[BED_BULK].name,
						       .dscp = 10,
						       .tc = 4,
						       .priority = 4,
						       .lossless = true,
						       .weight = 1 };
	d.bed.sw.buffer.size_bytes = 8000000;
	d.bed.sw.buffer.xoff_bytes = 20000 + below(&d, 4) * 10000;
	d.bed.nic.ttl = 16 + below(&d, 48);
	make_switches(&d);
	make_hosts(&d);
	if (by_hand)
		make_routes(&d);
	make_streams(&d);
	bed_finish(&d.bed);
	came = circle(d.bed.f);
	o = observe_new(d.bed.f,
			&(struct observe_conf){ .experiment = "random", .variant = "base" },
			&err);
	ck_assert_msg(o != NULL, "%s", err.text);
	fabric_run(d.bed.f, NULL);
	ck_assert(!observe_finish(o, &err));
	came |= observe_summary(o)->deadlock.found << 1;
	observe_free(&o);
	bed_close(&d.bed);
	return came;
}

START_TEST(deadlock_has_circle)
{
	const char *mode = getenv("XOFF_CHECK");
	int fabrics = mode && !strcmp(mode, "long") ? 10 * FABRICS : FABRICS;
	int circles = 0, deadlocks = 0;

	for (int i = 0; i < fabrics; i++) {
		int came = try_one(rng_hash(0x77, (uint64_t)i), i % 2);

		ck_assert_msg(came != 2, "fabric %d deadlocks, and no circle was found", i);
		circles += came & 1;
		deadlocks += came >> 1;
	}
	/* not an empty claim, and not one that calls everything a circle */
	ck_assert_int_gt(deadlocks, fabrics / 20);
	ck_assert_int_gt(fabrics - circles, fabrics / 20);
	printf("%d fabrics, %d with a circle, %d deadlocks\n", fabrics, circles, deadlocks);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("deadlock_found");
	TCase *tc = tcase_create("deadlock_found");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tc, 600);
	tcase_add_test(tc, deadlock_has_circle);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
