/*
 * interop/sonic.c - the steps of the import, in order.
 */
#include "interop/sonic_inside.h"

#include <stdlib.h>

#include "sim/mem.h"

static void find_asic(struct sonic_device *d)
{
	d->asic = sonic_asic_find(d->hwsku, d->platform);
	for (int i = 0; i < d->npools && !d->asic; i++) {
		d->asic = sonic_asic_by_pool(d->pools[i].size);
		if (d->asic)
			sonic_note(d->s, SONIC_NOTE_ASSUMED, d, -1,
				   "no hwsku or platform tells the chip; pool %s has the size "
				   "of %s",
				   d->pools[i].name, d->asic->name);
	}
	if (!d->asic)
		d->asic = &sonic_asic_unknown;
}

/* What one switch says, before it is known whom it is linked to. */
static int load_switch(struct sonic_device *d)
{
	int rc = sonic_ports_load(d);

	rc |= sonic_qos_load(d);
	rc |= sonic_buffers_load(d);
	rc |= sonic_watchdog_load(d);
	find_asic(d);
	return rc;
}

static void name_it(struct sonic *s)
{
	const char *name = s->opt->name ? s->opt->name : s->ndevices == 1 ? s->devices[0].name
									   : "sonic";

	s->name = sonic_legal_name(name);
}

static int load(struct sonic *s)
{
	int rc = sonic_docs_load(s);

	rc |= sonic_rows_load(s);
	if (rc || sonic_devices_load(s))
		return -1;
	for (int i = 0; i < s->ndevices; i++)
		rc |= load_switch(&s->devices[i]);
	rc |= sonic_cables_load(s);
	if (rc)
		return -1;
	sonic_links_load(s);
	for (int i = 0; i < s->ndevices; i++) {
		sonic_groups_settle(&s->devices[i]);
		sonic_tunnel_settle(&s->devices[i]);
		sonic_account(&s->devices[i]);
	}
	sonic_classes_make(s);
	s->texts = mem_zalloc((size_t)s->ndevices * sizeof *s->texts + 1);
	for (int i = 0; i < s->ndevices; i++)
		s->texts[i] = sonic_switch_text(&s->devices[i], 3);
	name_it(s);
	return 0;
}

struct sonic *sonic_import(const struct sonic_options *opt, struct diag *diag)
{
	struct sonic *s = mem_zalloc(sizeof *s);
	int rc;

	s->opt = opt;
	s->diag = diag;
	s->notes = sonic_notes_new();
	s->host_index = json_object();
	rc = load(s);
	s->opt = NULL;
	s->diag = NULL;
	if (rc)
		sonic_free(&s);
	return s;
}

static void free_device(struct sonic_device *d)
{
	for (int t = 0; t < SONIC_TABLES; t++)
		json_decref(d->tables[t]);
	json_decref(d->unknown);
	sonic_qos_free(d);
	free(d->pools);
	free(d->profiles);
	free(d->ports);
	free(d->name);
}

void sonic_free(struct sonic **sp)
{
	struct sonic *s = *sp;

	*sp = NULL;
	if (!s)
		return;
	for (int i = 0; i < s->ndevices; i++) {
		if (s->texts)
			free(s->texts[i]);
		free_device(&s->devices[i]);
	}
	for (int i = 0; i < s->nhosts; i++) {
		free(s->hosts[i].name);
		free(s->hosts[i].taken);
	}
	sonic_rows_free(&s->rows);
	sonic_notes_free(&s->notes);
	json_decref(s->host_index);
	sonic_docs_free(s);
	free(s->texts);
	free(s->devices);
	free(s->hosts);
	free(s->links);
	free(s->name);
	free(s);
}
