/*
 * No flow hangs in silence: on random fabrics (chance.h: any verb, recovery, receive
 * queue, timer, fault) every queue pair that has something to do has something that will
 * make it go on: its turn at the port, its pacing instant, or a timer that is armed.
 * And every unfinished message is listed with what it waits for.
 *
 * A requester's READ may only wait for its own timer or turn: the responder has no
 * timer where nobody acknowledges its data.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "models/fabric_inside.h"
#include "tests/support/chance.h"

enum { SEEDS = 150 };

struct waits { uint64_t seed; int64_t n; };

static void listed(void *ctx, uint32_t flow, const char *waits_for)
{
	struct waits *w = ctx;

	(void)flow;
	w->n++;
	ck_assert_msg(waits_for && strcmp(waits_for, "nothing"), "SEED=%llu: a message waits for %s",
		      (unsigned long long)w->seed, waits_for ? waits_for : "(null)");
}

static bool armed(const struct qp *q)
{
	return q->retry_at_ps != UNITS_NEVER && q->timer_at_ps <= q->retry_at_ps;
}

static bool goes_on(const struct qp *q, int64_t now)
{
	if (q->state == QP_READY)
		return true;
	if (q->state == QP_PACED)
		return q->next_send_ps >= now;
	return armed(q);
}

/* How many messages stand on the queue pairs that live. */
static int64_t look(const struct fabric *f, uint64_t seed)
{
	const struct host_net *hn = &f->hosts;
	int64_t messages = 0;

	for (uint32_t i = 1; i < hn->qps.fresh; i++) {
		const struct qp *q = host_qp(hn, i);

		if (q->state == QP_CLOSED || q->stream || q->msg_una == POOL_NONE)
			continue;
		for (uint32_t m = q->msg_una; q->side != QP_RESPONDER && m != POOL_NONE; m = host_msg(hn, m)->next)
			messages++;
		ck_assert_msg(goes_on(q, f->net.now_ps), "SEED=%llu: queue pair %u (verb %d, side %d, state %d) "
			      "of %s has messages and nothing to wake it", (unsigned long long)seed, i, q->verb,
			      q->side, q->state, f->net.nodes[q->src].name);
	}
	return messages;
}

START_TEST(nothing_hangs_in_silence)
{
	struct chance *c = calloc(1, sizeof *c);
	struct chance_build how = { 0 };
	struct waits w = { .seed = (uint64_t)_i };
	struct sim_error err;
	struct bed b;

	error_init(&err);
	chance_draw(c, w.seed, false);
	c->run.until_ps *= 5;
	if (chance_make(c, &how, &b, &err) == 0) {
		bed_run(&b);
		view_unfinished(b.f, listed, &w);
		ck_assert_int_eq(w.n, look(b.f, w.seed));
	}
	bed_close(&b);
	free(c);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("liveness");
	TCase *t = tcase_create("liveness");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, nothing_hangs_in_silence, 1, SEEDS + 1);
	suite_add_tcase(s, t);
	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
