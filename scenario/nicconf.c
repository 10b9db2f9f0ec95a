/*
 * scenario/nicconf.c - the keys of `nic`, and of each entry of `nics`.
 */
#include "scenario/nicconf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "sim/mem.h"

static int load_cc(const struct read *at, struct run *run, struct nic_conf *conf,
		   const struct cc_ops *ops, const struct read *settings);

static int cc_unknown(const struct read *at, enum jsonc_at where, const char *name)
{
	const char *names[32], *near;
	char list[256] = "";
	size_t n = 0;
	int i;

	for (i = 0; cc_registry[i] && i < 31; i++) {
		names[i] = cc_registry[i]->name;
		if (n < sizeof list)
			n += (size_t)snprintf(list + n, sizeof list - n, " %s", names[i]);
	}
	names[i] = NULL;
	near = error_nearest(name, names);
	if (near)
		return read_fail(at, where,
				 "there is no congestion control \"%s\"; did you mean "
				 "\"%s\"?",
				 name, near);
	return read_fail(at, where, "there is no congestion control \"%s\"; there is:%s", name,
			 list);
}

/* "none", or {"dcqcn": {...}} */
static int read_cc(const struct read *at, struct run *run, struct nic_conf *conf)
{
	const char *name, *used = NULL;
	struct read cc, one, settings = {0};
	json_t *value;

	if (!read_child(at, "cc", &cc))
		return 0;
	if (json_is_string(cc.json)) {
		used = json_string_value(cc.json);
		return cc_find(used) ? load_cc(&cc, run, conf, cc_find(used), NULL)
				     : cc_unknown(&cc, JSONC_VALUE, used);
	}
	if (!json_is_object(cc.json))
		return read_fail(&cc, JSONC_VALUE,
				 "cc must be a name, such as \"none\", or an object "
				 "{\"NAME\": {...}}, not %s",
				 read_kind(cc.json));
	json_object_foreach(cc.json, name, value) {
		if (!read_child(&cc, name, &one))
			continue;
		if (!cc_find(name))
			return cc_unknown(&one, JSONC_KEY, name);
		if (used)
			return read_fail(&one, JSONC_KEY,
					 "cc names two algorithms, \"%s\" and \"%s\"; "
					 "in a variant, remove the other with \"%s\": null",
					 used, name, used);
		used = name;
		settings = one;
	}
	if (!used)
		return read_fail(&cc, JSONC_VALUE,
				 "cc names no algorithm; wanted \"none\", say");
	return load_cc(&cc, run, conf, cc_find(used), &settings);
}

static int apply_preset(const struct read *settings, const struct cc_ops *ops, void *cc_conf)
{
	const struct cc_preset *preset = ops->presets;
	const char *names[17] = {0}, *text = NULL;
	char what[64];
	struct read at;

	if (settings && read_child(settings, "preset", &at)) {
		text = read_text(&at);
		if (!text)
			return -1;
		for (int i = 0; preset && preset[i].name && i < 16; i++)
			names[i] = preset[i].name;
		while (preset && preset->name && strcmp(preset->name, text) != 0)
			preset++;
		snprintf(what, sizeof what, "%s preset", ops->name);
		if (!preset || !preset->name)
			return read_fail_names(&at, what, text, names, "");
	}
	for (const char *const *s = preset ? preset->settings : NULL; s && *s; s += 2) {
		const struct param *row = param_find(ops->params, s[0]);

		int rc = row ? param_set(row, cc_conf, s[1], NULL) : -1;

		sim_assert(rc == 0);	/* a preset is ours */
	}
	return 0;
}

/* Settings over those that the NIC has of the same algorithm, else over the preset. */
static int load_cc(const struct read *at, struct run *run, struct nic_conf *conf,
		   const struct cc_ops *ops, const struct read *settings)
{
	void *cc_conf = mem_zalloc(ops->conf_size ? ops->conf_size : 1);
	struct sim_error err = {0};
	char section[64];
	struct read preset;

	run->cc_confs = mem_grow(run->cc_confs, (size_t)(run->ncc_confs + 1) * sizeof(void *));
	run->cc_confs[run->ncc_confs++] = cc_conf;
	snprintf(section, sizeof section, "nic.cc.%s", ops->name);
	if (settings && read_keys(settings, section))
		return -1;
	if (conf->cc == ops && conf->cc_conf && settings &&
	    !read_child(settings, "preset", &preset)) {
		memcpy(cc_conf, conf->cc_conf, ops->conf_size);
	} else {
		if (ops->params)
			param_defaults(ops->params, cc_conf);
		if (apply_preset(settings, ops, cc_conf))
			return -1;
	}
	conf->cc = ops;
	conf->cc_conf = cc_conf;
	if (settings && ops->params && (read_table(settings, ops->params, NULL, cc_conf) ||
					read_required(settings, NULL, ops->params)))
		return -1;
	if (ops->check && ops->check(cc_conf, &err))
		return read_fail_error(settings ? settings : at, &err);
	return 0;
}

/* "cnp" if there is one, else the class of the highest queue. */
static int default_cnp_class(const struct run *run)
{
	int best = 0;

	for (int i = 0; i < run->nclasses; i++) {
		if (strcmp(run->classes[i].name, "cnp") == 0)
			return i;
		if (run->classes[i].tc > run->classes[best].tc)
			best = i;
	}
	return best;
}

int nicconf_defaults(const struct read *at, struct run *run, struct nic_conf *conf)
{
	memset(conf, 0, sizeof *conf);
	param_defaults(nic_params, conf);
	param_defaults(pfc_params, &conf->pfc);
	for (int i = 0; i < FABRIC_CLASSES; i++)
		conf->dscp[i] = -1;
	conf->ack_class = -1;
	conf->cnp_class = default_cnp_class(run);
	return load_cc(at, run, conf, cc_find("none"), NULL);
}

int nicconf_read(const struct read *at, struct run *run, struct nic_conf *conf)
{
	struct read part, one;
	const char *name;
	json_t *value;
	int rc = read_keys(at, "nic"), c;

	if (!json_is_object(at->json))
		return -1;
	rc |= read_table(at, nic_params, NULL, conf);
	rc |= read_part(at, "pfc", "nic.pfc", pfc_params, &conf->pfc);
	rc |= read_cc(at, run, conf);
	if (read_child(at, "cnp_class", &part) && (conf->cnp_class = run_class(run, &part)) < 0)
		rc = -1;
	if (read_child(at, "ack_class", &part) && (conf->ack_class = run_class(run, &part)) < 0)
		rc = -1;
	if (!read_child(at, "dscp", &part))
		return rc;
	if (read_object(&part))
		return -1;
	json_object_foreach(part.json, name, value) {
		json_t *text = json_string(name);

		if (!read_child(&part, name, &one)) {
			json_decref(text);
			continue;
		}
		one.json = text;
		c = run_class(run, &one);
		json_decref(text);
		one.json = value;
		rc |= c < 0 ? -1 : read_integer(&one, 0, FABRIC_DSCPS - 1, &conf->dscp[c]);
	}
	return rc;
}
