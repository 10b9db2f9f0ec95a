/*
 * observe/deadlock: every clause of the definition (doc/design.md, section 4)
 * tried alone, on a fabric made of nothing but its answers.
 */
#include "observe/deadlock.h"
#include "tests/unit/fake_fabric.h"

START_TEST(a_ring_deadlocks_when_it_closes)
{
	struct fabric f;
	ring(&f, WAYS);
	struct deadlock *d = deadlock_new(&f, NULL, NULL);

	stop(&f, 12, out_of(0), 100000);		/* host h1 stands before A */
	for (uint32_t i = 1; i < WAYS; i++) {
		stop(&f, out_of(i), out_of((i + 1) % WAYS), 100000);
		instant_ends(&f);
		ck_assert(!deadlock_standing(d));
	}
	int64_t at_ps = f.now_ps;
	stop(&f, out_of(0), out_of(1), 100000);
	instant_ends(&f);
	ck_assert(deadlock_standing(d));
	struct deadlock_report r = deadlock_report(d);
	ck_assert_int_eq(r.count, 1);
	ck_assert_int_eq(r.first_ps, at_ps);
	ck_assert_int_eq(r.cleared_ps, -1);
	ck_assert_uint_eq(r.ncycle, WAYS);
	for (uint32_t i = 0; i < WAYS; i++)
		ck_assert_uint_eq(r.cycle[i], out_of(i) * 8 + Q);
	ck_assert_uint_eq(r.nvictims, 1);
	ck_assert_uint_eq(r.victims[0], 12 * 8 + Q);
	deadlock_free(&d);
	ck_assert_ptr_null(d);
}
END_TEST

/* A routing loop: A sends to B and B sends back. */
START_TEST(two_switches_are_enough)
{
	struct fabric f;
	ring(&f, 2);
	struct deadlock *d = deadlock_new(&f, NULL, NULL);

	stop(&f, out_of(0), 3, 100000); /* A's port 1 to B, which sends it back the same way */
	instant_ends(&f);
	stop(&f, 3, out_of(0), 100000);
	instant_ends(&f);
	ck_assert(deadlock_standing(d));
	ck_assert_uint_eq(deadlock_report(d).ncycle, 2);
	deadlock_free(&d);
}
END_TEST

START_TEST(an_open_chain_costs_little)
{
	struct fabric f;
	ring(&f, WAYS);
	struct deadlock *d = deadlock_new(&f, NULL, NULL);

	for (uint32_t i = 1; i < WAYS; i++)
		stop(&f, out_of(i), out_of((i + 1) % WAYS), 100000);
	instant_ends(&f);
	f.looks = 0;
	for (int i = 0; i < 100; i++) {
		emit(&f, RECORD_HELD, out_of(3), 0, 0);
		emit(&f, RECORD_GROUP_XOFF, f.port[out_of(3)].peer_port, 0, 0);
		instant_ends(&f);
	}
	ck_assert_uint_le(f.looks, 2 * 100);
	deadlock_free(&d);
}
END_TEST

START_TEST(a_group_that_would_drain_to_xon_breaks_it_until_a_frame_joins)
{
	struct fabric f;
	ring(&f, WAYS);
	struct deadlock *d = deadlock_new(&f, NULL, NULL);

	close_ring(&f, WAYS);
	f.group[f.port[out_of(2)].peer_port].held[out_of(3)] =
		96000; /* the rest leaves by the host */
	instant_ends(&f);
	ck_assert(!deadlock_standing(d));
	f.group[f.port[out_of(2)].peer_port].held[out_of(3)] =
		97000; /* at the XON level: leaves */
	emit(&f, RECORD_HELD, out_of(3), 0, 0);
	instant_ends(&f);
	ck_assert(!deadlock_standing(d));
	f.group[f.port[out_of(2)].peer_port].held[out_of(3)] = 97001;
	emit(&f, RECORD_HELD, out_of(3), 0, 0);
	instant_ends(&f);
	ck_assert(deadlock_standing(d));
	deadlock_free(&d);
}
END_TEST

START_TEST(reserved_bytes_leave_last)
{
	struct fabric f;
	ring(&f, WAYS);
	struct deadlock *d = deadlock_new(&f, NULL, NULL);

	close_ring(&f, WAYS);
	f.group[f.port[out_of(2)].peer_port].g.reserved_bytes = 3000;
	instant_ends(&f);
	ck_assert(!deadlock_standing(d));
	deadlock_free(&d);
}
END_TEST

