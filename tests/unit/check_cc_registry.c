/* models/cc/cc_registry and none: what every algorithm keeps to. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "models/cc/cc.h"

static _Alignas(16) unsigned char conf[1024];

START_TEST(names_are_unique_and_hooks_are_there)
{
	ck_assert_ptr_null(cc_find("dcqn"));
	for (int i = 0; cc_registry[i]; i++) {
		const struct cc_ops *ops = cc_registry[i];

		ck_assert_ptr_eq(cc_find(ops->name), ops);
		ck_assert_ptr_nonnull(ops->paper);
		ck_assert_uint_le(ops->conf_size, sizeof(conf));
		ck_assert(ops->init != NULL);
		ck_assert((ops->on_cnp != NULL) == ((ops->needs & CC_NEED_CNP) != 0));
		for (const struct param *row = ops->params; row->key; row++)
			ck_assert_int_eq(row->doc[strlen(row->doc) - 1], '.');
	}
}
END_TEST

/* Every bound and default parses, every preset names rows and passes. */
START_TEST(tables_and_presets_parse)
{
	for (int i = 0; cc_registry[i]; i++) {
		const struct cc_ops *ops = cc_registry[i];
		struct sim_error err = {0};

		for (const struct param *row = ops->params; row->key; row++) {
			const char *texts[] = { row->min, row->max, row->def };

			for (int t = 0; t < 3; t++)
				if (texts[t])
					ck_assert_msg(!param_set(row, conf, texts[t], &err),
						      "%s: %s", row->key, err.text);
		}
		for (const struct cc_preset *p = ops->presets; p && p->name; p++) {
			const char *const *k = p->settings;

			param_defaults(ops->params, conf);
			for (; k[0]; k += 2) {
				const struct param *row = param_find(ops->params, k[0]);

				ck_assert_ptr_nonnull(row);
				ck_assert_int_eq(param_set(row, conf, k[1], &err), 0);
			}
			ck_assert_int_eq(ops->check ? ops->check(conf, &err) : 0, 0);
		}
	}
}
END_TEST

START_TEST(none_is_the_line_rate_and_a_window)
{
	const struct cc_ops *ops = cc_find("none");
	struct sim_error err = {0};
	struct cc cc;

	memset(&cc, 0, sizeof(cc));
	param_defaults(ops->params, conf);
	cc.conf = conf;
	cc.path.line_bps = INT64_C(40000000000);
	ops->init(&cc, 0);
	ck_assert_int_eq(cc.out.rate_bps, INT64_C(40000000000));
	ck_assert(cc.out.cwnd_bytes == CC_NO_WINDOW);
	ck_assert(cc.out.timer_ps[0] == CC_NEVER_PS);
	ck_assert(cc.out.timer_ps[1] == CC_NEVER_PS);
	ck_assert_int_eq(param_set(param_find(ops->params, "window"), conf, "64KB", &err), 0);
	ops->init(&cc, 0);
	ck_assert_int_eq(cc.out.cwnd_bytes, 64000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cc_registry");
	TCase *tc = tcase_create("cc_registry");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, names_are_unique_and_hooks_are_there);
	tcase_add_test(tc, tables_and_presets_parse);
	tcase_add_test(tc, none_is_the_line_rate_and_a_window);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
