/*
 * A class that changes inside a switch (models/switch/remap.h), on the line
 *
 *	a - s - t - c		s: rdma from a towards t becomes bulk; t gives it back
 *
 * What must come out is the definition of PFC (IEEE 802.1Qbb): a group pauses the
 * priority its frames came in as, a pause holds the queue of the priority they leave
 * as.  So a receiver that pauses 3 stops t's queue 3, t pauses 4 towards s, and
 * s pauses 3 towards a; and a pause of 3 towards s's other neighbours holds nothing.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/bed.h"

enum { RDMA = 3, BULK = 4, F = 1000 };	/* priorities */

static char a[] = "a", s[] = "s", t[] = "t", c[] = "c";
static char *of_a[] = { a }, *of_s[] = { s }, *of_t[] = { t }, *of_c[] = { c };

/* Turns the class of the bed's next switch, or back. */
static struct switch_remap_conf rule(char **from, char **to, int old, int new)
{
	struct switch_remap_conf r = { .name = "turn", .from = from, .to = to, .froms = 1, .tos = 1 };

	for (int k = 0; k < FABRIC_CLASSES; k++)
		r.class_to[k] = -1;
	r.class_to[old] = (int8_t)new;
	return r;
}

/* `back`: t gives c the frames in their own class. */
static void line(struct bed *b, struct switch_remap_conf rules[2], bool back, int64_t until_ps)
{
	bed_open(b, until_ps);
	b->classes[BED_BULK] = (struct class_conf){ .name = b->classes[BED_BULK].name, .dscp = 10, .tc = 4,
						    .priority = BULK, .lossless = true, .weight = 1 };
	b->sw.buffer.xoff_bytes = 20000;
	rules[0] = rule(of_a, of_t, BED_RDMA, BED_BULK);
	rules[1] = rule(of_s, of_c, BED_BULK, BED_RDMA);
	b->sw.remap = &rules[0];
	b->sw.nremaps = 1;
	bed_switch(b, "s");
	b->sw.remap = &rules[1];
	b->sw.nremaps = back;
	bed_switch(b, "t");
	b->sw.nremaps = 0;
	bed_leaf(b, "a", "s", 0, 40 * BED_G, 100 * BED_NS);
	bed_link(b, "s", 1, "t", 0, 40 * BED_G, 100 * BED_NS);
	bed_leaf(b, "c", "t", 1, 40 * BED_G, 100 * BED_NS);
	bed_stream(b, "load", "a", "c", 20 * BED_G, F, 0, 200 * BED_US);
}

START_TEST(a_frame_is_counted_as_what_it_is_there)
{
	struct switch_remap_conf rules[2];
	struct bed b;

	line(&b, rules, true, 300 * BED_US);
	bed_run(&b);
	int64_t n = bed_counters(&b, "a", 0, RDMA).tx_frames;
	ck_assert_int_gt(n, 400);
	ck_assert_int_eq(bed_counters(&b, "s", 0, RDMA).rx_frames, n);
	ck_assert_int_eq(bed_counters(&b, "s", 1, RDMA).tx_frames, 0);
	ck_assert_int_eq(bed_counters(&b, "s", 1, BULK).tx_frames, n);
	ck_assert_int_eq(bed_counters(&b, "t", 0, BULK).rx_frames, n);
	ck_assert_int_eq(bed_counters(&b, "t", 1, RDMA).tx_frames, n);
	ck_assert_int_eq(bed_counters(&b, "c", 0, RDMA).rx_frames, n);
	bed_close(&b);
}
END_TEST

/* What a NIC that is not given its own class back sees: the DSCP on the wire. */
START_TEST(a_nic_knows_it_by_its_new_dscp)
{
	struct switch_remap_conf rules[2];
	struct bed b;

	line(&b, rules, false, 300 * BED_US);
	bed_run(&b);
	ck_assert_int_gt(bed_counters(&b, "c", 0, BULK).rx_frames, 400);
	ck_assert_int_eq(bed_counters(&b, "c", 0, RDMA).rx_frames, 0);
	bed_close(&b);
}
END_TEST

/* c pauses 3 for good: 3 stops t's queue, 4 stops s, 3 stops a; nothing is lost, and
 * with the stop at t everything ends in t's and s's groups. */
