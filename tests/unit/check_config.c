/* analyze/config, headroom_check: each check fires on what it is about, and says what
 * is wrong with a number; a sound fabric gives no finding. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/wire/pfc.h"
#include "tests/unit/config_fabric.h"

START_TEST(sound)
{
	defaults();
	check();
	ck_assert_int_eq(finding_wrong(&list), 0);
	finding_fini(&list);
}
END_TEST

START_TEST(mtu)
{
	defaults();
	odd.mtu_bytes = 1500;
	check();
	/* 4096 + 62 + 16 - 18 */
	ck_assert_int_eq(must("mtu", FINDING_WRONG, "leaf1", "4156B")->value, 1500);
	ck_assert_ptr_nonnull(strstr(find("mtu", FINDING_WRONG)->remedy, "1024B"));
	finding_fini(&list);

	defaults();
	odd_nic.mtu_bytes = 1024;
	check();
	must("mtu", FINDING_NOTE, "h3", "1024B");
	finding_fini(&list);
}
END_TEST

/* cases.md C7: a NIC's default DSCP in a map that knows another one. */
START_TEST(dscp_lands_in_a_lossy_class)
{
	defaults();
	odd_nic.dscp[BED_RDMA] = 24;
	check();
	ck_assert_int_eq(must("dscp", FINDING_WRONG, "DSCP 24 of h3", "lossy")->value, 24);
	finding_fini(&list);

	defaults();
	odd.dscp_to_tc[26] = 1;
	check();
	must("dscp", FINDING_WRONG, "DSCP 26", "leaf1 puts it into traffic class 1");
	finding_fini(&list);
}
END_TEST

/* linux-rdma/perftest issue 284: priorities by VLAN tag, and frames without one. */
START_TEST(trust_differs_at_the_two_ends)
{
	defaults();
	odd.trust = SWITCH_TRUST_PCP;
	check();
	must("dscp", FINDING_WRONG, "DSCP 26", "leaf1 trusts the priority of a VLAN tag (PCP)");
	must("trust", FINDING_WRONG, "leaf1:", "the other the DSCP");
	finding_fini(&list);
}
END_TEST

/* The class is queue 3 and priority 3; a second lossless one is 5 and 5; leaf1 takes
 * DSCP 26 for it, so its pauses stop queue 5 of the spines. */
START_TEST(pause_stops_another_queue)
{
	defaults();
	b.classes[BED_BULK] = (struct class_conf){ .name = b.classes[BED_BULK].name,
						   .dscp = 10,
						   .tc = 5,
						   .priority = 5,
						   .lossless = true,
						   .weight = 1 };
	odd.dscp_to_tc[26] = 5;
	check();
	ck_assert_int_eq(must("pause", FINDING_WRONG, "class rdma", "queue 3")->value, 5);
	must("dscp", FINDING_NOTE, "class rdma", "priority 5");
	finding_fini(&list);
}
END_TEST

START_TEST(pfc_ends)
{
	defaults();
	odd_nic.pfc.enable = false;
	check();
	must("pfc", FINDING_WRONG, "h3:0", "0x08");
	finding_fini(&list);

	defaults();
	odd.pfc.quanta = 100;			/* 512 ns at 100G */
	odd.pfc.refresh_ps = BED_US;
	check();
	ck_assert_int_eq(must("pfc", FINDING_WRONG, "leaf1", "expires")->value, BED_US);
	finding_fini(&list);
}
END_TEST

/* 16 MB, alpha 1/8: one group is in XOFF at P / 9, so a kmin of 4 MB is never reached. */
START_TEST(ecn_after_pfc)
{
	defaults();
	b.sw.ecn[BED_RDMA] = odd.ecn[BED_RDMA] = (struct ecn_conf){
		.on = true, .kmin_bytes = 100000, .kmax_bytes = 400000, .pmax = { 1, 5 }
	};
	odd.ecn[BED_RDMA].kmin_bytes = 4000000;
	odd.ecn[BED_RDMA].kmax_bytes = 8000000;
	check();
	ck_assert_int_eq(
		must("ecn", FINDING_WRONG, "leaf1", "PFC always acts before ECN")->value,
		4000000);
	ck_assert_int_eq(finding_wrong(&list), 1);
	finding_fini(&list);

	defaults();
	bed_cc(&b, "dcqcn", NULL, NULL);
	odd_nic = b.nic;
	check();
	must("ecn", FINDING_WRONG, "leaf0", "dcqcn");
	finding_fini(&list);
}
END_TEST

