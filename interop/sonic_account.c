/*
 * interop/sonic_account.c - which tables and fields of a switch were used, and
 * which were not, by name.
 */
#include "interop/sonic_inside.h"

#include <stdlib.h>
#include <string.h>

#include "scenario/pattern.h"
#include "sim/mem.h"

/* The fields that the importer reads; NULL: the fields are indices or ports, all read. */
static const char *const used[SONIC_TABLES] = {
	[SONIC_DEVICE_METADATA] = " hostname hwsku platform asic_name subtype buffer_model "
		"default_pfcwd_status ",
	[SONIC_PORT] = " speed mtu admin_status alias lanes pfc_asym ",
	[SONIC_DEVICE_NEIGHBOR] = " name port local_port ",
	[SONIC_DEVICE_NEIGHBOR_METADATA] = " type ",
	[SONIC_PORT_QOS_MAP] = " dscp_to_tc_map dot1p_to_tc_map tc_to_queue_map tc_to_pg_map pfc_to_queue_map "
		"pfc_to_pg_map pfc_enable pfcwd_sw_enable ",
	[SONIC_SCHEDULER] = " type weight ",
	[SONIC_WRED_PROFILE] = " wred_green_enable ecn green_min_threshold green_max_threshold "
		"green_drop_probability ",
	[SONIC_QUEUE] = " scheduler wred_profile ",
	[SONIC_TUNNEL] = " encap_tc_to_queue_map encap_tc_to_dscp_map ",
	[SONIC_BUFFER_POOL] = " type mode size xoff percentage ",
	[SONIC_BUFFER_PROFILE] = " pool size xoff xon xon_offset static_th dynamic_th "
		"headroom_type ",
	[SONIC_BUFFER_PG] = " profile ",
	[SONIC_BUFFER_QUEUE] = " profile ",
	[SONIC_DEFAULT_LOSSLESS_BUFFER_PARAMETER] = " default_dynamic_th over_subscribe_ratio ",
	[SONIC_LOSSLESS_TRAFFIC_PATTERN] = " mtu small_packet_percentage ",
	[SONIC_PFC_WD] = " action detection_time restoration_time POLL_INTERVAL "
		"BIG_RED_SWITCH ",
};

static bool is_used(int table, const char *field)
{
	char word[128];

	if (!used[table])
		return true;
	snprintf(word, sizeof word, " %s ", field);
	return strstr(used[table], word) != NULL;
}

/* The keys of an object in natural order, joined by commas; malloc'ed. */
static char *joined(json_t *object)
{
	size_t n = json_object_size(object), size = 0, i = 0;
	const char **names = mem_zalloc(n * sizeof *names + 1);
	FILE *out;
	char *text = NULL;
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value)
		names[i++] = key;
	qsort(names, n, sizeof *names, pattern_natural_qsort);
	out = mem_stream(&text, &size);
	for (i = 0; i < n; i++)
		fprintf(out, "%s%s", i ? ", " : "", names[i]);
	mem_stream_close(out);
	free(names);
	return text;
}

static void tell(struct sonic_device *d, enum sonic_kind kind, const char *what, json_t *fields)
{
	char *text;

	if (json_object_size(fields)) {
		text = joined(fields);
		sonic_note(d->s, kind, d, -1, "%s: %s", what, text);
		free(text);
	}
	json_decref(fields);
}

void sonic_account(struct sonic_device *d)
{
	const char *key, *field;
	json_t *entry, *value;

	for (int t = 0; t < SONIC_TABLES; t++) {
		json_t *yes = json_object(), *no = json_object();

		json_object_foreach(d->tables[t], key, entry) {
			json_object_foreach(entry, field, value)
				json_object_set(is_used(t, field) ? yes : no, field,
						json_true());
		}
		if (!used[t] && json_object_size(yes)) {
			json_object_clear(yes);
			json_object_foreach(d->tables[t], key, entry)
				json_object_set(sonic_map_used(d, (enum sonic_table)t, key)
						? yes : no, key, json_true());
		}
		tell(d, SONIC_NOTE_USED, sonic_table_name((enum sonic_table)t), yes);
		tell(d, SONIC_NOTE_IGNORED, sonic_table_name((enum sonic_table)t), no);
	}
	tell(d, SONIC_NOTE_IGNORED, "tables", json_incref(d->unknown));
}
