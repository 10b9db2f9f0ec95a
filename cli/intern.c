/* cli/intern.c - see intern.h */
#include "cli/intern.h"

#include <stdlib.h>
#include <string.h>
#include "sim/mem.h"

static uint32_t *find(const struct intern *t, const char *name, size_t length)
{
	uint64_t at = UINT64_C(0xcbf29ce484222325);	/* FNV-1a */

	for (size_t i = 0; i < length; i++)
		at = (at ^ (unsigned char)name[i]) * UINT64_C(0x100000001b3);
	for (at ^= at >> 29;; at++) {
		uint32_t *place = &t->place[at & (t->room - 1)];
		const char *there = *place ? t->name[*place - 1] : NULL;

		if (!there || (strncmp(there, name, length) == 0 && !there[length]))
			return place;
	}
}

static void make_room(struct intern *t)
{
	if (t->n == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 64;
		t->name = mem_grow(t->name, t->cap * sizeof(*t->name));
	}
	if (2 * (t->n + 1) <= t->room)
		return;
	free(t->place);
	t->room = t->room ? 2 * t->room : 128;
	t->place = mem_zalloc(t->room * sizeof(*t->place));
	for (uint32_t i = 0; i < t->n; i++)
		*find(t, t->name[i], strlen(t->name[i])) = i + 1;
}

uint32_t intern_add(struct intern *t, const char *name, size_t length)
{
	uint32_t *place;

	make_room(t);
	place = find(t, name, length);
	if (!*place) {
		char *copy = mem_zalloc(length + 1);

		memcpy(copy, name, length);
		t->name[t->n] = copy;
		*place = ++t->n;
	}
	return *place - 1;
}

uint32_t intern_find(const struct intern *t, const char *name)
{
	return t->room ? *find(t, name, strlen(name)) - 1 : INTERN_NONE;
}

void intern_fini(struct intern *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		free(t->name[i]);
	free(t->name);
	free(t->place);
	*t = (struct intern){ 0 };
}
