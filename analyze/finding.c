/* analyze/finding.c - see finding.h */
#include "analyze/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "sim/mem.h"

struct finding *finding_add(struct finding_list *list, enum finding_grade grade,
			    const char *check)
{
	struct finding *x;

	list->item = mem_grow(list->item, (size_t)(list->n + 1) * sizeof(*list->item));
	x = &list->item[list->n++];
	*x = (struct finding){ .grade = grade, .check = check, .unit = UNITS_COUNT };
	return x;
}

#define SAY(field)						\
	do {							\
		va_list ap;					\
		va_start(ap, fmt);				\
		vsnprintf(field, sizeof(field), fmt, ap);	\
		va_end(ap);					\
	} while (0)

void finding_object(struct finding *x, const char *fmt, ...) { SAY(x->object); }
void finding_reason(struct finding *x, const char *fmt, ...) { SAY(x->reason); }
void finding_remedy(struct finding *x, const char *fmt, ...) { SAY(x->remedy); }

void finding_value(struct finding *x, int64_t value, enum units_kind unit)
{
	x->value = value;
	x->unit = unit;
}

int finding_wrong(const struct finding_list *list)
{
	int n = 0;

	for (int i = 0; i < list->n; i++)
		n += list->item[i].grade == FINDING_WRONG;
	return n;
}

void finding_fini(struct finding_list *list)
{
	free(list->item);
	*list = (struct finding_list){ 0 };
}

const char *finding_more(int64_t others, char *buf, size_t size)
{
	if (others <= 0)
		return "";
	if (others == 1)
		return " (and one more)";
	snprintf(buf, size, " (and %lld more)", (long long)others);
	return buf;
}
