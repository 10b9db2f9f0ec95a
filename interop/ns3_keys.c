/*
 * interop/ns3_keys.c - the keys of a config file, asked for and accounted for.
 */
#include "interop/ns3_inside.h"

#include <stdlib.h>
#include <string.h>

int ns3_small(const char *text)
{
	double number = strtod(text, NULL);

	return number >= 0 && number < NS3_NODES_MAX ? (int)number : NS3_NODES_MAX;
}

const char *ns3_value(const struct ns3 *n, const char *key)
{
	const char *value = NULL;

	for (int i = 0; i < n->nkeys; i++) {
		if (strcmp(n->key[i].key, key) == 0)
			value = n->key[i].value[0];	/* the last one counts */
	}
	return value;
}

double ns3_number(const struct ns3 *n, const char *key, double otherwise)
{
	const char *value = ns3_value(n, key);
	char *end;
	double number = value ? strtod(value, &end) : otherwise;

	return value && (*end || end == value) ? otherwise : number;
}

bool ns3_flag(const struct ns3 *n, const char *key, bool otherwise)
{
	return ns3_number(n, key, otherwise) != 0;
}

const char *ns3_map(const struct ns3 *n, const char *key, int64_t rate_bps)
{
	for (int i = n->nkeys - 1; i >= 0; i--) {
		const struct ns3_key *k = &n->key[i];

		if (strcmp(k->key, key) != 0)
			continue;
		for (int j = 1; j + 1 < k->n; j += 2) {
			if (strtod(k->value[j], NULL) == (double)rate_bps)
				return k->value[j + 1];
		}
		return NULL;
	}
	return NULL;
}

/* Keys that are used, and what their values are: text, decimal numbers, a number that may have
 * an exponent, a rate. */
enum kind { TEXT, DECIMALS, REAL, RATE };
static const struct { const char *key; enum kind kind; } used[] = {
	{"TOPOLOGY_FILE", TEXT}, {"FLOW_FILE", TEXT}, {"FLOW_INPUT_FILE", TEXT}, {"ENABLE_QCN", DECIMALS},
	{"PACKET_PAYLOAD_SIZE", DECIMALS}, {"SIMULATOR_STOP_TIME", DECIMALS}, {"CC_MODE", DECIMALS},
	{"ALPHA_RESUME_INTERVAL", DECIMALS}, {"RATE_DECREASE_INTERVAL", DECIMALS}, {"CLAMP_TARGET_RATE", DECIMALS},
	{"RP_TIMER", DECIMALS}, {"EWMA_GAIN", DECIMALS}, {"FAST_RECOVERY_TIMES", DECIMALS}, {"RATE_AI", RATE},
	{"RATE_HAI", RATE}, {"MIN_RATE", RATE}, {"DCTCP_RATE_AI", RATE}, {"ERROR_RATE_PER_LINK", REAL},
	{"L2_BACK_TO_ZERO", DECIMALS}, {"HAS_WIN", DECIMALS}, {"VAR_WIN", DECIMALS}, {"GLOBAL_T", DECIMALS},
	{"FAST_REACT", DECIMALS}, {"MULTI_RATE", DECIMALS}, {"SAMPLE_FEEDBACK", DECIMALS}, {"RATE_BOUND", DECIMALS},
	{"U_TARGET", DECIMALS}, {"MI_THRESH", DECIMALS}, {"PINT_LOG_BASE", DECIMALS}, {"PINT_PROB", DECIMALS},
	{"ACK_HIGH_PRIO", DECIMALS}, {"LINK_DOWN", DECIMALS}, {"KMAX_MAP", DECIMALS}, {"KMIN_MAP", DECIMALS},
	{"PMAX_MAP", DECIMALS}, {"BUFFER_SIZE", DECIMALS}};
enum { USED = sizeof used / sizeof *used };
/* Those that are known and say nothing about the fabric. */
static const char *const idle[] = {
	"USE_DYNAMIC_PFC_THRESHOLD", "TRACE_FILE", "TRACE_OUTPUT_FILE", "FCT_OUTPUT_FILE", "PFC_OUTPUT_FILE", "QLEN_MON_FILE",
	"QLEN_MON_START", "QLEN_MON_END", "ENABLE_TRACE", "L2_CHUNK_SIZE", "L2_ACK_INTERVAL", "INT_MULTI", "PAUSE_TIME",
	"DATA_RATE", "LINK_DELAY", NULL};

static bool is_decimal(const char *text)
{
	size_t digits = strspn(text, "0123456789"), n = digits;

	if (text[n] == '.') {
		size_t more = strspn(text + n + 1, "0123456789");
		digits += more;
		n += 1 + more;
	}
	return digits && digits < 19 && !text[n];
}

static bool good(enum kind kind, const char *text)
{
	int64_t bps;
	char *end;
	double number;

	switch (kind) {
	case TEXT:
		return true;
	case DECIMALS:
		return is_decimal(text);
	case RATE:
		return ns3_rate(text, &bps) == 0;
	case REAL:
		break;
	}
	number = strtod(text, &end);
	return !*end && end != text && number >= 0 && number < 1;
}

int ns3_check_key(const struct rows *r, const struct ns3_key *k)
{
	static const char *const wanted[] = {"", "a decimal number", "a number from 0 to 1", "a rate, such as 50Mb/s"};
	int i = 0;

	while (i < USED && strcmp(used[i].key, k->key) != 0)
		i++;
	if (i == USED)
		return 0;
	/* what stands behind one value is an explanation, behind those of a map, too */
	int values = strstr(k->key, "_MAP") ? 1 + 2 * ns3_small(k->value[0]) : strcmp(k->key, "LINK_DOWN") == 0 ? 3 : 1;
	for (int j = 0; j < values; j++) {
		if (j >= k->n)
			return rows_fail_row(r, "%s wants %d values; this row has %d", k->key, values, k->n);
		if (!good(used[i].kind, k->value[j]))
			return rows_fail(r, &r->cell[j + 1], "%s wants %s, not \"%.40s\"", k->key, wanted[used[i].kind],
					 k->value[j]);
	}
	return 0;
}

static bool in(const char *const *list, const char *key)
{
	for (; *list; list++) {
		if (strcmp(*list, key) == 0)
			return true;
	}
	return false;
}

void ns3_account(struct ns3 *n)
{
	const char *names[USED + 1] = {0};

	for (int i = 0; i < USED; i++)
		names[i] = used[i].key;
	for (int i = 0; i < n->nkeys; i++) {
		const char *key = n->key[i].key, *near;

		if (in(names, key) || in(idle, key))
			continue;
		near = error_nearest(key, names);
		if (near && !ns3_value(n, near))
			ns3_note(n, "ignored: %.60s: no key of HPCC's (which ignores it, too); was %s meant?", key, near);
		else
			ns3_note(n, "ignored: %.60s: no key of HPCC's", key);
	}
}