START_TEST(a_pause_goes_back_by_the_class_of_each_link)
{
	struct switch_remap_conf rules[2];
	struct bed b;

	line(&b, rules, true, 300 * BED_US);
	bed_storm(&b, "c", 10 * BED_US, UNITS_NEVER);
	bed_run(&b);
	ck_assert(bed_counters(&b, "t", 1, RDMA).paused);
	ck_assert_int_eq(bed_counters(&b, "t", 0, BULK).xoff_frames, 1);
	ck_assert_int_eq(bed_counters(&b, "t", 0, RDMA).xoff_frames, 0);
	ck_assert(bed_counters(&b, "s", 1, BULK).paused);
	ck_assert(!bed_counters(&b, "s", 1, RDMA).paused);
	ck_assert_int_eq(bed_counters(&b, "s", 0, RDMA).xoff_frames, 1);
	ck_assert_int_eq(bed_counters(&b, "s", 0, BULK).xoff_frames, 0);
	ck_assert(bed_counters(&b, "a", 0, RDMA).paused);
	ck_assert_int_ge(bed_counters(&b, "t", 0, BULK).group_bytes, 20000);
	ck_assert_int_ge(bed_counters(&b, "s", 0, RDMA).group_bytes, 20000);
	for (int prio = 0; prio < 8; prio++)
		ck_assert_int_eq(bed_counters(&b, "s", 0, prio).drops[RECORD_DROP_LOSSLESS] +
				 bed_counters(&b, "t", 0, prio).drops[RECORD_DROP_LOSSLESS], 0);
	/* what s holds for t it holds as priority 4 */
	uint32_t in = bed_port(&b, "s", 0), out = bed_port(&b, "s", 1);
	ck_assert_int_ge(view_held_for(b.f, in, RDMA, out, BULK), 20000 - F);
	ck_assert_int_eq(view_held_for(b.f, in, RDMA, out, RDMA), 0);
	ck_assert_int_eq(view_leaves_as(b.f, bed_node(&b, "s"), RDMA), 1 << RDMA | 1 << BULK);
	bed_close(&b);
}
END_TEST

/* Without the way back a pause of 3 by c holds nothing that is now 4. */
START_TEST(the_old_class_no_longer_stops_it)
{
	struct switch_remap_conf rules[2];
	struct bed b;

	line(&b, rules, false, 300 * BED_US);
	bed_storm(&b, "c", 10 * BED_US, UNITS_NEVER);
	bed_run(&b);
	ck_assert(bed_counters(&b, "t", 1, RDMA).paused);
	ck_assert_int_eq(bed_counters(&b, "t", 1, BULK).tx_frames, bed_counters(&b, "a", 0, RDMA).tx_frames);
	ck_assert_int_eq(bed_counters(&b, "t", 0, BULK).xoff_frames, 0);
	bed_close(&b);
}
END_TEST

/* Two rules that say different things of one way are an error. */
START_TEST(rules_that_disagree)
{
	struct switch_remap_conf two[2] = { rule(of_a, of_t, BED_RDMA, BED_BULK),
					    rule(of_a, of_t, BED_RDMA, BED_CNP) };
	struct sim_error err;
	struct bed b;

	bed_open(&b, BED_US);
	b.sw.remap = two;
	b.sw.nremaps = 2;
	bed_switch(&b, "s");
	b.sw.nremaps = 0;
	bed_switch(&b, "t");
	bed_leaf(&b, "a", "s", 0, 40 * BED_G, 100 * BED_NS);
	bed_link(&b, "s", 1, "t", 0, 40 * BED_G, 100 * BED_NS);
	error_init(&err);
	ck_assert_int_eq(fabric_finish(b.f, &err), -1);
	ck_assert_msg(strstr(err.text, "s: remap \"turn\": another rule gives class \"rdma\" from a to t DSCP") != NULL,
		      "%s", err.text);
	bed_close(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("remap");
	TCase *tc = tcase_create("remap");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, a_frame_is_counted_as_what_it_is_there);
	tcase_add_test(tc, a_nic_knows_it_by_its_new_dscp);
	tcase_add_test(tc, a_pause_goes_back_by_the_class_of_each_link);
	tcase_add_test(tc, the_old_class_no_longer_stops_it);
	tcase_add_test(tc, rules_that_disagree);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
