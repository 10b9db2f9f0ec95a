/*
 * scenario/swconf.c - the keys of `switch`, and of each entry of `switches`.
 */
#include "scenario/swconf.h"
#include "scenario/portconf.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_null(const struct read *at, const char *key)
{
	return json_is_null(json_object_get(at->json, key));
}

void swconf_defaults(struct switch_conf *conf)
{
	memset(conf, 0, sizeof *conf);
	param_defaults(switch_params, conf);
	param_defaults(mmu_params, &conf->buffer);
	param_defaults(watchdog_params, &conf->watchdog);
	param_defaults(pfc_params, &conf->pfc);
	for (int i = 0; i < FABRIC_CLASSES; i++)
		param_defaults(ecn_params, &conf->ecn[i]);
	for (int i = 0; i < FABRIC_DSCPS; i++)
		conf->dscp_to_tc[i] = -1;
}

static int read_ecn(const struct read *at, const struct run *run, struct switch_conf *conf)
{
	struct read ecn, one;
	const char *name;
	json_t *value;
	int rc = 0;

	if (is_null(at, "ecn")) {
		for (int i = 0; i < FABRIC_CLASSES; i++)
			conf->ecn[i].on = false;
	}
	if (!read_child(at, "ecn", &ecn))
		return 0;
	if (read_object(&ecn))
		return -1;
	json_object_foreach(ecn.json, name, value) {
		struct read key = ecn;
		json_t *text = json_string(name);
		int c;

		jsonc_pointer_add(key.pointer, sizeof key.pointer, name);
		key.json = text;
		c = run_class(run, &key);
		json_decref(text);
		rc |= c < 0 ? -1 : 0;
		if (c >= 0)
			conf->ecn[c].on = !json_is_null(value);
		if (c >= 0 && read_child(&ecn, name, &one) &&
		    (read_keys(&one, "switch.ecn.CLASS") ||
		     read_table(&one, ecn_params, NULL, &conf->ecn[c])))
			rc = -1;
	}
	return rc;
}

/* "dscp": {"26": 3} */
static int read_dscp_map(const struct read *at, int64_t *map)
{
	struct read dscp, one;
	const char *key;
	json_t *value;
	int rc = 0;

	if (!read_child(at, "dscp", &dscp))
		return 0;
	if (read_object(&dscp))
		return -1;
	json_object_foreach(dscp.json, key, value) {
		char *end;
		long n = strtol(key, &end, 10);

		if (!read_entry(&dscp, key, "DSCP", &one)) {
			rc = -1;
			continue;
		}
		if (*end || key[0] < '0' || key[0] > '9' || n >= FABRIC_DSCPS)
			rc = read_fail(&one, JSONC_KEY,
				       "\"%s\" is no DSCP; wanted \"0\" to \"63\"", key);
		else
			rc |= read_integer(&one, 0, FABRIC_TCS - 1, &map[n]);
	}
	return rc;
}

/* A preset is laid under what is given beside it, over all that was said before. */
static int read_preset(const struct read *at, struct watchdog_conf *conf)
{
	const char *names[16] = {0}, *text;
	struct read watchdog, preset;
	bool on = conf->on;

	if (!read_child(at, "watchdog", &watchdog) || !json_is_object(watchdog.json) ||
	    !read_child(&watchdog, "preset", &preset))
		return 0;
	text = read_text(&preset);
	if (!text)
		return -1;
	for (int i = 0; watchdog_presets[i].name; i++)
		names[i] = watchdog_presets[i].name;
	if (!watchdog_preset_apply(conf, text))
		return read_fail_names(&preset, "watchdog preset", text, names, "");
	conf->on = on;
	return 0;
}

int swconf_read(const struct read *at, struct run *run, struct switch_conf *conf)
{
	int rc = read_keys(at, "switch");

	if (!json_is_object(at->json))
		return -1;
	if (is_null(at, "watchdog"))
		conf->watchdog.on = false;
	else if (json_object_get(at->json, "watchdog"))
		conf->watchdog.on = true;
	rc |= read_table(at, switch_params, NULL, conf);
	rc |= read_part(at, "buffer", "switch.buffer", mmu_params, &conf->buffer);
	rc |= read_preset(at, &conf->watchdog);
	rc |= read_part(at, "watchdog", "switch.watchdog", watchdog_params, &conf->watchdog);
	rc |= read_part(at, "pfc", "switch.pfc", pfc_params, &conf->pfc);
	rc |= read_ecn(at, run, conf);
	rc |= read_dscp_map(at, conf->dscp_to_tc);
	rc |= portconf_read(at, run, conf);
	return rc;
}

int swconf_check(const struct run *run, const struct switch_conf *conf, char *part,
			size_t size, struct sim_error *err)
{
	snprintf(part, size, "buffer");
	if (mmu_check(&conf->buffer, err))
		return -1;
	snprintf(part, size, "watchdog");
	if (conf->watchdog.on && watchdog_check(&conf->watchdog, err))
		return -1;
	for (int c = 0; c < run->nclasses; c++) {
		snprintf(part, size, "ecn/%s", run->classes[c].name);
		if (conf->ecn[c].on && ecn_check(&conf->ecn[c], err))
			return -1;
	}
	return 0;
}
