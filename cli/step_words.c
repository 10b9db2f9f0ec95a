/* cli/step_words.c - see step.h: records as sentences, names, numbers. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/step.h"
#include "observe/flowtable.h"
#include "observe/names.h"
#include "sim/error.h"
#include "sim/mem.h"
#include "sim/units.h"

int step_kind_of(const struct record *rec)
{
	switch ((enum record_kind)rec->kind) {
	case RECORD_FLOW_START: return STEP_START;
	case RECORD_FLOW_DELIVERED: return STEP_DONE;
	case RECORD_FLOW_FAILED: return STEP_FAILED;
	case RECORD_XOFF_SENT: return rec->b ? STEP_REFRESH : STEP_PAUSE;
	case RECORD_XON_SENT: return STEP_XON;
	case RECORD_PAUSED: return STEP_STOP;
	case RECORD_RESUMED: return STEP_GO;
	case RECORD_GROUP_XOFF:
	case RECORD_GROUP_XON: return STEP_GROUP;
	case RECORD_DROP: return STEP_DROP;
	case RECORD_WATCHDOG:
	case RECORD_NIC_WATCHDOG: return STEP_STORM;
	case RECORD_FAULT: return rec->a == FAULT_NIC_STORM ? STEP_STORM : STEP_FAULT;
	case RECORD_RETRANSMIT:
	case RECORD_RNR: return STEP_RESEND;
	case RECORD_CNP: return STEP_CNP;
	case RECORD_RATE: return STEP_RATE;
	case RECORD_ECN: return rec->b ? STEP_MARK : -1;
	case RECORD_FRAME_SENT: return STEP_SEND;
	case RECORD_FRAME_RECEIVED: return STEP_RECEIVE;
	default: return -1;
	}
}

/* --------------------------------------------------------------- names, numbers */

char *step_number(int64_t value, char *buf, size_t size)
{
	char digits[32];
	int n = snprintf(digits, sizeof digits, "%" PRId64, value), sign = value < 0;
	size_t used = 0;

	for (int i = 0; i < n && used + 2 < size; i++) {
		if (i > sign && (n - i) % 3 == 0)
			buf[used++] = ',';
		buf[used++] = digits[i];
	}
	buf[used] = '\0';
	return buf;
}

char *step_time(int64_t ps, char *buf, size_t size)
{
	size_t n;

	snprintf(buf, size, "%" PRId64 ".%06" PRId64, ps / 1000000, ps % 1000000);
	n = strlen(buf);
	for (int digits = 6; digits > 3 && n && buf[n - 1] == '0'; digits--)
		n--;
	snprintf(buf + n, size - n, "us");
	return buf;
}

/* "leaf0 port 3 priority 3"; prio -1: without. */
static void put_place(const struct step *s, uint32_t port, int prio, FILE *out)
{
	struct view_port v = view_port(s->f, port);

	fprintf(out, "%s port %d", view_node_name(s->f, v.node), v.number);
	if (prio >= 0)
		fprintf(out, " priority %d", prio);
}

/* "h7", or of a switch "leaf0 port 3": the far end of a port. */
static void put_peer(const struct step *s, uint32_t port, FILE *out)
{
	uint32_t peer = view_port(s->f, port).peer_port, node = view_port(s->f, peer).node;

	if (view_is_switch(s->f, node))
		put_place(s, peer, -1, out);
	else
		fputs(view_node_name(s->f, node), out);
}

static void put_bytes(int64_t bytes, FILE *out)
{
	char number[32];

	fprintf(out, "%s byte%s", step_number(bytes, number, sizeof number), bytes == 1 ? "" : "s");
}

static char *flow_name(const struct step *s, uint32_t flow, char *buf, size_t size)
{
	struct view_flow v = view_flow(s->f, flow);

	snprintf(buf, size, "%s %s>%s", v.name, view_node_name(s->f, v.src),
		 view_node_name(s->f, v.dst));
	return buf;
}

static void put_flow(const struct step *s, uint32_t flow, FILE *out)
{
	char name[2 * NAMES_MAX];

	if (flow != VIEW_NONE)
		fputs(flow_name(s, flow, name, sizeof name), out);
}

/* --------------------------------------------------------------------- waiters */

enum { PAIRS = 64, PAIRS_SHOWN = 2 };
struct pair { int workload; uint32_t src, dst; };
struct pairs { const struct step *s; struct pair at[PAIRS]; int n, others; };