/* A partition has its part of the pool alone: with 4, one group is in XOFF at a quarter of what
 * it would be at; with two levels, lower again.  The limit that the finding states is the one
 * that the group itself has, of a run that fills it. */
static void states_the_limit(int partitions, struct units_ratio alpha, struct units_ratio port_alpha)
{
	long long limit;
	int64_t held;

	defaults();
	b.sw.buffer.partitions = partitions;
	b.sw.buffer.alpha = alpha;
	b.sw.buffer.port_alpha = port_alpha;
	b.sw.ecn[BED_RDMA] = (struct ecn_conf){
		.on = true, .kmin_bytes = 12000000, .kmax_bytes = 12000000, .pmax = { 1, 5 }
	};
	bed_switch(&b, "s");
	for (int i = 0; i < 8; i++) {
		char name[] = "h0";

		name[1] = (char)('0' + i);
		bed_leaf(&b, name, "s", i, 100 * BED_G, 25 * BED_NS);
	}
	bed_stream(&b, "fill", "h5", "h7", 0, 4174, 0, UNITS_NEVER);
	bed_storm(&b, "h7", 0, UNITS_NEVER);
	bed_finish(&b);
	struct routing *r = routing_new(b.f);
	list = (struct finding_list){ 0 };
	config_check(r, &list);
	routing_free(&r);
	const char *at = strstr(must("ecn", FINDING_WRONG, "s, class", partitions > 1 ?
				     "alone in its partition is in XOFF at " : "alone is in XOFF at ")->reason,
				"XOFF at ");
	ck_assert_int_eq(sscanf(at, "XOFF at %lld", &limit), 1);
	finding_fini(&list);
	bed_run(&b);
	held = bed_counters(&b, "s", 5, 3).group_peak_bytes - bed_counters(&b, "s", 5, 3).headroom_peak_bytes;
	bed_close(&b);
	ck_assert_int_le(limit, held);		/* the frame that crosses it is shared too: 21 cells */
	ck_assert_int_gt(limit, held - 21 * 208);
}

START_TEST(limit_of_one_group)
{
	states_the_limit(1, (struct units_ratio){ 1, 8 }, (struct units_ratio){ 0, 1 });
	states_the_limit(4, (struct units_ratio){ 1, 8 }, (struct units_ratio){ 0, 1 });
	states_the_limit(1, (struct units_ratio){ 1, 2 }, (struct units_ratio){ 1, 4 });
	states_the_limit(4, (struct units_ratio){ 2, 1 }, (struct units_ratio){ 1, 1 });
}
END_TEST

START_TEST(groups_until_pfc_acts_first)
{
	struct view_limits l = { .xoff_bytes = -1, .alpha = { 1, 8 } };

	/* alpha P / (1 + n alpha), P = 16 MB: n = 8 gives 1 MB (algorithms.md 5: 12 MB and
	 * 1/16 give 706 KB for 1, 500 for 8, 250 for 32) */
	ck_assert_int_eq(config_limit(&l, 16000000, 8), 1000000);
	ck_assert_int_eq(config_groups(&l, 16000000, 1000000), 7);
	ck_assert_int_eq(config_groups(&l, 16000000, 999999), 8);
	ck_assert_int_eq(config_groups(&l, 16000000, 2000000), 0);
	l.alpha.den = 16;
	ck_assert_int_eq(config_limit(&l, 12000000, 1) / 100, 7058);
	ck_assert_int_eq(config_limit(&l, 12000000, 8), 500000);
	ck_assert_int_eq(config_limit(&l, 12000000, 32), 250000);
	/* two levels (mmu.h): s = 1/2 (1/4 (P - n s) - s), so s = P / (12 + n) */
	l.alpha = (struct units_ratio){ 1, 2 };
	l.port_alpha = (struct units_ratio){ 1, 4 };
	ck_assert_int_eq(config_limit(&l, 13000000, 1), 1000000);
	ck_assert_int_eq(config_limit(&l, 16000000, 4), 1000000);
	l.xoff_bytes = 100000;
	ck_assert_int_eq(config_groups(&l, 12000000, 99999), 120);
	ck_assert_int_eq(config_groups(&l, 12000000, 100000), 0);
}
END_TEST

