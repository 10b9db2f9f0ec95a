/*
 * models/host/ideal: the closed form against formulas and against the plain
 * max-plus recurrence, which stands below frame by frame.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "models/host/ideal.h"

#define G INT64_C(1000000000)
#define PS_BITS INT64_C(8000000000000)
enum { LINKS = 12 };

/*
 * algorithms.md 6.1 - 6.3, in our framing: F = 1028 B is 1048 B of wire, S =
 * 83.84 ns at 100G; the last IFG (12 B, 960 ps) is not waited for.
 * One packet, h hops: h (S - 960 ps + d).  n packets: ... + (n - 1) S.
 */
START_TEST(equal_links)
{
	static const int64_t rate[6] = { 100 * G, 100 * G, 100 * G, 100 * G, 100 * G, 100 * G };
	static const int64_t us = 1000000;
	const int64_t delay[6] = { us, us, us, us, us, us };
	static const int64_t latency[5];
	const int64_t s = 83840, arrive = s - 960 + 1000000;

	for (int h = 1; h <= 6; h++) {
		ck_assert_int_eq(ideal_ps(rate, delay, latency, h, 1028, 0, 0, 0), h * arrive);
		ck_assert_int_eq(ideal_ps(rate, delay, latency, h, 1028, 1028, 998, 1028),
				 h * arrive + 999 * s);
		ck_assert_int_eq(ideal_ps(rate, delay, latency, h, 0, 1028, 1000, 0),
				 h * arrive + 999 * s);
	}
	/* 85.924 us of 6.2, less two gaps: 2 * 960 ps */
	ck_assert_int_eq(ideal_ps(rate, delay, latency, 2, 0, 1028, 1000, 0),
			 85923840 - 1920);
}
END_TEST

/* Different rates: sum of crossings + (n - 1) * the slowest (6.3); 800G: 10 ps
 * a byte, 40G: 200 ps. */
START_TEST(different_rates)
{
	static const int64_t rate[3] = { 100 * G, 40 * G, 800 * G };
	static const int64_t delay[3] = { 25000, 200000, 1 };
	static const int64_t latency[2] = { 450000, 1 };
	int64_t cross = 1036 * (80 + 200 + 10) + 25000 + 200000 + 1 + 450000 + 1;

	ck_assert_int_eq(ideal_ps(rate, delay, latency, 3, 0, 1028, 5000, 0),
			 cross + 4999 * INT64_C(1048) * 200);
}
END_TEST

struct message { int64_t first, mid, n_mid, last; };

/* Frame by frame with the port's own rounding: a busy wire carries the rest of
 * the division, an idle one starts anew (models/wire/port.c). */
struct wire { int64_t rate, rest, free_ps; };

static int64_t after(struct wire *w, int64_t from, int64_t bytes)
{
	__int128 t = (__int128)bytes * PS_BITS + w->rest;

	w->rest = (int64_t)(t % w->rate);
	return from + (int64_t)(t / w->rate);
}

static int64_t plain_frame(struct wire *w, const int64_t *delay, const int64_t *latency,
			   int links, int64_t bytes)
{
	int64_t at = 0;

	for (int i = 0; i < links; i++) {
		int64_t end;

		if (at <= w[i].free_ps) {
			at = w[i].free_ps;
		} else {
			w[i].rest = 0;
		}
		end = after(&w[i], at, 8 + bytes);
		w[i].free_ps = after(&w[i], end, 12);
		at = end + delay[i] + (i < links - 1 ? latency[i] : 0);
	}
	return at;
}

static int64_t plain(const int64_t *rate, const int64_t *delay, const int64_t *latency,
		     int links, const struct message *m)
{
	struct wire w[LINKS] = {0};
	int64_t at = 0;

	for (int i = 0; i < links; i++)
		w[i].rate = rate[i];
	if (m->first)
		at = plain_frame(w, delay, latency, links, m->first);
	for (int64_t k = 0; m->mid && k < m->n_mid; k++)
		at = plain_frame(w, delay, latency, links, m->mid);
	if (m->last)
		at = plain_frame(w, delay, latency, links, m->last);
	return at;
}

static uint64_t seed;
static int64_t draw(int64_t below)
{
	seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17;	/* xorshift64 */
	return (int64_t)((seed >> 11) % (uint64_t)below);
}

static void random_case(const int64_t *rates, int nrates, int64_t *rate, int64_t *delay,
			int64_t *latency, int *links, struct message *m)
{
	*links = 1 + (int)draw(LINKS);
	for (int i = 0; i < *links; i++) {
		rate[i] = rates[draw(nrates)];
		delay[i] = 1 + draw(draw(2) ? 100 : 5000000);
		latency[i] = draw(2) ? 0 : draw(1000000);
	}
	m->first = draw(8) ? 64 + draw(9153) : 0;
	m->mid = draw(8) ? 64 + draw(9153) : 0;
	m->n_mid = draw(2) ? draw(4) : draw(400);
	m->last = draw(8) ? 64 + draw(9153) : 0;
}

START_TEST(closed_form_is_the_recurrence)
{
	static const int64_t rates[] = { G, 10 * G, 25 * G, 40 * G, 50 * G, 100 * G, 200 * G,
					 400 * G, 800 * G };
	int64_t rate[LINKS], delay[LINKS], latency[LINKS];
	struct message m;
	int links;

	seed = 88172645463325252u;
	for (int i = 0; i < 20000; i++) {
		random_case(rates, 9, rate, delay, latency, &links, &m);
		ck_assert_int_eq(ideal_ps(rate, delay, latency, links, m.first, m.mid, m.n_mid,
					  m.last),
				 plain(rate, delay, latency, links, &m));
	}
}
END_TEST

/* Byte times that are no whole picoseconds: never above a run, and within the
 * rounding of it. */
START_TEST(odd_rates_are_a_lower_bound)
{
	static const int64_t rates[] = { 30 * G, 70 * G, 56 * G, 100 * G, 123456789,
					 99999999999 };
	int64_t rate[LINKS], delay[LINKS], latency[LINKS];
	struct message m;
	int links;

	seed = 1234567;
	for (int i = 0; i < 20000; i++) {
		int64_t ideal, run;

		random_case(rates, 6, rate, delay, latency, &links, &m);
		ideal = ideal_ps(rate, delay, latency, links, m.first, m.mid, m.n_mid, m.last);
		run = plain(rate, delay, latency, links, &m);
		if (!m.first && !m.last && !(m.mid && m.n_mid))
			continue;	/* no frame at all */
		ck_assert_int_le(ideal, run);
		ck_assert_int_ge(ideal, run - links - 1);
	}
}
END_TEST

/* Nothing overflows: 1 TB in 4 KB packets at 1G is 8178 s. */
START_TEST(large_messages)
{
	const int64_t rate[2] = { G, 100 * G }, delay[2] = { 1, 1 }, latency[1] = { 0 };
	const int64_t n = 244140625;	/* 1e12 / 4096 */

	ck_assert_int_eq(ideal_ps(rate, delay, latency, 2, 0, 4158, n, 0),
			 (4166 * INT64_C(8000) + 1) + (n - 1) * 4178 * INT64_C(8000)
			 + 4166 * 80 + 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ideal");
	TCase *tc = tcase_create("ideal");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, equal_links);
	tcase_add_test(tc, different_rates);
	tcase_add_test(tc, closed_form_is_the_recurrence);
	tcase_add_test(tc, odd_rates_are_a_lower_bound);
	tcase_add_test(tc, large_messages);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
