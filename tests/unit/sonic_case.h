/*
 * sonic_case.h - what the tests of interop/sonic share: a folder of their own, files
 * in it, and the import.
 */
#ifndef SONIC_CASE_H
#define SONIC_CASE_H
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interop/sonic.h"
#include "tests/support/scratch.h"

static struct scratch scratch;

static void sonic_case_setup(void) { scratch_enter(&scratch, "sonic"); }
static void sonic_case_teardown(void) { scratch_leave(&scratch); }

/* What comes out: the experiment with its notes at the head, or NULL and the first
 * message in `message`. */
static char *import(const struct sonic_options *opt, char *message, size_t size)
{
	struct diag *diag = diag_new();
	struct sonic *s = sonic_import(opt, diag);
	char *text = NULL;
	size_t length = 0;

	ck_assert((s == NULL) == (diag_errors(diag) > 0));
	if (message)
		snprintf(message, size, "%s", s ? "" : diag_line(diag, 0));
	else
		ck_assert_msg(s != NULL, "%s", s ? "" : diag_line(diag, 0));
	if (s) {
		FILE *out = open_memstream(&text, &length);

		ck_assert(sonic_write(s, out) == 0);
		fclose(out);
	}
	sonic_free(&s);
	diag_free(&diag);
	return text;
}

#define HOST(name) "\"DEVICE_METADATA\": {\"localhost\": {\"hostname\": \"" name "\"}}"
#define MAPS "\"DSCP_TO_TC_MAP\": {\"M\": {\"3\": \"3\", \"26\": \"3\", \"48\": \"6\"}}, " \
	"\"TC_TO_QUEUE_MAP\": {\"M\": {\"0\": \"0\", \"3\": \"3\", \"6\": \"6\"}}, " \
	"\"TC_TO_PRIORITY_GROUP_MAP\": {\"M\": {\"0\": \"0\", \"3\": \"3\", \"6\": \"0\"}}"
#define QOS(port) "\"" port "\": {\"pfc_enable\": \"3\", \"dscp_to_tc_map\": \"M\", " \
	"\"tc_to_queue_map\": \"M\", \"tc_to_pg_map\": \"M\"}"
#define POOL "\"BUFFER_POOL\": {\"p\": {\"type\": \"ingress\", \"mode\": \"dynamic\", " \
	"\"size\": \"10000000\"}}"

/* A switch of two ports of 100 Gb/s. */
static const char two_ports[] = "{" HOST("s") ", \"PORT\": {"
	"\"Ethernet0\": {\"speed\": \"100000\", \"alias\": \"etp1\"}, "
	"\"Ethernet4\": {\"speed\": \"100000\", \"alias\": \"etp2\"}}, "
	"\"CABLE_LENGTH\": {\"AZURE\": {\"Ethernet0\": \"5m\", \"Ethernet4\": \"300m\"}}, "
	POOL ", " MAPS ", \"PORT_QOS_MAP\": {" QOS("Ethernet0") ", " QOS("Ethernet4") "}}";
#endif