START_TEST(buffer)
{
	defaults();
	odd.buffer.size_bytes = 2000000;
	odd.buffer.headroom_bytes = 450000;
	check();
	must("buffer", FINDING_NOTE, "leaf1", "quarter");
	finding_fini(&list);

	defaults();
	odd.buffer.xoff_bytes = 5000;
	check();
	ck_assert_int_eq(must("buffer", FINDING_WRONG, "leaf1", "two frames")->value, 5000);
	finding_fini(&list);
}
END_TEST

/* What is set and does nothing: marks that no sender heeds, alpha under a static limit. */
START_TEST(marks_that_nobody_heeds)
{
	for (int heeds = 0; heeds < 2; heeds++) {
		defaults();
		if (heeds)
			bed_cc(&b, "dcqcn", NULL, NULL);
		b.sw.ecn[BED_RDMA] = odd.ecn[BED_RDMA] = (struct ecn_conf){
			.on = true, .kmin_bytes = 100000, .kmax_bytes = 400000, .pmax = { 1, 5 }
		};
		check();		/* h3 has "none" either way */
		if (!heeds)
			ck_assert_int_eq(must("ecn", FINDING_NOTE, "leaf0 (and 3 more), class", "no sender "
					      "reacts to ECN marks: nic.cc is none")->value, 4);
		else
			ck_assert_ptr_null(find("ecn", FINDING_NOTE));
		finding_fini(&list);
	}
}
END_TEST

START_TEST(alpha_under_a_static_limit)
{
	static const struct units_ratio other = { 1, 32 };

	for (int k = 0; k < 4; k++) {
		defaults();
		odd.buffer.xoff_bytes = k & 1 ? 100000 : -1;
		if (k & 2)
			odd.buffer.alpha = other;
		check();
		if (k == 3)
			must("buffer", FINDING_NOTE, "leaf1", "alpha is not used: xoff is 100KB");
		else
			ck_assert_ptr_null(find("buffer", FINDING_NOTE));
		finding_fini(&list);
	}
	defaults();
	b.sw.buffer.xoff_bytes = odd.buffer.xoff_bytes = 100000;
	b.sw.buffer.alpha = odd.buffer.alpha = other;
	odd.buffer.port_alpha = other;
	check();
	says("buffer", FINDING_NOTE, "leaf0 (and 2 more)", "alpha is not used");
	says("buffer", FINDING_NOTE, "leaf1", "alpha and port_alpha are not used");
	finding_fini(&list);
}
END_TEST

START_TEST(nic_buffer)
{
	defaults();
	odd_nic.rx_buffer_bytes = 530000;
	odd_nic.rx_xoff_bytes = 524288;
	check();
	ck_assert_int_eq(must("nic", FINDING_WRONG, "h3", "loses")->value, 530000 - 524288);
	finding_fini(&list);
}
END_TEST

START_TEST(answers)
{
	defaults();
	bed_cc(&b, "dcqcn", NULL, NULL);
	b.sw.ecn[BED_RDMA] = odd.ecn[BED_RDMA] = (struct ecn_conf){
		.on = true, .kmin_bytes = 100000, .kmax_bytes = 400000, .pmax = { 1, 5 }
	};
	b.nic.cnp_class = BED_RDMA;
	b.nic.ack_class = BED_BULK;
	odd_nic = b.nic;
	check();
	must("answers", FINDING_NOTE, "CNPs of h0", "paused");
	ck_assert_int_eq(finding_wrong(&list), 0);
	finding_fini(&list);
}
END_TEST

/* 100G, 25 ns, RoCE frames of 4174 B: by models/switch/headroom.h; 30 KB is less. */
START_TEST(headroom)
{
	defaults();
	odd.buffer.headroom_bytes = 30000;
	check();
	const struct finding *x =
		must("headroom", FINDING_WRONG, "leaf1:", "headroom of 30000B, needs");
	struct headroom_terms t;
	headroom_compute(&(struct headroom_conf){ .rate_bps = 100 * BED_G,
						  .delay_ps = 200 * BED_NS,
						  .response_ps = pfc_response_ps(100 * BED_G),
						  .forward_bytes = 4174,
						  .reverse_bytes = 4174,
						  .cell_bytes = 208 },
			 &t);
	ck_assert_int_eq(x->value, 30000 - t.full.bytes);
	finding_fini(&list);

	defaults();
	odd.buffer.shared_headroom_bytes = 20000;
	check();
	ck_assert_int_eq(
		must("headroom", FINDING_WRONG, "leaf1", "less than the need of one")->value,
		20000);
	finding_fini(&list);
}
END_TEST

