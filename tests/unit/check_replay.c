/*
 * observe/replay: what replay.json holds agrees with the summary of its run, is
 * the same from run to run, and is fine where it matters.
 */
#include <ftw.h>
#include "tests/unit/small_fabric.h"
#include "observe/replay_code.h"

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

/* Whatever a run has left there. */
static void dir_remove(char *dir)
{
	ck_assert_int_eq(nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
	free(dir);
}

static int value_of(char c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	return (int)(strchr(digits, c) - digits);
}

/* The next integer of a column. */
static int64_t take(const char **text)
{
	uint64_t bits = 0;

	for (int shift = 0; ; shift += 5) {
		int digit = value_of(*(*text)++);
		bits |= (uint64_t)(digit & 31) << shift;
		if (!(digit & 32))
			return bits & 1 ? -(int64_t)(bits >> 1) : (int64_t)(bits >> 1);
	}
}

/* After the next `"key": "` or `"key": ` at or after `text`; NULL: there is none. */
static const char *find(const char *text, const char *key)
{
	char word[64];

	snprintf(word, sizeof(word), "\"%s\": ", key);
	text = text ? strstr(text, word) : NULL;
	return text ? text + strlen(word) + (text[strlen(word)] == '"') : NULL;
}

START_TEST(integers_and_levels)
{
	static const struct { int64_t value; const char *text; } known[] = {
		{ 0, "A" }, { 1, "C" }, { -1, "D" }, { 15, "e" }, { 16, "gB" }, { -16, "hB" },
		{ 1000000000000, NULL }, { -123456789012345, NULL },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		char *text;
		size_t size;
		FILE *out = open_memstream(&text, &size);
		replay_code_put(out, known[i].value);
		fclose(out);
		if (known[i].text)
			ck_assert_str_eq(text, known[i].text);
		const char *at = text;
		ck_assert_int_eq(take(&at), known[i].value);
		ck_assert_int_eq(*at, '\0');
		int64_t back = 1;
		at = text;
		ck_assert_int_eq(replay_code_get(&at, &back), 0);	/* as `xoff export' reads it */
		ck_assert_int_eq(back, known[i].value);
		ck_assert_int_eq(*at, '\0');
		ck_assert_int_eq(replay_code_get(&at, &back), -1);
		free(text);
	}
	for (int64_t v = 0; v < 128; v++)
		ck_assert_int_eq(replay_code_value(replay_code_level(v)), replay_code_level(v));
	for (int64_t v = 0; v < 128; v++)
		ck_assert_int_eq(replay_code_level(v), v);
	for (int64_t v = 1, last = 0; v < INT64_MAX / 3; v += v / 90 + 1) {
		int32_t level = replay_code_level(v);
		ck_assert_int_ge(level, last);
		last = level;
		if (v < 128)
			continue;
		int shift = (level >> 6) - 1;		/* as the page reads it */
		int64_t low = (int64_t)((level & 63) + 64) << shift;
		ck_assert_int_eq(replay_code_value(level), low);
		ck_assert_int_le(low, v);
		ck_assert_int_gt(low + (INT64_C(1) << shift), v);
	}
}
END_TEST

/* Sum of all pauses, ns; those that stand (end 4) run to `end_ns`. */
static int64_t paused_ns(const char *text, int64_t end_ns, int64_t *count)
{
	int64_t sum = 0;

	for (text = find(text, "pauses"); (text = find(text, "count")); ) {
		int64_t n = strtoll(text, NULL, 10), at = 0;
		const char *gap = find(text, "gap_ns"), *length = find(text, "length_ns");
		const char *end = find(text, "end");
		for (int64_t i = 0; i < n; i++) {
			at += take(&gap);
			int64_t lasted = take(&length);
			sum += take(&end) == 4 ? end_ns - at : lasted;
			at += lasted;
		}
		*count += n;
	}
	return sum;
}

START_TEST(pauses_are_those_of_the_summary)
{
	for (int i = 0; i < 2; i++) {
		int64_t until_ps = 3000000000, count = 0;
		struct fabric *f = i ? star(-1) : ring(true, until_ps);
		char *dir = dir_new("run");
		struct observe *o = watch(f, &(struct observe_conf){ .dir = dir });
		int64_t paused_ps = observe_summary(o)->pfc.paused_ps;
		char *text = slurp(dir, "replay.json");
		int64_t sum = paused_ns(text, until_ps / 1000, &count);

		ck_assert_int_gt(count, 20);
		ck_assert_int_le(llabs(sum - paused_ps / 1000), 2 * count);
		ck_assert_ptr_nonnull(strstr(text, "\"left_out\": 0,"));
		free(text);
		observe_free(&o);
		fabric_free(&f);
		dir_remove(dir);
	}
}
END_TEST

/* Reasons of the pauses of priority `prio`, by kind.  Of 3 or 4 ports a switch: queues of priority 3
 * are below 4, for a pause of priority 4 from 3 * (3 + 1) on. */
static void count_reasons(const char *text, int prio, int64_t *whole, int64_t *nearly, int64_t *other)
{
	for (text = find(text, "pauses"); (text = find(text, "prio")); ) {
		int64_t n = strtoll(find(text, "count"), NULL, 10);
		const char *why = find(text, "why");

		for (int64_t i = 0; i < n && strtol(text, NULL, 10) == prio; i++)
			for (int64_t more = take(&why); more > 0; more--) {
				int64_t held, causes, place = 0, level = 0;

				take(&why);
				held = take(&why);
				causes = take(&why);
				for (int64_t k = 0; k < causes; k++) {
					place = take(&why);
					level = take(&why);
					ck_assert_int_le(level, held);
					ck_assert(prio == 3 ? place < 4 : place >= 12 && place < 20);
				}
				*whole += causes == 1 && level == held;
				*nearly += causes == 1 && level == held - 1;
				*other += place >= 12;
			}
	}
}

/* A part has the level of the whole only if it is all (a frame of 1000 bytes is less than a level
 * here, 1024); a queue of another priority is told where a pause stops the whole port. */
START_TEST(reasons_tell_all_from_nearly_all_and_name_the_priority)
{
	for (int i = 0; i < 2; i++) {
		int64_t whole = 0, nearly = 0, other = 0;
		char *dir = dir_new("run");

		tune.global = i;
		struct fabric *f = ring(true, 3000000000);
		struct observe *o = watch(f, &(struct observe_conf){ .dir = dir });
		char *text = slurp(dir, "replay.json");

		count_reasons(text, 3, &whole, &nearly, &other);
		ck_assert_int_gt(whole, 10);
		ck_assert_int_gt(nearly, 10);
		ck_assert_int_eq(other, 0);
		count_reasons(text, 4, &whole, &nearly, &other);
		ck_assert(i ? other > 10 : !other);
		free(text);
		observe_free(&o);
		fabric_free(&f);
		dir_remove(dir);
	}
	tune.global = false;
}
END_TEST

/* A second of which all but the first half millisecond is at rest. */
START_TEST(a_deadlock_is_seen_to_form_however_long_the_run)
{
	char *dir[2] = { dir_new("run"), dir_new("run") }, *text[2];
	int before = 0, close = 0;

	for (int i = 0; i < 2; i++) {
		struct fabric *f = ring(true, 1000000000000);
		struct observe *o = watch(f, &(struct observe_conf){ .dir = dir[i] });
		int64_t formed_ns = observe_summary(o)->deadlock.first_ps / 1000, at = 0;
		text[i] = slurp(dir[i], "replay.json");
		int64_t n = strtoll(find(find(text[i], "frames"), "count"), NULL, 10);
		const char *times = find(text[i], "at_ns");

		ck_assert_ptr_nonnull(strstr(text[i], "\"by\": null, \"cycle\": [[1, 3], ["));
		ck_assert_int_lt(n, 2000);
		ck_assert_uint_lt(strlen(text[i]), 100000);
		for (int64_t k = 0; k < n; k++) {
			at += take(&times);
			before += at <= formed_ns;
			close += llabs(at - formed_ns) < 50000;
		}
		ck_assert_int_eq(at, 1000000000);
		observe_free(&o);
		fabric_free(&f);
	}
	ck_assert_int_ge(before, 2 * 40);
	ck_assert_int_ge(close, 2 * 5);
	ck_assert_str_eq(text[0], text[1]);
	for (int i = 0; i < 2; i++) {
		free(text[i]);
		dir_remove(dir[i]);
	}
}
END_TEST

/* Flows that come and go, and more looks than there is room for. */
START_TEST(channels_add_up_to_the_counters)
{
	struct fabric *f = star(-1);
	char *dir = dir_new("run");
	struct observe *o = watch(f, &(struct observe_conf){ .dir = dir });
	char *text = slurp(dir, "replay.json");
	int64_t frames = strtoll(find(find(text, "frames"), "count"), NULL, 10);
	int channels = 0;

	ck_assert_int_gt(frames, 500);
	ck_assert_int_le(frames, 1536);
	for (const char *at = find(text, "channels"); (at = find(at, "port")); channels++) {
		uint32_t port = (uint32_t)strtol(at, NULL, 10);
		int prio = (int)strtol(find(at, "prio"), NULL, 10);
		struct view_counters c = view_counters(f, port, prio);
		const char *end = strchr(at, '}'), *sent = find(at, "sent");
		int64_t level = 0, sum = 0;
		if (strstr(text, "\"pauses\"") < at)
			break;
		for (int64_t k = 0; sent && sent < end && k < frames; k++) {
			level += take(&sent);
			int shift = level < 128 ? 0 : (int)(level >> 6) - 1;
			sum += level < 128 ? level : ((level & 63) + 64) << shift;
		}
		ck_assert_int_le(sum, c.tx_bytes);
		ck_assert_int_ge(sum, c.tx_bytes - c.tx_bytes / 60);
	}
	ck_assert_int_ge(channels, 16);
	free(text);
	observe_free(&o);
	fabric_free(&f);
	dir_remove(dir);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("replay");
	TCase *t = tcase_create("replay");
	SRunner *r = srunner_create(s);

	tcase_add_test(t, integers_and_levels);
	tcase_add_test(t, pauses_are_those_of_the_summary);
	tcase_add_test(t, reasons_tell_all_from_nearly_all_and_name_the_priority);
	tcase_add_test(t, a_deadlock_is_seen_to_form_however_long_the_run);
	tcase_add_test(t, channels_add_up_to_the_counters);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
