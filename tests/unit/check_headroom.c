/* models/switch/headroom: the terms, the exact need, and its bounds. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "models/switch/headroom.h"
#include "models/wire/pfc.h"

#define G INT64_C(1000000000)

/* algorithms.md section 5, column "with 31B quanta & +38 B/frame": 2 * length
 * * 5 ns * rate + 2 * (MTU + 38) + 84 + response of 802.3 31B.3.7. */
static const struct { int64_t rate_bps, metres, mtu, bytes; } table[] = {
	{ 40 * G, 300, 1500, 25712 },
	{ 100 * G, 5, 1500, 29001 }, { 100 * G, 5, 4096, 34193 }, { 100 * G, 5, 9216, 44433 },
	{ 100 * G, 40, 1500, 33376 }, { 100 * G, 40, 4096, 38568 },
	{ 100 * G, 40, 9216, 48808 },
	{ 100 * G, 300, 1500, 65876 }, { 100 * G, 300, 4096, 71068 },
	{ 100 * G, 300, 9216, 81308 },
	{ 400 * G, 300, 1500, 211080 }, { 400 * G, 300, 4096, 216272 },
	{ 400 * G, 300, 9216, 226512 },
};

START_TEST(ieee_form)
{
	struct headroom_conf conf = {
		.rate_bps = table[_i].rate_bps, .delay_ps = table[_i].metres * 5000,
		.response_ps = pfc_response_ps(table[_i].rate_bps),
		.forward_bytes = table[_i].mtu + 18, .reverse_bytes = table[_i].mtu + 18,
		.cell_bytes = 1,
	};
	struct headroom_terms t;

	headroom_compute(&conf, &t);
	ck_assert_int_eq(t.ieee_bytes, table[_i].bytes);
	/* an upper bound of the exact form N * F, whose N >= window/(F + 20): too
	 * large by at most a frame, and 20 B a frame of the window */
	ck_assert_int_le(t.full.bytes, t.ieee_bytes);
	ck_assert_int_ge(t.full.bytes, t.ieee_bytes - (table[_i].mtu + 38)
			 - t.full.frames * 20);
	ck_assert_int_eq(t.window_bytes, t.propagation_bytes + t.response_bytes
			 + t.reverse_bytes + t.pause_bytes);
}
END_TEST

/*
 * By hand, 100G, 300 m, RoCE frames of 4158 B both ways, cells of 208 B:
 * window = 37500 + 394 * 64 + 4178 + 84 = 66978 B.
 * full: ceil(66978/4178) = 17 frames of ceil(4158/208) = 20 cells = 340.
 * worst: 64 B in one cell: ceil(66978/84) = 798; (209 B: 293 * 2 = 586).
 * mix: floor(66977 * 1/84) + 20 = 817.
 */
START_TEST(exact_form_by_hand)
{
	struct headroom_conf conf = {
		.rate_bps = 100 * G, .delay_ps = 1500000, .response_ps = 394 * 5120,
		.forward_bytes = 4158, .reverse_bytes = 4158, .cell_bytes = 208,
	};
	struct headroom_terms t;

	headroom_compute(&conf, &t);
	ck_assert_int_eq(t.propagation_ps, 3000000);
	ck_assert_int_eq(t.propagation_bytes, 37500);
	ck_assert_int_eq(t.response_bytes, 25216);
	ck_assert_int_eq(t.reverse_bytes, 4178);
	ck_assert_int_eq(t.reverse_ps, 334240);
	ck_assert_int_eq(t.pause_bytes, 84);
	ck_assert_int_eq(t.pause_ps, 6720);
	ck_assert_int_eq(t.window_bytes, 66978);
	ck_assert_int_eq(t.window_ps, 66978 * 80);
	ck_assert_int_eq(t.full.frames, 17);
	ck_assert_int_eq(t.full.cells, 340);
	ck_assert_int_eq(t.full.bytes, 70720);
	ck_assert_int_eq(t.worst.frame_bytes, 64);
	ck_assert_int_eq(t.worst.frames, 798);
	ck_assert_int_eq(t.worst.cells, 798);
	ck_assert_int_eq(t.mix_bytes, 817 * 208);
}
END_TEST

