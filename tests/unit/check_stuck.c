/*
 * observe/stuck, driven by observe/deadlock: the circle it names, and the fixed
 * point against an independent reckoning on random states.
 */
#include "observe/deadlock.h"
#include "tests/unit/fake_fabric.h"

/* A ring of five with a way back from C to B: the circle of two is named. */
START_TEST(the_shortest_circle_is_named)
{
	struct fabric f;
	ring(&f, 5);
	struct deadlock *d = deadlock_new(&f, NULL, NULL);
	uint32_t back = 3 * 2;		/* C towards B */

	close_ring(&f, 5);
	stop(&f, back, out_of(1), 100000);	/* B's group from C waits for B's way to C */
	f.group[f.port[out_of(1)].peer_port].held[back] =
		100000; /* and C's from B for C's to B */
	instant_ends(&f);
	struct deadlock_report r = deadlock_report(d);
	ck_assert_uint_eq(r.ncycle, 2);
	ck_assert_uint_eq(r.cycle[0], out_of(1) * 8 + Q);
	ck_assert_uint_eq(r.cycle[1], back * 8 + Q);
	ck_assert_uint_eq(r.nvictims, 4);
	deadlock_free(&d);
}
END_TEST

/* ---- the whole, on random histories ---- */

static uint32_t dice(uint64_t *seed, uint32_t sides)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 33) % sides;
}

static bool between_switches(const struct fabric *f, uint32_t p)
{
	return f->is_switch[f->port[p].node] &&
	       f->is_switch[f->port[f->port[p].peer_port].node];
}

/* What of group `in` waits in frozen queues. */
static int64_t left_of(const struct fabric *f, uint32_t in, const bool *frozen)
{
	int64_t left = 0;

	for (uint32_t out = 0; out < f->ports; out++)
		left += frozen[out] ? f->group[in].held[out] : 0;
	return left;
}

/* Independent of observe/: let every queue move whose far group can drain, and
 * see which never do. */
static bool oracle(const struct fabric *f)
{
	bool frozen[PORTS] = { false }, changed = true, any = false;

	for (uint32_t p = 0; p < f->ports; p++) {
		const struct view_group *g = &f->group[f->port[p].peer_port].g;
		frozen[p] = f->paused[p] && between_switches(f, p) && g->xoff && g->xoff_sent &&
			    g->refreshed;
	}
	while (changed) {
		changed = false;
		for (uint32_t p = 0; p < f->ports; p++) {
			uint32_t in = f->port[p].peer_port, node = f->port[in].node;
			int64_t left = left_of(f, in, frozen), xon = f->xon_bytes, pool = 0;
			for (uint32_t i = 0; i < f->count[node]; i++)
				pool += left_of(f, f->first[node] + i, frozen);
			if (f->pool_bytes)
				xon = (f->pool_bytes - pool) / 2;
			if (frozen[p] && (!left || left <= xon)) {
				frozen[p] = false;
				changed = true;
			}
		}
	}
	for (uint32_t p = 0; p < f->ports; p++)
		any |= frozen[p];
	return any;
}

static void put_bytes(struct fabric *f, uint32_t in, uint32_t out, int64_t bytes)
{
	f->group[in].held[out] += bytes;
	f->group[in].g.shared_bytes += bytes;
	if (f->paused[out])
		emit(f, RECORD_HELD, out, 0, 0);
}

/* One thing happens at one of the 15 ports of five switches. */
static void random_step(struct fabric *f, uint64_t *seed)
{
	uint32_t port = dice(seed, 15), out = port / 3 * 3 + dice(seed, 3);
	struct fake_group *g = &f->group[port];

	switch (dice(seed, 8)) {
	case 0:
	case 1:
		if (f->paused[port])
			break;
		f->paused[port] = true;
		emit(f, RECORD_PAUSED, port, 0, 0);
		break;
	case 2:
		if (!f->paused[port] || dice(seed, 4))
			break;
		release(f, port, 0);
		break;
	case 3:
		g->g.xoff = true;
		emit(f, RECORD_GROUP_XOFF, port, 0, 0);
		if (!dice(seed, 4))
			break;
		g->g.xoff_sent = true;
		emit(f, RECORD_XOFF_SENT, port, 0, 0);
		break;
	case 4:
		if (dice(seed, 4))
			break;
		g->g.xoff = g->g.xoff_sent = false;
		emit(f, RECORD_GROUP_XON, port, 0, 0);
		break;
	case 5:	/* what is not held may leave */
		if (f->paused[out])
			break;
		g->g.shared_bytes -= g->held[out];
		g->held[out] = 0;
		break;
	default:
		put_bytes(f, port, out, dice(seed, 60));
		break;
	}
}

START_TEST(random_histories_agree_with_the_oracle_at_every_step)
{
	uint64_t seed = 20250101;
	int found = 0, steps = 0;

	for (int i = 0; i < 2000; i++) {
		struct fabric f;
		ring(&f, 5);
		f.xon_bytes = 50;
		if (i % 2) {
			f.pool_bytes = 300 + dice(&seed, 1000);
			f.conf.buffer.xoff_bytes = -1;
		}
		for (uint32_t in = 0; in < 15; in++)
			f.group[in].g.refreshed = dice(&seed, 16) > 0;
		struct deadlock *d = deadlock_new(&f, NULL, NULL);
		for (int n = 0; n < 150 && !deadlock_standing(d); n++, steps++) {
			for (uint32_t k = dice(&seed, 3); k < 3; k++)
				random_step(&f, &seed);
			instant_ends(&f);
			ck_assert_msg(deadlock_standing(d) == oracle(&f), "history %d, step %d",
				      i, n);
		}
		struct deadlock_report r = deadlock_report(d);
		for (uint32_t k = 0; k < r.ncycle; k++) {
			uint32_t e = r.cycle[k] / 8, next = r.cycle[(k + 1) % r.ncycle] / 8;
			ck_assert(f.paused[e] && f.group[f.port[e].peer_port].held[next] > 0);
		}
		found += deadlock_standing(d);
		deadlock_free(&d);
	}
	ck_assert_int_gt(found, 300);
	ck_assert_int_lt(found, 1950);
	ck_assert_int_gt(steps, 30000);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("stuck");
	TCase *t = tcase_create("fixed point");

	tcase_add_test(t, the_shortest_circle_is_named);
	tcase_add_test(t, random_histories_agree_with_the_oracle_at_every_step);
	suite_add_tcase(s, t);
	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