static void add_pair(void *ctx, const struct view_wait *w)
{
	struct pairs *p = ctx;
	struct pair one;

	if (!view_waits_for(p->s->f, w->qp, w->gen, &one.workload, &one.src, &one.dst))
		return;
	for (int i = 0; i < p->n; i++)
		if (p->at[i].workload == one.workload && p->at[i].src == one.src &&
		    p->at[i].dst == one.dst)
			return;
	if (p->n < PAIRS)
		p->at[p->n++] = one;
	else
		p->others = 1;
}

char *step_waiters(const struct step *s, uint32_t port, int prio, char *buf, size_t size)
{
	struct pairs p = { .s = s };
	size_t n = 0;

	view_waiting(s->f, port, prio, VIEW_NONE, 0, add_pair, &p);
	buf[0] = '\0';
	for (int i = 0; i < p.n && i < PAIRS_SHOWN && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s %s>%s", i ? ", " : "",
				      view_workload(s->f, p.at[i].workload).name,
				      view_node_name(s->f, p.at[i].src),
				      view_node_name(s->f, p.at[i].dst));
	if (p.n > PAIRS_SHOWN && n < size)
		snprintf(buf + n, size - n, " and %d%s more", p.n - PAIRS_SHOWN,
			 p.others ? " or" : "");
	return buf;
}

/* ------------------------------------------------------------------- sentences */

static void pause_words(const struct step *s, const struct record *rec, FILE *out)
{
	int64_t limit = view_xoff_limit(s->f, rec->port, rec->prio);
	bool host = !view_is_switch(s->f, rec->node);
	bool storming = host && deadlock_storming(s->dead, rec->node), others;

	put_place(s, rec->port, rec->prio, out);
	fprintf(out, rec->kind == RECORD_XON_SENT ? " sends XON to " :
		rec->b ? " sends XOFF again to " : " sends XOFF to ");
	put_peer(s, rec->port, out);
	/* pauses of 802.3x are told of each priority that they stop */
	others = rec->kind == RECORD_XOFF_SENT && !host && !(step_groups(s, rec->port, rec->prio) >> rec->prio & 1);
	fputs(storming ? ": it storms, and holds " :
	      host ? ": its receive buffer holds " :
	      others ? ": the whole port stops, for another priority; its group holds " :
	      ": its priority group holds ", out);
	put_bytes(rec->a, out);
	if (rec->kind == RECORD_XOFF_SENT && !host && !others && limit > 0) {
		char number[32];

		fprintf(out, ", limit %s", step_number(limit, number, sizeof number));
	}
}

static void stop_words(const struct step *s, const struct record *rec, FILE *out)
{
	static const char *const why[] = { "by XON", "the pause has expired", "by the watchdog",
					   "by a fault" };
	char text[3 * NAMES_MAX], time[32];
	int64_t queue = view_counters(s->f, rec->port, rec->prio).queue_bytes;

	put_place(s, rec->port, rec->prio, out);
	if (rec->kind == RECORD_PAUSED) {
		fputs(" stops: ", out);
		put_peer(s, rec->port, out);
		fputs(" has paused it", out);
	} else {
		fprintf(out, " goes on after %s, %s", step_time(rec->a, time, sizeof time),
			rec->b >= 0 && rec->b < 4 ? why[rec->b] : "");
	}
	step_waiters(s, rec->port, rec->prio, text, sizeof text);
	if (queue > 0) {
		fputs("; ", out);
		put_bytes(queue, out);
		fputs(" wait there", out);
	}
	if (*text)
		fprintf(out, "%s%s", queue > 0 ? ": " : "; there waits ", text);
}

static void drop_words(const struct step *s, const struct record *rec, FILE *out)
{
	static const char *const why[RECORD_DROPS] = {
		[RECORD_DROP_LOSSLESS] = "no room is left for its lossless class",
		[RECORD_DROP_LOSSY] = "no room for its lossy class",
		[RECORD_DROP_WATCHDOG] = "the watchdog's doing",
		[RECORD_DROP_WIRE] = "lost on the wire",
		[RECORD_DROP_TTL] = "its TTL has run out",
		[RECORD_DROP_NIC] = "the receive buffer is full",
	};

	if (rec->port != VIEW_NONE)
		put_place(s, rec->port, rec->prio, out);
	else
		fputs(view_node_name(s->f, rec->node), out);
	fputs(" loses a frame of ", out);
	put_bytes(rec->a, out);
	if (rec->flow != VIEW_NONE) {
		fputs(" of ", out);
		put_flow(s, rec->flow, out);
	}
	fprintf(out, ": %s", rec->b >= 0 && rec->b < RECORD_DROPS ? why[rec->b] : "?");
}

