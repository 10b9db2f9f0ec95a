/*
 * analyze/finding.h - what a check has to say.
 *
 * Every finding names its object, a number with its unit, the reason and the
 * remedy.  A note is worth knowing and fails nothing.
 *
 *	struct finding *x = finding_add(&list, FINDING_WRONG, "mtu");
 *	finding_object(x, "%s", name);
 *	finding_value(x, 1500, UNITS_BYTES);
 *	finding_reason(x, "...");
 *	finding_remedy(x, "...");
 */
#ifndef FINDING_H
#define FINDING_H
#include <stdint.h>
#include "sim/error.h"
#include "sim/units.h"

enum finding_grade { FINDING_WRONG, FINDING_NOTE };

struct finding {
	enum finding_grade grade;
	const char *check;	/* static: "mtu", "dscp", "watchdog", ... */
	char object[160];
	int64_t value;
	enum units_kind unit;
	char reason[480];
	char remedy[320];
};
struct finding_list { struct finding *item; int n; };

/* Valid until the next finding_add. */
struct finding *finding_add(struct finding_list *list, enum finding_grade grade,
			    const char *check);
void finding_object(struct finding *x, const char *fmt, ...) SIM_PRINTF(2, 3);
void finding_value(struct finding *x, int64_t value, enum units_kind unit);
void finding_reason(struct finding *x, const char *fmt, ...) SIM_PRINTF(2, 3);
void finding_remedy(struct finding *x, const char *fmt, ...) SIM_PRINTF(2, 3);
/* Of grade FINDING_WRONG. */
int finding_wrong(const struct finding_list *list);
void finding_fini(struct finding_list *list);
/* "", " (and one more)" or " (and 12 more)": for findings that speak for several. */
const char *finding_more(int64_t others, char *buf, size_t size);
#endif
