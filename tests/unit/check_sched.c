/*
 * models/wire/sched: strict order, shares by weight, bounds of the deficit.
 *
 * Bounds: a backlogged queue of surplus round robin is within a quantum and a
 * frame of its share (Adiseshu et al., SIGCOMM 1996, theorem 3.1).
 */
#include <check.h>
#include <stdlib.h>

#include "models/wire/sched.h"

static uint64_t next(uint64_t *x)
{
	*x ^= *x << 13; *x ^= *x >> 7; *x ^= *x << 17;		/* xorshift64 */
	return *x >> 16;
}

START_TEST(nothing_ready_and_one_ready)
{
	static const int64_t weights[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	struct sched s;

	sched_init(&s, 1u << 6, weights);
	ck_assert_int_eq(sched_pick(&s, 0), -1);
	for (int q = 0; q < 8; q++)
		for (int i = 0; i < 100000; i++) {
			ck_assert_int_eq(sched_pick(&s, 1u << q), q);
			sched_charge(&s, q, 9216);
			ck_assert_int_ge(s.deficit[q], -9216);
		}
}
END_TEST

START_TEST(strict_highest_first)
{
	static const int64_t weights[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	struct sched s;

	sched_init(&s, 1u << 7 | 1u << 2, weights);
	for (int i = 0; i < 10000; i++) {
		ck_assert_int_eq(sched_pick(&s, 0xff), 7);
		sched_charge(&s, 7, 9216);
		ck_assert_int_eq(sched_pick(&s, 0x7f), 2);
		sched_charge(&s, 2, 9216);
	}
}
END_TEST

/* Weights, and the frame size of each queue (0: random 84..9236). */
static const struct { int64_t weight[8]; int32_t frame[8]; unsigned ready; } shares[] = {
	{ { 1, 1 }, { 1000, 1000 }, 0x03 },
	{ { 1, 1 }, { 84, 9236 }, 0x03 },
	{ { 50, 25, 12, 13 }, { 0, 0, 0, 0 }, 0x0f },
	{ { 1, 2, 3, 4, 5, 6, 7, 8 }, { 0, 84, 4198, 0, 9236, 1520, 86, 0 }, 0xff },
	{ { 100, 1 }, { 84, 9236 }, 0x03 },
	{ { 0, 0, 3, 0, 0, 9 }, { 0, 0, 9236, 0, 0, 84 }, 0x24 },
	{ { 65535, 65534, 65533 }, { 0, 0, 0 }, 0x07 },
};

START_TEST(backlogged_queues_share_by_weight)
{
	int64_t sent[8] = {0};
	uint64_t x = 42;
	struct sched s;

	sched_init(&s, 0, shares[_i].weight);
	for (int i = 0; i < 300000; i++) {
		int q = sched_pick(&s, shares[_i].ready);
		int32_t bytes = shares[_i].frame[q & 7];

		ck_assert(shares[_i].ready >> q & 1);
		ck_assert_int_eq(sched_pick(&s, shares[_i].ready), q);
		if (!bytes)
			bytes = 84 + (int32_t)(next(&x) % 9153);
		sched_charge(&s, q, bytes);
		sent[q] += bytes;
		ck_assert_int_le(s.deficit[q], s.quantum[q]);
		ck_assert_int_ge(s.deficit[q], -9236);
	}
	/* sent/quantum = rounds, the same for all but for a round and a frame */
	for (int a = 0; a < 8; a++)
		for (int b = 0; b < 8; b++) {
			double rounds_a, rounds_b;

			if (!(shares[_i].ready >> a & shares[_i].ready >> b & 1))
				continue;
			rounds_a = (double)sent[a] / s.quantum[a];
			rounds_b = (double)sent[b] / s.quantum[b];
			ck_assert_double_le(rounds_a - rounds_b, 1 + 9236.0 / s.quantum[a]
					    + 9236.0 / s.quantum[b]);
		}
}
END_TEST

/* Queue 1 is idle for long, then backlogged: it has saved up no more than a
 * quantum and owes no more than a frame, so shares are even from there. */
START_TEST(idleness_neither_pays_nor_costs)
{
	static const int64_t weights[8] = { 1, 1 };
	int64_t sent[2] = {0};
	struct sched s;

	sched_init(&s, 0, weights);
	for (int i = 0; i < 100; i++)
		sched_charge(&s, sched_pick(&s, 3), 9236);
	for (int i = 0; i < 100000; i++)
		sched_charge(&s, sched_pick(&s, 1), 9236);
	for (int i = 0; i < 1000; i++) {
		int q = sched_pick(&s, 3);

		sched_charge(&s, q, 1000);
		sent[q] += 1000;
	}
	ck_assert_int_le(llabs(sent[0] - sent[1]), 2 * (SCHED_QUANTUM_BYTES + 9236));
}
END_TEST

/* Any sequence of ready masks: the pick is ready, the deficits stay bounded. */
START_TEST(any_masks_stay_bounded)
{
	static const int64_t weights[8] = { 1, 7, 50, 3, 0, 20, 1, 19 };
	uint64_t x = 7;
	struct sched s;

	sched_init(&s, 1u << 6, weights);
	for (int i = 0; i < 1000000; i++) {
		unsigned mask = (unsigned)next(&x) & (unsigned)next(&x) & 0xff;
		int q = sched_pick(&s, mask);

		if (!mask) {
			ck_assert_int_eq(q, -1);
			continue;
		}
		ck_assert(mask >> q & 1);
		sched_charge(&s, q, 84 + (int32_t)(next(&x) % 9153));
		for (int k = 0; k < 8; k++) {
			ck_assert_int_le(s.deficit[k], s.quantum[k]);
			ck_assert_int_ge(s.deficit[k], -9236);
		}
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sched");
	TCase *tc = tcase_create("sched");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, nothing_ready_and_one_ready);
	tcase_add_test(tc, strict_highest_first);
	tcase_add_loop_test(tc, backlogged_queues_share_by_weight, 0,
			    sizeof(shares) / sizeof(shares[0]));
	tcase_add_test(tc, idleness_neither_pays_nor_costs);
	tcase_add_test(tc, any_masks_stay_bounded);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