static void fault_words(const struct step *s, const struct record *rec, FILE *out)
{
	char rate[32];

	if (rec->port != VIEW_NONE)
		put_place(s, rec->port, -1, out);
	else
		fputs(view_node_name(s->f, rec->node), out);
	fprintf(out, ": a fault %s: %s", rec->b ? "begins" : "ends", fault_texts[rec->a]);
	if (rec->a != FAULT_LINK_SLOW)
		return;
	struct view_port v = view_port(s->f, rec->port);
	fprintf(out, "%s %s", v.now_bps == v.rate_bps ? ", back at" : rec->b ? ", now" : ", still",
		units_format(v.now_bps, UNITS_RATE, rate, sizeof rate));
}

static void watchdog_words(const struct step *s, const struct record *rec, FILE *out)
{
	char number[32];

	put_place(s, rec->port, rec->prio, out);
	if (rec->kind == RECORD_NIC_WATCHDOG)
		fputs(": the NIC's watchdog ends its pausing", out);
	else if (rec->a)
		fputs(": the watchdog finds a storm", out);
	else
		fprintf(out, ": the watchdog restores it; %s frames were lost",
			step_number(rec->b, number, sizeof number));
}

static void flow_words(const struct step *s, const struct record *rec, FILE *out)
{
	struct view_flow v = view_flow(s->f, rec->flow);
	char text[256], time[32];

	put_flow(s, rec->flow, out);
	switch ((enum record_kind)rec->kind) {
	case RECORD_FLOW_START:
		fputs(" starts: ", out);
		put_bytes(v.size_bytes, out);
		return;
	case RECORD_FLOW_DELIVERED:
		fputs(" has arrived whole: ", out);
		put_bytes(v.size_bytes, out);
		fprintf(out, " in %s", step_time(rec->a, time, sizeof time));
		return;
	case RECORD_FLOW_FAILED:
		flowtable_reason(s->f, rec->a, rec->b, text, sizeof text);
		fprintf(out, " fails: %s", text);
		return;
	case RECORD_RETRANSMIT:
		fprintf(out, " goes back by ");
		put_bytes(rec->a, out);
		fputs(rec->b ? ": the timer has run out" : ": a NAK has come", out);
		return;
	case RECORD_RNR:
		fprintf(out, " finds no receive buffer: it waits %s", step_time(rec->a, time, sizeof time));
		return;
	case RECORD_CNP:
		fprintf(out, ": %s sends a CNP", view_node_name(s->f, rec->node));
		return;
	default:			/* RECORD_RATE */
		fprintf(out, " sends at %s from here on",
			units_format(rec->a, UNITS_RATE, text, sizeof text));
		if (rec->b) {
			fputs(", window ", out);
			put_bytes(rec->b, out);
		}
	}
}

static void frame_words(const struct step *s, const struct record *rec, FILE *out)
{
	static const char *const kinds[] = {
		[VIEW_DATA] = "data", [VIEW_STREAM] = "a datagram", [VIEW_ACK] = "an ACK",
		[VIEW_NAK] = "a NAK", [VIEW_CNP] = "a CNP", [VIEW_FRAGMENT] = "a fragment",
		[VIEW_MTU_ERROR] = "an ICMP error", [VIEW_PAUSE] = "a pause frame",
		[VIEW_READ] = "a READ request", [VIEW_RNR] = "an RNR NAK",
	};
	struct view_frame v = view_frame(s->f, rec->a);

	put_place(s, rec->port, -1, out);
	fprintf(out, rec->kind == RECORD_FRAME_SENT ? " sends to " : " has received from ");
	put_peer(s, rec->port, out);
	fprintf(out, " %s, ", kinds[v.kind]);
	put_bytes(v.bytes, out);
	if (v.kind == VIEW_PAUSE) {
		for (int p = 0; p < STEP_PRIOS; p++)
			if (v.enabled >> p & 1)
				fprintf(out, ", priority %d %s", p, v.quanta[p] ? "XOFF" : "XON");
		return;
	}
	fprintf(out, " of %s>%s, number %u%s%s%s", view_node_name(s->f, v.src),
		view_node_name(s->f, v.dst), v.psn, v.last ? ", the last" : "",
		v.ce ? ", marked" : "", v.again ? ", sent again" : "");
}