/* Small cells make cell * k + 1 the worst: 48 B cells, 64 B in 2 cells (84 B
 * of wire), 97 B in 3 (117 B): 3/117 > 2/84 a byte. */
START_TEST(one_byte_over_a_cell)
{
	struct headroom_conf conf = {
		.rate_bps = 100 * G, .delay_ps = 500000, .response_ps = 0,
		.forward_bytes = 100, .reverse_bytes = 100, .cell_bytes = 48,
	};
	struct headroom_terms t;

	headroom_compute(&conf, &t);
	/* window 12500 + 120 + 84 = 12704: ceil(/117) = 109 * 3; ceil(/84) = 152 * 2 */
	ck_assert_int_eq(t.window_bytes, 12704);
	ck_assert_int_eq(t.worst.frame_bytes, 97);
	ck_assert_int_eq(t.worst.cells, 327);
}
END_TEST

static int64_t cells_of(int64_t bytes, int64_t cell) { return (bytes + cell - 1) / cell; }

/* The largest number of cells of any mixture, by dynamic programming: frames
 * start one after another while the window lasts. */
static int64_t most_cells(int64_t window, int64_t largest, int64_t cell)
{
	int64_t *best = calloc((size_t)window + 1, sizeof(*best)), most = 0;

	for (int64_t at = 0; at < window; at++) {
		if (at > 0 && best[at] == 0)
			continue;		/* no frame starts here */
		for (int64_t f = 64; f <= largest; f++) {
			int64_t then = at + f + 20, cells = best[at] + cells_of(f, cell);

			if (cells > most)
				most = cells;
			if (then < window && cells > best[then])
				best[then] = cells;
		}
	}
	free(best);
	return most;
}

START_TEST(mix_bounds_every_mixture)
{
	uint64_t x = 99;

	for (int i = 0; i < 200; i++) {
		struct headroom_conf conf = { .rate_bps = 100 * G };
		struct headroom_terms t;
		int64_t most;

		x = x * 6364136223846793005u + 1442695040888963407u;	/* Knuth's LCG */
		conf.delay_ps = 1 + (int64_t)(x >> 33) % 100000;
		conf.response_ps = (int64_t)(x >> 21) % 100000;
		conf.forward_bytes = 64 + (int64_t)(x >> 40) % 400;
		conf.reverse_bytes = 64 + (int64_t)(x >> 45) % 400;
		conf.cell_bytes = 1 + (int64_t)(x >> 50) % 256;
		headroom_compute(&conf, &t);
		most = most_cells(t.window_bytes, conf.forward_bytes, conf.cell_bytes)
			* conf.cell_bytes;
		ck_assert_int_le(most, t.mix_bytes);
		ck_assert_int_ge(most, t.worst.bytes);
		ck_assert_int_ge(t.worst.bytes, t.full.bytes);
		/* and not far from the truth: the last frame's cells */
		ck_assert_int_le(t.mix_bytes, most + (cells_of(conf.forward_bytes,
				 conf.cell_bytes) + 1) * conf.cell_bytes);
	}
}
END_TEST

/* A 30G link: bytes that do not fill a byte time round up once, in the sum. */
START_TEST(rounding_is_up_and_once)
{
	struct headroom_conf conf = {
		.rate_bps = 30 * G, .delay_ps = 67, .response_ps = 133,
		.forward_bytes = 64, .reverse_bytes = 64, .cell_bytes = 1,
	};
	struct headroom_terms t;

	headroom_compute(&conf, &t);
	/* 134 ps and 133 ps are 0.5025 and 0.49875 byte times of 266.67 ps */
	ck_assert_int_eq(t.propagation_bytes, 1);
	ck_assert_int_eq(t.response_bytes, 1);
	ck_assert_int_eq(t.window_bytes, 2 + 84 + 84);	/* 1.00125 byte times, up */
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("headroom");
	TCase *tc = tcase_create("headroom");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, ieee_form, 0, sizeof(table) / sizeof(table[0]));
	tcase_add_test(tc, exact_form_by_hand);
	tcase_add_test(tc, one_byte_over_a_cell);
	tcase_add_test(tc, mix_bounds_every_mixture);
	tcase_add_test(tc, rounding_is_up_and_once);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
