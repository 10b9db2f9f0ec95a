/*
 * tests/unit/config_fabric.h - the fabric of check_config*.c, and what the checks say of it.
 * Included by one file of a program.
 */
#ifndef CONFIG_FABRIC_H
#define CONFIG_FABRIC_H
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/config.h"
#include "analyze/headroom_check.h"
#include "tests/support/bed.h"

static struct bed b;
static struct finding_list list;

/* Two leaves under two spines, two hosts each; `leaf1` gets what stands in `odd`. */
static struct switch_conf odd;
static struct nic_conf odd_nic;

static inline void defaults(void)
{
	bed_open(&b, BED_MS);
	b.sw.buffer.size_bytes = 16000000;
	b.sw.buffer.cell_bytes = 208;
	b.nic.storm_watchdog_ps = 100 * BED_MS;
	odd = b.sw;
	odd_nic = b.nic;
}

static inline void build(void)
{
	struct switch_conf sound = b.sw;
	struct nic_conf nic = b.nic;

	bed_switch(&b, "spine0");
	bed_switch(&b, "spine1");
	bed_switch(&b, "leaf0");
	b.sw = odd;
	bed_switch(&b, "leaf1");
	b.sw = sound;
	for (int i = 0; i < 4; i++) {
		char name[16];

		snprintf(name, sizeof(name), "h%d", i);
		b.nic = i == 3 ? odd_nic : nic;
		bed_leaf(&b, name, i < 2 ? "leaf0" : "leaf1", i, 100 * BED_G, 25 * BED_NS);
	}
	b.nic = nic;
	for (int i = 0; i < 4; i++)
		bed_link(&b, i % 2 ? "leaf1" : "leaf0", 10 + i / 2, i / 2 ? "spine1" : "spine0",
			 i % 2, 100 * BED_G, 200 * BED_NS);
	bed_finish(&b);
}

static inline void check(void)
{
	struct headroom_list rows;
	struct routing *r;

	build();
	r = routing_new(b.f);
	list = (struct finding_list){ 0 };
	config_check(r, &list);
	headroom_check(r, &rows, &list);
	headroom_check_fini(&rows);
	routing_free(&r);
	bed_close(&b);
}

static inline const struct finding *find(const char *what, enum finding_grade grade)
{
	for (int i = 0; i < list.n; i++)
		if (!strcmp(list.item[i].check, what) && list.item[i].grade == grade)
			return &list.item[i];
	return NULL;
}

static inline const struct finding *must(const char *what, enum finding_grade grade,
				  const char *object, const char *reason)
{
	const struct finding *x = find(what, grade);

	ck_assert_msg(x != NULL, "no finding of %s", what);
	ck_assert_msg(strstr(x->object, object) != NULL, "object %s", x->object);
	ck_assert_msg(strstr(x->reason, reason) != NULL, "reason %s", x->reason);
	ck_assert_uint_gt(strlen(x->remedy), 10);
	return x;
}

/* Of several: the first with such an object and reason. */
static inline const struct finding *says(const char *what, enum finding_grade grade, const char *object,
				  const char *reason)
{
	for (int i = 0; i < list.n; i++)
		if (!strcmp(list.item[i].check, what) && list.item[i].grade == grade &&
		    strstr(list.item[i].object, object) && strstr(list.item[i].reason, reason))
			return &list.item[i];
	ck_abort_msg("no finding of %s: %s, %s", what, object, reason);
}
#endif
