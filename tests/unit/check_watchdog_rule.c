/*
 * models/switch/watchdog_rule: the verdict of each platform on one poll, for facts that
 * differ from a storm in one thing at a time.
 *
 * sonic-swss, orchagent/pfc_detect_<platform>.lua: which counters each script compares
 * (doc/sources.md, section 6).
 */
#include <check.h>
#include <stdlib.h>

#include "models/switch/switch.h"

enum { PRIO = 3, POLL_US = 1000 };
#define US INT64_C(1000000)

/* Since the last poll: were pauses received, is it paused now, was it all the time, are
 * there bytes in the queue, did a frame leave, for how much of the poll was it stopped. */
struct facts { bool received, paused, throughout, held, moved; int64_t stopped_us; };

static bool verdict(int rule, struct facts f)
{
	struct port port = { .paused = f.paused ? 1u << PRIO : 0, .queues_of = { [PRIO] = 1u << PRIO } };
	struct port_stats *stats = aligned_alloc(64, 8 * sizeof(*stats));
	struct watchdog_row row[8] = { [PRIO] = { .was_paused = f.throughout } };
	struct watchdog_conf conf = { .rule = rule };
	struct watchdog w = { .conf = &conf, .row = row, .times = { .poll_ps = POLL_US * US } };
	struct net net = { .ports = &port, .stats = stats, .now_ps = 10 * POLL_US * US };

	for (int i = 0; i < 8; i++)
		stats[i] = (struct port_stats){ 0 };
	stats[PRIO].pfc_received = f.received;
	stats[PRIO].tx_frames = f.moved;
	stats[PRIO].on_to_off = !f.throughout;
	port.queue[PRIO].bytes = f.held ? 1500 : 0;
	port.paused_since_ps[PRIO] = net.now_ps - f.stopped_us * US;
	stats[PRIO].paused_ps = f.paused ? 0 : f.stopped_us * US;
	bool bad = watchdog_bad(&net, &w, &port, PRIO);
	free(stats);
	return bad;
}

/* A storm of a full queue, of an empty one, and what is different. */
#define FULL  { true, true, true, true, false, POLL_US }
#define EMPTY { true, true, true, false, false, POLL_US }
static const struct facts facts[] = {
	FULL,
	EMPTY,
	{ .received = false, .paused = true, .throughout = true, .held = true, .stopped_us = POLL_US },
	{ .received = false, .paused = true, .throughout = true, .held = false, .stopped_us = POLL_US },
	{ .received = true, .paused = true, .throughout = false, .held = true, .stopped_us = 990 },
	{ .received = true, .paused = true, .throughout = false, .held = true, .stopped_us = 995 },
	{ .received = true, .paused = true, .throughout = false, .held = true, .moved = true, .stopped_us = 900 },
	{ .received = true, .paused = true, .throughout = false, .held = false, .moved = true, .stopped_us = 900 },
	{ .received = true, .paused = false, .throughout = false, .held = true, .stopped_us = 700 },
	{ .received = false, .paused = false, .throughout = false, .held = false, .stopped_us = 800 },
	{ .received = false, .paused = false, .throughout = false, .held = false, .stopped_us = 810 },
	{ .received = false, .paused = true, .throughout = true, .held = true, .moved = true, .stopped_us = POLL_US },
};
enum { FACTS = sizeof(facts) / sizeof(facts[0]) };

/* In the order of the facts above: '!' is a storm. */
static const struct { int rule; const char *storms; } rules[] = {
	/* received, and paused throughout */
	{ WATCHDOG_BROADCOM, "!!.........." },
	/* paused throughout */
	{ WATCHDOG_PAUSED,   "!!!!.......!" },
	{ WATCHDOG_HARDWARE, "!!!!.......!" },
	/* bytes wait, none left, stopped for more than 99 % of the poll */
	{ WATCHDOG_MELLANOX, "!.!..!......" },
	/* received, stopped for more than 80 %, and empty or unmoved */
	{ WATCHDOG_TERALYNX, "!!..!!.!...." },
	/* paused now */
	{ WATCHDOG_CISCO,    "!!!!!!!!...!" },
	/* paused now, bytes wait, none left */
	{ WATCHDOG_JUNIPER,  "!.!.!!......" },
	/* received, bytes wait, none left */
	{ WATCHDOG_PRESTERA, "!...!!..!..." },
	/* none left; and received where bytes wait, else stopped for more than 80 % */
	{ WATCHDOG_CLASSIC,  "!!.!!!..!.!." },
};

START_TEST(each_fact_counts_where_it_should)
{
	for (int i = 0; i < FACTS; i++)
		ck_assert_msg(verdict(rules[_i].rule, facts[i]) == (rules[_i].storms[i] == '!'),
			      "rule %d, facts %d: wanted %c", rules[_i].rule, i, rules[_i].storms[i]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("watchdog_rule");
	TCase *tc = tcase_create("watchdog_rule");
	SRunner *runner = srunner_create(suite);

	tcase_add_loop_test(tc, each_fact_counts_where_it_should, 0, sizeof(rules) / sizeof(rules[0]));
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
