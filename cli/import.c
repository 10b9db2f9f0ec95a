/* cli/import.c - `xoff import': other people's descriptions of a fabric to an experiment. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/path.h"
#include "cli/status.h"
#include "interop/ns3.h"
#include "interop/sonic.h"
#include "sim/units.h"

struct conf {
	const char *lookup, *cables, *out, *rate, *name;
	bool hosts, quiet;
};

static const struct options_row rows[] = {
	{ "output", 'o', OPTIONS_TEXT, offsetof(struct conf, out), "FILE",
	  "write the experiment there, not to standard output" },
	{ "pg-profile-lookup", 0, OPTIONS_TEXT, offsetof(struct conf, lookup), "INI",
	  "the switches' table of lossless profiles by speed and cable" },
	{ "cables", 'c', OPTIONS_TEXT, offsetof(struct conf, cables), "CSV",
	  "cables: device A, port A, device B, port B, length" },
	{ "hosts", 0, OPTIONS_FLAG, offsetof(struct conf, hosts), NULL,
	  "a host on every port that has no neighbour and is not down" },
	{ "rate", 0, OPTIONS_TEXT, offsetof(struct conf, rate), "RATE",
	  "speed of ports of which no file tells it (100Gbps)" },
	{ "name", 0, OPTIONS_TEXT, offsetof(struct conf, name), "NAME",
	  "name of the experiment" },
	{ "quiet", 'q', OPTIONS_FLAG, offsetof(struct conf, quiet), NULL,
	  "no notes on standard error (the experiment has them too)" },
	{ .name = NULL }
};

static int write_failed(const char *path)
{
	message_error("import", "cannot write %s: %s", path, strerror(errno));
	return STATUS_OUTPUT;
}

typedef int write_import(const void *what, FILE *out);

static int write_sonic(const void *s, FILE *out) { return sonic_write(s, out); }
static int write_ns3(const void *n, FILE *out) { return ns3_write(n, out); }

/* Beside its place first, so that a file that is there is whole. */
static int write_file(const char *path, write_import *write, const void *what)
{
	char *partial = path_append(path, ".partial");
	FILE *out = fopen(partial, "we");
	int status = STATUS_OK;

	if (!out) {
		status = write_failed(path);
	} else {
		int bad = write(what, out);

		if (fclose(out) || bad || rename(partial, path)) {
			status = write_failed(path);
			remove(partial);
		}
	}
	free(partial);
	return status;
}

static void summarize(const struct sonic *s, const char *path)
{
	struct sonic_totals t = sonic_totals(s);
	bool some = false;

	printf("%s: %d switch%s, %d host%s, %d link%s; ", path, t.switches,
	       t.switches == 1 ? "" : "es", t.hosts, t.hosts == 1 ? "" : "s", t.links,
	       t.links == 1 ? "" : "s");
	fputs(t.lossless ? "lossless priorities " : "no lossless priority", stdout);
	for (int p = 0; p < 8; p++) {
		if (t.lossless >> p & 1)
			printf("%s%d", some ? "," : "", p);
		some |= t.lossless >> p & 1;
	}
	if (t.lossy)
		printf("; %d finding%s where a switch is silently lossy", t.lossy,
		       t.lossy == 1 ? "" : "s");
	putchar('\n');
}

static int import_sonic(const struct conf *conf, const struct options_list *args)
{
	struct sonic_options opt = {
		.files = args->items + 1, .nfiles = args->n - 1, .lookup = conf->lookup,
		.cables = conf->cables, .name = conf->name, .hosts = conf->hosts };
	struct diag *diag = diag_new();
	struct sim_error err = { 0 };
	struct sonic *s;
	int status = STATUS_OK;

	if (conf->rate && units_parse(conf->rate, UNITS_RATE, &opt.rate_bps, NULL, &err)) {
		message_error("import", "--rate: %s", err.text);
		diag_free(&diag);
		return STATUS_INPUT;
	}
	s = sonic_import(&opt, diag);
	diag_print(diag, stderr);
	diag_free(&diag);
	if (!s)
		return STATUS_INPUT;
	if (!conf->out || strcmp(conf->out, "-") == 0) {
		sonic_write(s, stdout);		/* main tells of a failure */
	} else {
		status = write_file(conf->out, write_sonic, s);
		if (status == STATUS_OK)
			summarize(s, conf->out);
	}
	if (status == STATUS_OK && !conf->quiet)
		sonic_notes(s, "", true, stderr);
	sonic_free(&s);
	return status;
}