/* A partition has its part of the pool alone: 60 KB of a pool of 120 KB hold one group's need
 * but not two, and 20 KB of one of 40 KB, which would hold it whole, not even one. */
START_TEST(headroom_of_partitions)
{
	defaults();
	odd.buffer.shared_headroom_bytes = 40000;
	check();
	says("headroom", FINDING_NOTE, "leaf1", "1 of 4 groups");
	ck_assert_int_eq(finding_wrong(&list), 0);
	finding_fini(&list);

	defaults();
	odd.buffer.shared_headroom_bytes = 40000;
	odd.buffer.partitions = 2;
	check();
	ck_assert_int_eq(must("headroom", FINDING_WRONG, "leaf1 partition ",
			      "20000B, is less than the need of one group")->value, 20000);
	ck_assert_ptr_nonnull(strstr(find("headroom", FINDING_WRONG)->object, "(and one more)"));
	ck_assert_int_eq(finding_wrong(&list), 1);
	finding_fini(&list);

	defaults();
	odd.buffer.shared_headroom_bytes = 120000;
	odd.buffer.partitions = 2;
	check();
	ck_assert_int_eq(says("headroom", FINDING_NOTE, "leaf1 partition ", "1 of 2 groups")->value, 60000);
	ck_assert_int_eq(finding_wrong(&list), 0);
	finding_fini(&list);
}
END_TEST

/* The inverses: with what they say the need is what was given, with 1 ps more, more. */
START_TEST(headroom_inverses)
{
	struct headroom_conf c = { .rate_bps = 100 * BED_G,
				   .delay_ps = 25 * BED_NS,
				   .response_ps = BED_US,
				   .forward_bytes = 9216,
				   .reverse_bytes = 9216,
				   .cell_bytes = 256 };
	struct headroom_terms t;

	/* cases.md B1: 160000 B at 100G, 5 m and jumbo frames hold a response of 11.3 us */
	c.response_ps = headroom_check_response_ps(&c, 160000);
	ck_assert_int_gt(c.response_ps, 11 * BED_US);
	ck_assert_int_lt(c.response_ps, 12 * BED_US);
	/* (160000 - 2 x 9236 - 84 - 625) / 12.5 GB/s, as the arithmetic is usually done */
	ck_assert_int_eq(headroom_check_response_ieee_ps(&c, 160000), 11265520);
	headroom_compute(&c, &t);
	ck_assert_int_le(t.full.bytes, 160000);
	c.response_ps += 100;			/* a byte more */
	headroom_compute(&c, &t);
	ck_assert_int_gt(t.full.bytes, 160000);
	c.response_ps = BED_US;
	c.delay_ps = headroom_check_delay_ps(&c, 160000);
	headroom_compute(&c, &t);
	ck_assert_int_le(t.full.bytes, 160000);
	c.delay_ps += 100;
	headroom_compute(&c, &t);
	ck_assert_int_gt(t.full.bytes, 160000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("config");
	TCase *tc = tcase_create("config");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, sound);
	tcase_add_test(tc, mtu);
	tcase_add_test(tc, dscp_lands_in_a_lossy_class);
	tcase_add_test(tc, trust_differs_at_the_two_ends);
	tcase_add_test(tc, pause_stops_another_queue);
	tcase_add_test(tc, pfc_ends);
	tcase_add_test(tc, ecn_after_pfc);
	tcase_add_test(tc, limit_of_one_group);
	tcase_add_test(tc, groups_until_pfc_acts_first);
	tcase_add_test(tc, buffer);
	tcase_add_test(tc, marks_that_nobody_heeds);
	tcase_add_test(tc, alpha_under_a_static_limit);
	tcase_add_test(tc, nic_buffer);
	tcase_add_test(tc, answers);
	tcase_add_test(tc, headroom);
	tcase_add_test(tc, headroom_of_partitions);
	tcase_add_test(tc, headroom_inverses);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
