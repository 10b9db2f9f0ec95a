/*
 * The worked example of doc/adding-a-congestion-control.md: its table of facts,
 * and a run of the simulator with it.  It is in no registry: a NIC takes any
 * struct cc_ops.
 */
#include <stdio.h>

#include "tests/support/bed.h"
#include "tests/unit/cc_facts.h"
#include "tests/unit/example_cc.h"

/* A bandwidth-delay product of 100000 B: 25 packets. */
static const struct cc_path path = { .base_rtt_ps = 8 * US, .line_bps = G100,
				     .mtu_bytes = 4000, .hops = 2 };

#define ROW(seq, nxt, bytes, marked, cwnd) \
	{ ACK, { .now_ps = seq, .ack_seq = seq, .snd_nxt = nxt, .acked_bytes = bytes, \
		 .ce_bytes = marked, .rtt_ps = 8 * US }, cwnd, G100 }

START_TEST(halves_once_in_a_window_and_grows_by_one_mtu)
{
	static const struct fact_row rows[] = {
		ROW(4000, 104000, 4000, 0, 100160),		/* 4000 * 4000 / 100000 */
		ROW(8000, 108000, 4000, 4000, 50080),
		ROW(12000, 108000, 4000, 4000, 50080),		/* deaf up to 108000 */
		ROW(108000, 110000, 96000, 0, 57747),	/* 16e6 * 24 / 50080 = 7667.73 */
		ROW(112000, 116000, 4000, 4000, 28873),
		ROW(120000, 120000, 4000, 4000, 14436),
		ROW(124000, 124000, 4000, 4000, 7218),
		ROW(128000, 128000, 4000, 4000, 4000),		/* one MTU at least */
	};

	facts_begin(&example_cc_ops, NULL, &path, NULL);
	ck_assert_int_eq(cc->out.cwnd_bytes, 100000);
	WALK(rows);
}
END_TEST

START_TEST(decrease_is_a_setting)
{
	static const char *const most[] = { "decrease", "7/8", NULL };
	static const struct fact_row rows[] = { ROW(4000, 104000, 4000, 4000, 87500) };

	facts_begin(&example_cc_ops, NULL, &path, most);
	WALK(rows);
}
END_TEST

START_TEST(answers_stay_in_bounds)
{
	struct cc_path p = path;

	p.base_rtt_ps = _i % 2 ? 0 : path.base_rtt_ps;
	facts_begin(&example_cc_ops, NULL, &p, NULL);
	facts_any((uint64_t)_i);
}
END_TEST

/* Two senders, one receiver, a step at K = 100 KB.  C T is 58.5 KB (4.7 us), so
 * the windows halve from K + C T to no less than 79 KB, which still fills the
 * link; it is shared evenly, and PFC is silent. */
START_TEST(two_senders_share_a_link)
{
	struct bed b;
	int64_t got[2];

	facts_begin(&example_cc_ops, NULL, &path, NULL);	/* fills facts_conf */
	bed_open(&b, 10 * BED_MS);
	b.sw.buffer.size_bytes = 32000000;
	b.sw.ecn[BED_RDMA] = (struct ecn_conf){ .on = true, .kmin_bytes = 100000,
						.kmax_bytes = 100000, .pmax = { 1, 1 } };
	b.nic.cc = &example_cc_ops;
	b.nic.cc_conf = facts_conf;
	bed_switch(&b, "s");
	bed_leaf(&b, "a", "s", 0, 100 * BED_G, BED_US);
	bed_leaf(&b, "b", "s", 1, 100 * BED_G, BED_US);
	bed_leaf(&b, "c", "s", 2, 100 * BED_G, BED_US);
	bed_flow(&b, "from-a", "a", "c", 200000000, 1);
	bed_flow(&b, "from-b", "b", "c", 200000000, 1);
	bed_run(&b);
	got[0] = bed_workload(&b, "from-a").delivered_bytes;
	got[1] = bed_workload(&b, "from-b").delivered_bytes;
	/* 12.5 GB/s * 4096/4178 * 10 ms = 122.5 MB less the first round trip */
	ck_assert_int_gt(got[0] + got[1], 122000000);
	ck_assert_int_gt(got[0], 49000000);
	ck_assert_int_gt(got[1], 49000000);
	ck_assert_int_gt(bed_counters(&b, "s", 2, 3).marked, 100);
	ck_assert_int_lt(bed_counters(&b, "s", 2, 3).queue_peak_bytes, 250000);
	for (int port = 0; port < 3; port++)
		ck_assert_int_eq(bed_counters(&b, "s", port, 3).xoff_frames, 0);
	bed_close(&b);
}
END_TEST

static char *slurp(const char *name, char *buf, size_t size)
{
	const char *src = getenv("XOFF_SRC");
	char path_name[4096];
	FILE *f;
	size_t n;

	snprintf(path_name, sizeof(path_name), "%s/%s", src ? src : ".", name);
	f = fopen(path_name, "r");
	ck_assert_msg(f != NULL, "cannot open %s", path_name);
	n = fread(buf, 1, size - 1, f);
	fclose(f);
	buf[n] = 0;
	return buf;
}

/* The page shows the file as it is built. */
START_TEST(the_page_shows_this_code)
{
	static char page[65536], code[16384];
	char *block = strstr(slurp("doc/adding-a-congestion-control.md", page, sizeof(page)),
			     "```c\n");
	char *end;

	ck_assert_ptr_nonnull(block);
	block += strlen("```c\n");
	end = strstr(block, "```");
	ck_assert_ptr_nonnull(end);
	*end = 0;
	ck_assert_str_eq(block, slurp("tests/unit/example_cc.c", code, sizeof(code)));
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("example_cc");

	tcase_add_test(tc, halves_once_in_a_window_and_grows_by_one_mtu);
	tcase_add_test(tc, decrease_is_a_setting);
	tcase_add_loop_test(tc, answers_stay_in_bounds, 0, 4);
	tcase_add_test(tc, two_senders_share_a_link);
	tcase_add_test(tc, the_page_shows_this_code);
	return facts_main("example_cc", tc);
}
