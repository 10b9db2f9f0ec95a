/*
 * models/host/workload_conf.c - the keys of each kind of workload.
 *
 * Who sends to whom (lists of hosts), the class and the CDF are not quantities;
 * the scenario room reads them.
 */
#include <stdlib.h>
#include "models/host/nic_conf.h"
#include "models/host/workload.h"
#include "sim/assert.h"

#define ROW(key_, type_, field) \
	.key = key_, .type = type_, .offset = offsetof(struct workload_conf, field)

#define ROW_SIZE(doc_) \
	{ ROW("size", PARAM_BYTES, size_bytes), .min = "1B", .max = "1000000GB", .doc = doc_ }
#define ROW_COUNT(def_, doc_) \
	{ ROW("count", PARAM_COUNT, count), .def = def_, .min = "1", .max = "1000000000000", \
	  .doc = doc_ }
#define ROW_COUNT_ENDLESS(doc_) \
	{ ROW("count", PARAM_COUNT, count), .def = "endless", .min = "1", \
	  .max = "1000000000000", .word = "endless", .word_value = 0, .doc = doc_ }
#define ROW_FREQ(doc_) \
	{ ROW("rate", PARAM_FREQ, freq_mhz), .def = "closed", .min = "0.001/s", \
	  .max = "1000M/s", .word = "closed", .word_value = 0, .doc = doc_ }
#define ROW_QPS \
	{ ROW("qps", PARAM_COUNT, qps), .def = "1", .min = "1", .max = "1000000", \
	  .doc = "Queue pairs of each client and server; the messages go round them." }
#define ROW_VERB(names_, doc_) \
	{ ROW("verb", PARAM_ENUM, verb), .def = "nic", .names = names_, .doc = doc_ }
#define ROW_VERB_ANY \
	ROW_VERB(verbs_any, "write, send (takes receive buffers there) or read (the data comes back from " \
			    "there); nic: as the sending host's NIC says.")
#define ROW_VERB_PUSH \
	ROW_VERB(verbs_push, "write, or send, which takes receive buffers; nic: as the sending host's NIC says.")
#define ROWS_COMMON \
	{ ROW("start", PARAM_TIME, start_ps), .def = "0s", .min = "0s", .max = "1000000s", \
	  .doc = "When the first message or frame may start." }, \
	{ ROW("stop", PARAM_TIME, stop_ps), .def = "never", .min = "0s", \
	  .doc = "When the last may start; what has started goes on." }, \
	{ .key = NULL }

static const char *const verbs_any[] = { "nic", "write", "send", "read", NULL };
static const char *const verbs_push[] = { "nic", "write", "send", NULL };

static const struct param workload_flow[] = {
	ROW_SIZE("Payload of the message."),
	{ ROW("rate", PARAM_RATE, rate_bps), .def = "line", .min = "1Kbps", .max = "10Tbps",
	  .word = "line", .word_value = 0,
	  .doc = "Most that the queue pair may send, in bits of the wire." },
	ROW_COUNT("1", "Messages on the same queue pair."),
	{ ROW("depth", PARAM_COUNT, depth), .def = "1", .min = "1", .max = "1000000",
	  .doc = "Messages posted at once; each that is done makes way for the next." },
	ROW_VERB_ANY,
	ROWS_COMMON
};

static const struct param workload_stream[] = {
	{ ROW("rate", PARAM_RATE, rate_bps), .def = "greedy", .min = "1Kbps", .max = "10Tbps",
	  .word = "greedy", .word_value = 0,
	  .doc = "Rate on the wire, preamble and gap included; greedy is all that the port "
		 "lets out." },
	{ ROW("frame", PARAM_BYTES, frame_bytes), .def = "1000B", .min = "64B", .max = "16000B",
	  .doc = "Ethernet frame with its FCS." },
	{ ROW("jitter", PARAM_RATIO, jitter), .def = "0", .min = "0", .max = "1",
	  .doc = "Each gap between two frames is drawn from 1 - jitter to 1 + jitter times "
		 "the mean." },
	ROWS_COMMON
};

static const struct param workload_incast[] = {
	ROW_SIZE("Payload that each sender sends."),
	ROW_VERB_ANY,
	ROWS_COMMON
};

static const struct param workload_permutation[] = {
	ROW_SIZE("Payload that each host sends to its partner."),
	ROW_VERB_ANY,
	ROWS_COMMON
};

static const struct param workload_all_to_all[] = {
	ROW_SIZE("Payload that each host sends to each other."),
	ROW_VERB_ANY,
	ROWS_COMMON
};

static const struct param workload_poisson[] = {
	{ ROW("load", PARAM_RATIO, load), .min = "0.000001", .max = "1",
	  .doc = "Payload that each host offers, as a part of its line rate." },
	ROW_COUNT_ENDLESS("Flows that each host starts."),
	ROW_VERB_ANY,
	ROWS_COMMON
};

