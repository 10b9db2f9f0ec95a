/*
 * observe/livelock on a real fabric: one message of 4 MB, 977 packets, over a switch
 * that loses every 256th packet (Guo et al., SIGCOMM 2016, section 4.1), and what is
 * no livelock.
 */
#include "tests/unit/small_fabric.h"

static struct fabric *one_message(int64_t until_ps)
{
	static char h1[] = "h1", h2[] = "h2", *name[2] = { h1, h2 };
	struct fabric *f = begin(until_ps, 0);

	add_switch(f, "tor", -1);
	for (int i = 0; i < 2; i++) {
		add_host(f, name[i]);
		add_link(f, "tor", i, name[i], 0);
	}
	add_traffic(f, WORKLOAD_FLOW, "m", name, 1, name + 1, 1,
		    (struct workload_conf){ .class_ = RDMA, .size_bytes = 4000000, .count = 1 });
	finish(f);
	return f;
}

static struct fault_conf loses(int64_t count)
{
	static char name[] = "loss", tor[] = "tor", h1[] = "h1";

	return (struct fault_conf){ .name = name, .kind = FAULT_DROP, .a = tor, .b = h1, .class_ = -1,
				    .lasts_ps = UNITS_NEVER, .every = 256, .count = count };
}

/* 40 Gb/s fill 60 MB in 12 ms; all but the first of some 56 tries is in vain. */
START_TEST(go_back_0_never_ends)
{
	tune.recovery = NIC_GO_BACK_0;
	tune.fault = loses(0);
	struct fabric *f = one_message(12000000000);
	struct observe *o = watch(f, &(struct observe_conf){ .experiment = "livelock" });
	struct summary *s = observe_summary(o);

	ck_assert(s->livelock.found && !s->stall.found);
	ck_assert_int_eq(s->livelock.flows, 1);
	ck_assert_int_eq(s->livelock.until_ps, -1);
	ck_assert_int_lt(s->livelock.first_ps, 300000000);
	ck_assert_int_gt(s->livelock.again_bytes, 54000000);
	ck_assert_int_lt(s->livelock.again_bytes, 60000000);
	ck_assert_str_eq(s->livelock.flow, "m from h1 to h2");
	ck_assert_int_eq(s->flows.finished, 0);
	ck_assert_int_eq(s->findings[0].level, SUMMARY_LIVELOCK);
	ck_assert_ptr_nonnull(strstr(s->findings[0].text, "livelock: m from h1 to h2 sent "));
	ck_assert_ptr_nonnull(strstr(s->findings[0].text, " to the end, "));
	observe_free(&o);
	fabric_free(&f);
}
END_TEST

START_TEST(go_back_n_gets_on)
{
	tune.recovery = NIC_GO_BACK_N;
	tune.fault = loses(0);
	struct fabric *f = one_message(12000000000);
	struct observe *o = watch(f, &(struct observe_conf){ .experiment = "livelock" });
	struct summary *s = observe_summary(o);

	ck_assert(!s->livelock.found);
	ck_assert_int_eq(s->livelock.first_ps, -1);
	ck_assert_int_eq(s->flows.finished, 1);
	observe_free(&o);
	fabric_free(&f);
}
END_TEST

/* 40 losses, 256 packets of 839.6 ns apart, take 8.6 ms; then the message gets through.
 * With 20 it is 4.3 ms, less than run.stall. */
START_TEST(it_ends_with_the_losses)
{
	tune.recovery = NIC_GO_BACK_0;
	for (int i = 0; i < 2; i++) {
		tune.fault = loses(i ? 20 : 40);
		struct fabric *f = one_message(12000000000);
		struct observe *o = watch(f, &(struct observe_conf){ .experiment = "livelock" });
		struct summary *s = observe_summary(o);

		ck_assert_int_eq(s->flows.finished, 1);
		ck_assert(s->livelock.found == !i);
		if (!i) {
			ck_assert_int_gt(s->livelock.until_ps, 8500000000);
			ck_assert_int_lt(s->livelock.until_ps, 8900000000);
		}
		observe_free(&o);
		fabric_free(&f);
	}
}
END_TEST

/* 4 MB every 20 ms are 4 % of the line: a sender that waits for its timer is not busy. */
START_TEST(retry_timers_are_a_stall)
{
	tune.retry_timeout_ps = 20000000000;
	tune.retry_count = 100;
	tune.fault = (struct fault_conf){ .name = (char[]){ "cut" }, .kind = FAULT_LINK_DOWN,
		.a = (char[]){ "tor" }, .b = (char[]){ "h2" }, .class_ = -1, .at_ps = 50000000,
		.lasts_ps = UNITS_NEVER };
	struct fabric *f = one_message(70000000000);
	struct observe *o = watch(f, &(struct observe_conf){ .experiment = "livelock" });
	struct summary *s = observe_summary(o);

	ck_assert(s->stall.found && !s->livelock.found);
	observe_free(&o);
	fabric_free(&f);
}
END_TEST

static void reset(void)
{
	memset(&tune, 0, sizeof(tune));
}

int main(void)
{
	Suite *s = suite_create("livelock");
	TCase *t = tcase_create("livelock");

	tcase_add_checked_fixture(t, reset, NULL);
	tcase_add_test(t, go_back_0_never_ends);
	tcase_add_test(t, go_back_n_gets_on);
	tcase_add_test(t, it_ends_with_the_losses);
	tcase_add_test(t, retry_timers_are_a_stall);
	suite_add_tcase(s, t);
	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
