/*
 * interop/sonic_meant.c - is a device of the cable list a switch of these files,
 * spelled wrong?
 *
 * A device that has no configuration becomes a host, and rightly so: servers have
 * none, nor have the switches at the edge of what is imported, whose names are often
 * one digit away from those that are.  So a near name alone says nothing.  It is
 * taken for a mistake when the files themselves say which switch stands there
 * (DEVICE_NEIGHBOR of the other end); it is suspected when the port has a switch
 * port's name and a switch of a near name has just that port without a cable, if
 * the name stands in one row alone: a switch that is left out has more.
 */
#include "interop/sonic_inside.h"

#include <string.h>

static bool near(const char *name, const struct sonic_device *d)
{
	const char *const names[] = {d->name, NULL};

	return error_nearest(name, names) != NULL;
}

static const struct sonic_device *device_named(const struct sonic *s, const char *name)
{
	for (int i = 0; i < s->ndevices; i++) {
		if (strcmp(s->devices[i].name, name) == 0)
			return &s->devices[i];
	}
	return NULL;
}

/* Does some switch know a neighbour of this name? */
static bool neighbour_of_any(const struct sonic *s, const char *name)
{
	for (int i = 0; i < s->ndevices; i++) {
		for (int j = 0; j < s->devices[i].nports; j++) {
			const char *known = s->devices[i].ports[j].neighbour;

			if (known && strcmp(known, name) == 0)
				return true;
		}
	}
	return false;
}

const struct sonic_device *sonic_meant_neighbour(const struct sonic *s, const char *name,
						 const struct sonic_port *other)
{
	const struct sonic_device *d =
		other && other->neighbour ? device_named(s, other->neighbour) : NULL;

	return d && near(name, d) ? d : NULL;
}

const struct sonic_device *sonic_meant_port(const struct sonic *s, const char *name,
					    const char *port)
{
	int number = port ? sonic_port_number(port) : -1;

	for (int i = 0; i < s->ndevices && number >= 0; i++) {
		const struct sonic_device *d = &s->devices[i];
		const struct sonic_port *p = sonic_port_find(d, number);

		if (p && p->link < 0 && near(name, d))
			return neighbour_of_any(s, name) ? NULL : d;
	}
	return NULL;
}