static const struct param workload_request_response[] = {
	{ ROW("request", PARAM_BYTES, request_bytes), .min = "1B", .max = "1000000GB",
	  .doc = "Payload from client to server." },
	{ ROW("response", PARAM_BYTES, response_bytes), .min = "1B", .max = "1000000GB",
	  .doc = "Payload from server to client, sent when the request is complete." },
	ROW_FREQ("Requests that each client starts a second, whatever is outstanding; closed "
		 "is one at a time."),
	ROW_COUNT_ENDLESS("Requests of each client."),
	ROW_VERB_PUSH,
	ROW_QPS,
	ROWS_COMMON
};

static const struct param workload_ring_allreduce[] = {
	ROW_SIZE("Bytes reduced; each step sends a rank's share of them."),
	ROW_COUNT("1", "All-reduces, each after the one before."),
	ROW_VERB_PUSH,
	ROWS_COMMON
};

static const struct param workload_storage_write[] = {
	ROW_SIZE("Payload of one write, sent to every replica."),
	{ ROW("replicas", PARAM_COUNT, replicas), .def = "3", .min = "1", .max = "100",
	  .doc = "Servers that hold each write." },
	ROW_FREQ("Writes that each client starts a second, whatever is outstanding; closed "
		 "is one at a time."),
	ROW_COUNT_ENDLESS("Writes of each client."),
	ROW_VERB_PUSH,
	ROW_QPS,
	ROWS_COMMON
};

static const struct param workload_list[] = {
	{ ROW("origin", PARAM_TIME, origin_ps), .def = "0s", .min = "0s", .max = "1000000s",
	  .doc = "Time of the list that falls on `start` in the run; HPCC's lists begin at 2s." },
	ROW_VERB_ANY,
	ROWS_COMMON
};

static const struct { const char *name; const struct param *params; } workload_kinds[] = {
	[WORKLOAD_FLOW] = { "flow", workload_flow },
	[WORKLOAD_STREAM] = { "stream", workload_stream },
	[WORKLOAD_INCAST] = { "incast", workload_incast },
	[WORKLOAD_PERMUTATION] = { "permutation", workload_permutation },
	[WORKLOAD_ALL_TO_ALL] = { "all_to_all", workload_all_to_all },
	[WORKLOAD_POISSON] = { "poisson", workload_poisson },
	[WORKLOAD_REQUEST_RESPONSE] = { "request_response", workload_request_response },
	[WORKLOAD_RING_ALLREDUCE] = { "ring_allreduce", workload_ring_allreduce },
	[WORKLOAD_STORAGE_WRITE] = { "storage_write", workload_storage_write },
	[WORKLOAD_LIST] = { "list", workload_list },
};

const struct param *workload_params(enum workload_kind kind)
{
	sim_assert(kind <= WORKLOAD_LIST);
	return workload_kinds[kind].params;
}

static bool can_read(int kind)
{
	return kind == WORKLOAD_FLOW || kind == WORKLOAD_INCAST || kind == WORKLOAD_PERMUTATION ||
	       kind == WORKLOAD_ALL_TO_ALL || kind == WORKLOAD_POISSON || kind == WORKLOAD_LIST;
}

int workload_verb(const struct workload_conf *conf, const struct nic_conf *nic)
{
	int verb = conf->verb != WORKLOAD_AS_NIC ? conf->verb - 1 : nic->verb;

	return verb == NIC_READ && !can_read(conf->kind) ? NIC_WRITE : verb;
}

const char *workload_kind_name(enum workload_kind kind)
{
	sim_assert(kind <= WORKLOAD_LIST);
	return workload_kinds[kind].name;
}

static int by_order(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int flow_order(const void *x, const void *y)
{
	const struct workload_flow *a = x, *b = y;
	int c = by_order(a->from, b->from);

	if (!c)
		c = by_order(a->start_ps, b->start_ps);
	if (!c)
		c = by_order(a->to, b->to);
	return c ? c : by_order(a->size_bytes, b->size_bytes);
}

void workload_list_sort(struct workload_flow *list, int64_t n)
{
	if (n > 1)
		qsort(list, (size_t)n, sizeof *list, flow_order);
}

static int64_t listed_ps(const struct workload_conf *c, int64_t i)
{
	return c->list[i].start_ps - c->origin_ps + c->start_ps;
}

int64_t workload_first_ps(const struct workload_conf *c)
{
	int64_t first = INT64_MAX;

	for (int64_t i = 0; c->kind == WORKLOAD_LIST && i < c->nlist; i++)
		first = listed_ps(c, i) < first ? listed_ps(c, i) : first;
	return c->kind == WORKLOAD_LIST ? first : c->start_ps;
}

int64_t workload_listed_after(const struct workload_conf *c, int64_t at_ps)
{
	int64_t n = 0;

	for (int64_t i = 0; c->kind == WORKLOAD_LIST && i < c->nlist; i++)
		n += listed_ps(c, i) >= at_ps;
	return n;
}