void step_sentence(const struct step *s, const struct record *rec, FILE *out)
{
	char time[32];
	int kind = step_kind_of(rec);

	fprintf(out, "at %s ", step_time(rec->at_ps, time, sizeof time));
	switch (kind) {
	case STEP_PAUSE:
	case STEP_REFRESH:
	case STEP_XON:
		pause_words(s, rec, out);
		break;
	case STEP_STOP:
	case STEP_GO:
		stop_words(s, rec, out);
		break;
	case STEP_GROUP:
		put_place(s, rec->port, rec->prio, out);
		fputs(rec->kind == RECORD_GROUP_XOFF ? ": its group reaches XOFF with " :
						       ": its group leaves XOFF with ", out);
		put_bytes(view_counters(s->f, rec->port, rec->prio).group_bytes, out);
		break;
	case STEP_MARK:
		put_place(s, rec->port, rec->prio, out);
		fputs(" marks a frame of ", out);
		put_flow(s, rec->flow, out);
		fputs(": its queue holds ", out);
		put_bytes(rec->a, out);
		break;
	case STEP_DROP:
		drop_words(s, rec, out);
		break;
	case STEP_STORM:
		if (rec->kind != RECORD_FAULT) {
			watchdog_words(s, rec, out);
			break;
		}	/* fall through */
	case STEP_FAULT:
		fault_words(s, rec, out);
		break;
	case STEP_SEND:
	case STEP_RECEIVE:
		frame_words(s, rec, out);
		break;
	default:
		flow_words(s, rec, out);
	}
}

/* ---------------------------------------------------------------------- places */

static bool flow_matches(const struct step *s, uint32_t flow, const char *glob)
{
	char name[2 * NAMES_MAX];

	if (flow == VIEW_NONE)
		return false;
	flow_name(s, flow, name, sizeof name);
	const char *pair = strchr(name, ' ') + 1;
	return names_match(glob, name) || names_match(glob, pair) ||
	       names_match(glob, view_flow(s->f, flow).name);
}

bool step_at_place(const struct step *s, const struct record *rec, const struct step_place *place)
{
	if (!place->set)
		return true;
	if (place->flow)
		return rec->kind != RECORD_FRAME_SENT && rec->kind != RECORD_FRAME_RECEIVED &&
		       flow_matches(s, rec->flow, place->flow);
	return (place->node == VIEW_NONE || rec->node == place->node) &&
	       (place->port == VIEW_NONE || rec->port == place->port) &&
	       (place->prio < 0 || rec->prio == place->prio);
}

static const char *nearest_node(const struct step *s, const char *name)
{
	uint32_t n = view_nodes(s->f);
	const char **names = mem_zalloc((n + 1) * sizeof *names), *near;

	for (uint32_t i = 0; i < n; i++)
		names[i] = view_node_name(s->f, i);
	near = error_nearest(name, names);
	free(names);
	return near;
}

int step_place_find(const struct step *s, const char *name, struct step_place *place,
		    const char **near)
{
	char node[NAMES_MAX];
	const char *colon = strchr(name, ':'), *slash = strchr(colon ? colon : name, '/');
	size_t n = colon ? (size_t)(colon - name) : slash ? (size_t)(slash - name) : strlen(name);
	char *end = NULL;

	*place = (struct step_place){ .set = true, .port = VIEW_NONE, .prio = -1 };
	snprintf(node, sizeof node, "%.*s", (int)n, name);
	place->node = view_find(s->f, node);
	if (near)
		*near = place->node == VIEW_NONE ? nearest_node(s, node) : NULL;
	if (place->node == VIEW_NONE)
		return -1;
	if (colon) {
		long number = strtol(colon + 1, &end, 10);
		uint32_t first = view_first_port(s->f, place->node);

		for (uint32_t i = 0; i < view_port_count(s->f, place->node); i++)
			if (view_port(s->f, first + i).number == number)
				place->port = first + i;
		if (place->port == VIEW_NONE || end == colon + 1 || (*end && *end != '/'))
			return -1;
	}
	if (slash) {
		place->prio = (int)strtol(slash + 1, &end, 10);
		if (end == slash + 1 || *end || place->prio < 0 || place->prio >= STEP_PRIOS)
			return -1;
	}
	return 0;
}