START_TEST(an_xon_in_flight_frees_its_queue)
{
	struct fabric f;
	ring(&f, WAYS);
	struct deadlock *d = deadlock_new(&f, NULL, NULL);
	uint32_t out = out_of(WAYS - 1), in = f.port[out].peer_port;

	for (uint32_t i = 0; i + 1 < WAYS; i++)
		stop(&f, out_of(i), out_of(i + 1), 100000);
	f.paused[out] = true;
	emit(&f, RECORD_PAUSED, out, 0, 0);
	instant_ends(&f);
	f.now_ps += 50;
	emit(&f, RECORD_XON_SENT, in, 0, 0);	/* and at once over the limit again */
	f.group[in].g = (struct view_group){ .xoff = true, .xoff_sent = true, .refreshed = true,
					     .shared_bytes = 100000 };
	f.group[in].held[out_of(0)] = 100000;
	emit(&f, RECORD_GROUP_XOFF, in, 0, 0);
	f.now_ps += 20000;
	emit(&f, RECORD_XOFF_SENT, in, 100000, 0);
	instant_ends(&f);
	ck_assert(!deadlock_standing(d));
	release(&f, out, 0);
	instant_ends(&f);
	ck_assert(!deadlock_standing(d));
	f.paused[out] = true;
	emit(&f, RECORD_PAUSED, out, 0, 0);
	instant_ends(&f);
	ck_assert(deadlock_standing(d));
	deadlock_free(&d);
}
END_TEST

START_TEST(an_xon_that_found_nothing_to_resume_is_forgotten)
{
	struct fabric f;
	ring(&f, WAYS);
	struct deadlock *d = deadlock_new(&f, NULL, NULL);

	emit(&f, RECORD_XON_SENT, f.port[out_of(1)].peer_port, 0, 0);
	f.now_ps += deadlock_flight_ps(&f, out_of(1));
	close_ring(&f, WAYS);
	instant_ends(&f);
	ck_assert(deadlock_standing(d));
	deadlock_free(&d);
}
END_TEST

START_TEST(xoff_must_be_sent_and_refreshed_and_the_link_up)
{
	for (int clause = 0; clause < 4; clause++) {
		struct fabric f;
		ring(&f, WAYS);
		struct deadlock *d = deadlock_new(&f, NULL, NULL);
		struct view_group *g = &f.group[f.port[out_of(2)].peer_port].g;

		close_ring(&f, WAYS);
		g->xoff = clause != 0;
		g->xoff_sent = clause != 1;
		g->refreshed = clause != 2;
		f.port[out_of(2)].up = clause != 3;
		instant_ends(&f);
		ck_assert(!deadlock_standing(d));
		deadlock_free(&d);
	}
}
END_TEST

/* Bytes copied to a free and to a held egress are stuck, and once only. */
START_TEST(a_copied_frame_counts_once_if_any_copy_is_held)
{
	struct fabric f;
	ring(&f, WAYS);
	struct deadlock *d = deadlock_new(&f, NULL, NULL);
	uint32_t in = f.port[out_of(3)].peer_port;	/* of A */

	close_ring(&f, WAYS);
	f.group[in].held[out_of(0)] = 0;
	f.group[in].copied = 97001;
	f.copies[0] = 2;	/* A's host, free */
	f.copies[1] = out_of(0);
	instant_ends(&f);
	ck_assert(deadlock_standing(d));
	ck_assert_uint_eq(deadlock_report(d).ncycle, WAYS);
	deadlock_free(&d);
}
END_TEST

/* Pool 400 KB, alpha 1/2: what sticks elsewhere in the switch lowers the limit. */
START_TEST(a_dynamic_limit_is_taken_at_its_best)
{
	for (int bystander = 0; bystander < 2; bystander++) {
		struct fabric f;
		ring(&f, WAYS);
		f.conf.buffer.xoff_bytes = -1;
		f.pool_bytes = 400000;
		struct deadlock *d = deadlock_new(&f, NULL, NULL);
		struct fake_group *host = &f.group[3 * 1 + 2];	/* B's group from its host */

		for (uint32_t i = 0; i < WAYS; i++)	/* 130,000 <= (400,000 - 130,000) / 2 */
			stop(&f, out_of(i), out_of((i + 1) % WAYS), i == 0 ? 130000 : 140000);
		if (bystander) {	/* not in XOFF, yet its bytes stick too */
			host->g.shared_bytes = 20000;
			host->held[out_of(1)] = 20000;
		}
		instant_ends(&f);
		ck_assert_int_eq(deadlock_standing(d), bystander);
		deadlock_free(&d);
	}
}
END_TEST

