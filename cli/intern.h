/*
 * cli/intern.h - numbers for names, from 0 in the order in which they are met.
 */
#ifndef INTERN_H
#define INTERN_H
#include <stddef.h>
#include <stdint.h>

#define INTERN_NONE UINT32_MAX

struct intern {			/* zero is empty */
	char **name;		/* of each number; owned */
	uint32_t n, cap;
	uint32_t *place, room;	/* open addressing: number + 1 */
};

uint32_t intern_add(struct intern *t, const char *name, size_t length);
uint32_t intern_find(const struct intern *t, const char *name);	/* or INTERN_NONE */
void intern_fini(struct intern *t);
#endif