/* Options of SONiC's import alone: the name of one that is given, or NULL. */
static const char *sonic_only(const struct conf *conf)
{
	return conf->lookup ? "--pg-profile-lookup" : conf->cables ? "--cables" : conf->rate ? "--rate"
		: conf->hosts ? "--hosts" : NULL;
}

static int import_ns3(const struct conf *conf, const struct options_list *args)
{
	bool to_file = conf->out && strcmp(conf->out, "-") != 0;
	struct ns3_options opt = { .files = args->items + 1, .nfiles = args->n - 1, .name = conf->name,
				   .out = to_file ? conf->out : NULL };
	struct diag *diag;
	struct ns3 *n;
	int status = STATUS_OK;

	if (sonic_only(conf)) {
		message_error("import", "%s is for sonic only", sonic_only(conf));
		return STATUS_INPUT;
	}
	diag = diag_new();
	n = ns3_import(&opt, diag);
	diag_print(diag, stderr);
	diag_free(&diag);
	if (!n)
		return STATUS_INPUT;
	if (!to_file) {
		ns3_write(n, stdout);		/* main tells of a failure */
	} else {
		struct ns3_totals t = ns3_totals(n);

		status = write_file(conf->out, write_ns3, n);
		if (status == STATUS_OK)
			printf("%s: %d switch%s, %d host%s, %d link%s, %lld flow%s\n", conf->out, t.switches,
			       t.switches == 1 ? "" : "es", t.hosts, t.hosts == 1 ? "" : "s", t.links,
			       t.links == 1 ? "" : "s", t.flows, t.flows == 1 ? "" : "s");
	}
	if (status == STATUS_OK && !conf->quiet)
		ns3_notes(n, "", stderr);
	ns3_free(&n);
	return status;
}

static int import_main(const struct command *self, int argc, char **argv)
{
	struct options_list args = { 0 };
	struct conf conf = { 0 };
	enum options_answer answer = options_parse(self, argc, argv, &conf, &args);
	int status = answer == OPTIONS_WRONG ? STATUS_INPUT : STATUS_OK;

	if (answer == OPTIONS_GO && strcmp(args.items[0], "sonic") == 0) {
		status = import_sonic(&conf, &args);
	} else if (answer == OPTIONS_GO && strcmp(args.items[0], "ns3") == 0) {
		status = import_ns3(&conf, &args);
	} else if (answer == OPTIONS_GO) {
		message_error("import", "unknown format \"%s\"; it takes sonic and ns3", args.items[0]);
		status = STATUS_INPUT;
	}
	options_fini(self, &conf, &args);
	return status;
}

const struct command import_command = {
	.name = "import",
	.args = "sonic|ns3 FILE...",
	.about = "make an experiment of switch configurations, or of ns-3's",
	.details =
	"ns3 reads the config, topology and flow files of the HPCC simulator and of those\n"
	"with its forms; which is which, their first rows tell, and a config names the other\n"
	"two.  Nodes keep their ids, ports the order of links from 1; the flow file itself is\n"
	"the experiment's list.  Its notes say what is not as it was there.\n"
	"\n"
	"sonic:\n"
	"Reads SONiC's config_db.json of one or many switches, in any of its forms, and\n"
	"writes an experiment with their links, buffers, thresholds, maps, ECN and watchdogs;\n"
	"`include' it, or give it traffic and --set run.until.  Ports have the number of\n"
	"their name EthernetN.  Neighbours without a configuration become hosts; a device of\n"
	"the CSV whose name is near that of the switch that DEVICE_NEIGHBOR has there is an\n"
	"error, and one at a port that a switch of a near name has left over gets a warning.\n"
	"\n"
	"Files of one host name are one switch; so are files without one whose paths differ\n"
	"only in words such as qos and buffers, and those given together: FILE+FILE.  A list\n"
	"of patches belongs to the file before it.\n"
	"\n"
	"Its notes say which fields were used and which ignored, what was computed or\n"
	"assumed, and where a real switch would be lossy without a word.\n",
	.examples =
	"  xoff import sonic config_db.json --hosts -o fabric.json\n"
	"  xoff import ns3 mix/config.txt -o hpcc.json && xoff run hpcc.json\n"
	"  xoff import sonic --cables cables.csv configs/*.json -o fabric.json\n"
	"  xoff import sonic leaf0/qos.json leaf0/buffers.json --pg-profile-lookup l.ini\n",
	.options = rows,
	.min_args = 2,
	.max_args = 100000,
	.main = import_main,
};