struct told { int formed, cleared; enum deadlock_force by; };

static void tell(void *ctx, int64_t at_ps, bool formed, const uint32_t *cycle, uint32_t ncycle,
		 enum deadlock_force by)
{
	struct told *t = ctx;

	(void)at_ps;
	(void)cycle;
	ck_assert_uint_eq(ncycle, WAYS);
	if (formed)
		t->formed++;
	else
		t->cleared++;
	t->by = by;
}

START_TEST(the_watchdog_clears_and_it_may_form_again)
{
	struct fabric f;
	struct told told = { 0 };
	ring(&f, WAYS);
	struct deadlock *d = deadlock_new(&f, tell, &told);

	close_ring(&f, WAYS);
	instant_ends(&f);
	int64_t first_ps = f.now_ps - 1000000, cleared_ps = f.now_ps;
	emit(&f, RECORD_WATCHDOG, out_of(1), 1, 0);
	release(&f, out_of(1), 2);
	instant_ends(&f);
	ck_assert(!deadlock_standing(d));
	stop(&f, out_of(1), out_of(2), 100000);
	instant_ends(&f);
	ck_assert(deadlock_standing(d));
	f.port[out_of(2)].up = false;
	emit(&f, RECORD_FAULT, out_of(2), FAULT_LINK_DOWN, 1);
	release(&f, out_of(2), 3);
	instant_ends(&f);
	struct deadlock_report r = deadlock_report(d);
	ck_assert(!r.standing);
	ck_assert_int_eq(r.count, 2);
	ck_assert_int_eq(r.first_ps, first_ps);
	ck_assert_int_eq(r.cleared_ps, cleared_ps);
	ck_assert_int_eq(r.cleared_by, DEADLOCK_WATCHDOG);
	ck_assert_int_eq(told.formed, 2);
	ck_assert_int_eq(told.cleared, 2);
	ck_assert_int_eq(told.by, DEADLOCK_FAULT);
	deadlock_free(&d);
}
END_TEST

START_TEST(a_storm_is_not_a_deadlock)
{
	struct fabric f;
	ring(&f, WAYS);
	struct deadlock *d = deadlock_new(&f, NULL, NULL);

	f.paused[3 * 3 + 2] = true;	/* D towards its host, which storms */
	emit(&f, RECORD_FAULT, 3 * WAYS + 3, FAULT_NIC_STORM, 1);
	emit(&f, RECORD_PAUSED, 3 * 3 + 2, 0, 0);
	stop(&f, out_of(2), 3 * 3 + 2, 100000);
	for (uint32_t i = 0; i < 2; i++)
		stop(&f, out_of(i), out_of(i + 1), 100000);
	instant_ends(&f);
	ck_assert(!deadlock_standing(d));
	ck_assert(deadlock_storming(d, WAYS + 3));
	ck_assert_uint_eq(deadlock_behind_storms(d), 3);
	ck_assert_uint_eq(deadlock_behind_storms(d), 3);
	emit(&f, RECORD_FAULT, 3 * WAYS + 3, FAULT_NIC_STORM, 0);
	ck_assert_uint_eq(deadlock_behind_storms(d), 0);
	deadlock_free(&d);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("deadlock");
	TCase *t = tcase_create("definition");

	tcase_add_test(t, a_ring_deadlocks_when_it_closes);
	tcase_add_test(t, two_switches_are_enough);
	tcase_add_test(t, an_open_chain_costs_little);
	tcase_add_test(t, a_group_that_would_drain_to_xon_breaks_it_until_a_frame_joins);
	tcase_add_test(t, reserved_bytes_leave_last);
	tcase_add_test(t, an_xon_in_flight_frees_its_queue);
	tcase_add_test(t, an_xon_that_found_nothing_to_resume_is_forgotten);
	tcase_add_test(t, xoff_must_be_sent_and_refreshed_and_the_link_up);
	tcase_add_test(t, a_copied_frame_counts_once_if_any_copy_is_held);
	tcase_add_test(t, a_dynamic_limit_is_taken_at_its_best);
	tcase_add_test(t, the_watchdog_clears_and_it_may_form_again);
	tcase_add_test(t, a_storm_is_not_a_deadlock);
	suite_add_tcase(s, t);
	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
