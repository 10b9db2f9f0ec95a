/* observe/eventlog.c - see eventlog.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "sim/mem.h"
#include "observe/eventlog.h"
#include "observe/flowtable.h"
#include "observe/grow.h"
#include "observe/names.h"
#include "observe/stuck.h"

struct eventlog {
	struct fabric *f;
	struct outfile csv;
	uint8_t *dropped;	/* of each port * 8 + priority: a bit a cause */
	struct eventlog_event *events;
	size_t nevents, cap;
};

static struct eventlog_event *add(struct eventlog *e, struct eventlog_event event,
				  const char *detail)
{
	event.detail = mem_strdup(detail);
	e->events = grow_room(e->events, e->nevents, &e->cap, sizeof(*e->events));
	e->events[e->nevents] = event;
	return &e->events[e->nevents++];
}

void eventlog_add(struct eventlog *e, int64_t at_ps, enum eventlog_kind kind,
		  const char *detail)
{
	add(e, (struct eventlog_event){ .at_ps = at_ps, .kind = (int)kind, .node = VIEW_NONE,
					.port = VIEW_NONE, .prio = -1 }, detail);
}

/* --- what happens ------------------------------------------------------- */

static void name_flow(struct eventlog *e, struct eventlog_event *event, uint32_t id)
{
	char text[1024];

	if (id == UINT32_MAX)
		return;
	struct view_flow flow = view_flow(e->f, id);
	snprintf(text, sizeof(text), "%s %s>%s", flow.name, view_node_name(e->f, flow.src),
		 view_node_name(e->f, flow.dst));
	event->flow = mem_strdup(text);
	event->hash = flow.hash;
}

static void on_drop(struct eventlog *e, struct eventlog_event event, const struct record *rec)
{
	char text[64];

	if (rec->port == VIEW_NONE || rec->b < 0 || rec->b >= RECORD_DROPS)
		return;
	uint8_t bit = (uint8_t)(1u << rec->b);
	uint8_t *dropped = &e->dropped[rec->port * STUCK_PRIOS + rec->prio];
	if (*dropped & bit)
		return;
	*dropped |= bit;
	event.kind = EVENTLOG_DROP_LOSSLESS + (int)rec->b;
	snprintf(text, sizeof(text), "first of its kind here: %" PRId64 " bytes", rec->a);
	name_flow(e, add(e, event, text), rec->flow);
}

static void on_fault(struct eventlog *e, struct eventlog_event event, const struct record *rec)
{
	char text[64], rate[32];

	event.kind = rec->b ? EVENTLOG_FAULT : EVENTLOG_FAULT_END;
	event.prio = -1;
	if (rec->a != FAULT_LINK_SLOW ||
	    (!rec->b && view_port(e->f, rec->port).now_bps == view_port(e->f, rec->port).rate_bps)) {
		add(e, event, fault_texts[rec->a]);
		return;
	}
	units_format(view_port(e->f, rec->port).now_bps, UNITS_RATE, rate, sizeof(rate));
	snprintf(text, sizeof(text), "%s: %s%s", fault_texts[rec->a], rec->b ? "" : "still ", rate);
	add(e, event, text);
}

static void sink(void *ctx, const struct record *rec)
{
	struct eventlog *e = ctx;
	struct eventlog_event event = {
		.at_ps = rec->at_ps, .node = rec->node, .port = rec->port, .prio = rec->prio};
	char text[256];

	switch ((enum record_kind)rec->kind) {
	case RECORD_DROP:
		on_drop(e, event, rec);
		break;
	case RECORD_FAULT:
		on_fault(e, event, rec);
		break;
	case RECORD_WATCHDOG:
		event.kind = rec->a ? EVENTLOG_STORM : EVENTLOG_RESTORE;
		snprintf(text, sizeof(text), "%" PRId64 " frames dropped in the storm", rec->b);
		add(e, event, rec->a ? NULL : text);
		break;
	case RECORD_NIC_WATCHDOG:
		event.kind = EVENTLOG_NIC_WATCHDOG;
		add(e, event, "the NIC stopped pausing");
		break;
	case RECORD_FLOW_FAILED:
		event.kind = EVENTLOG_FLOW_FAILED;
		event.port = VIEW_NONE;
		event.prio = -1;
		flowtable_reason(e->f, rec->a, rec->b, text, sizeof(text));
		name_flow(e, add(e, event, text), rec->flow);
		break;
	default:
		break;
	}
}

/* --- the end ------------------------------------------------------------ */

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_time(const void *x, const void *y)
{
	const struct eventlog_event *a = x, *b = y;
	int c = compare((uint64_t)a->at_ps, (uint64_t)b->at_ps);

	if (!c)
		c = a->kind - b->kind;
	if (!c)
		c = compare(a->node, b->node);
	if (!c)
		c = compare(a->port, b->port);
	if (!c)
		c = a->prio - b->prio;
	if (!c)
		c = compare(a->hash, b->hash);
	if (!c && a->flow && b->flow)
		c = strcmp(a->flow, b->flow);
	if (!c && a->detail && b->detail)
		c = strcmp(a->detail, b->detail);
	return c;
}

static void write_event(struct eventlog *e, const struct eventlog_event *event)
{
	static const char *const kinds[EVENTLOG_KINDS] = {
		"fault",	  "fault_end",	      "drop_lossless", "drop_lossy",
		"drop_watchdog",  "drop_wire",	      "drop_ttl",      "drop_nic",
		"watchdog_storm", "watchdog_restore", "nic_watchdog",  "flow_failed",
		"deadlock",	  "deadlock_cleared", "stall",	       "stall_end",
	};
	char name[NAMES_MAX] = "";

	if (event->port != VIEW_NONE)
		names_port(e->f, event->port, name, sizeof(name));
	else if (event->node != VIEW_NONE)
		snprintf(name, sizeof(name), "%s", view_node_name(e->f, event->node));
	fprintf(e->csv.stream, "%" PRId64 ",%s,", event->at_ps, kinds[event->kind]);
	outfile_text(&e->csv, name);
	if (event->prio >= 0)
		fprintf(e->csv.stream, ",%d,", event->prio);
	else
		fputs(",,", e->csv.stream);
	outfile_text(&e->csv, event->flow ? event->flow : "");
	fputc(',', e->csv.stream);
	outfile_text(&e->csv, event->detail ? event->detail : "");
	fputc('\n', e->csv.stream);
}

int eventlog_finish(struct eventlog *e, struct sim_error *err)
{
	if (e->nevents)
		qsort(e->events, e->nevents, sizeof(*e->events), by_time);
	if (!e->csv.stream)
		return 0;
	fputs("at_ps,event,where,prio,flow,detail\n", e->csv.stream);
	for (size_t i = 0; i < e->nevents; i++)
		write_event(e, &e->events[i]);
	return outfile_close(&e->csv, err);
}

const struct eventlog_event *eventlog_first(const struct eventlog *e, enum eventlog_kind kind)
{
	for (size_t i = 0; i < e->nevents; i++)
		if (e->events[i].kind == (int)kind)
			return &e->events[i];
	return NULL;
}

int64_t eventlog_count(const struct eventlog *e, enum eventlog_kind kind)
{
	int64_t n = 0;

	for (size_t i = 0; i < e->nevents; i++)
		n += e->events[i].kind == (int)kind;
	return n;
}

struct eventlog *eventlog_new(struct fabric *f, const char *dir, struct sim_error *err)
{
	struct eventlog *e = mem_zalloc(sizeof(*e));

	e->f = f;
	if (dir && outfile_open(&e->csv, dir, "events.csv", err)) {
		free(e);
		return NULL;
	}
	e->dropped = mem_zalloc((size_t)view_ports(f) * STUCK_PRIOS);
	fabric_add_sink(f, 1u << RECORD_DROP | 1u << RECORD_WATCHDOG | 1u << RECORD_FAULT |
			   1u << RECORD_NIC_WATCHDOG | 1u << RECORD_FLOW_FAILED, sink, e);
	return e;
}

void eventlog_free(struct eventlog **ep)
{
	struct eventlog *e = *ep;

	*ep = NULL;
	if (!e)
		return;
	outfile_abandon(&e->csv);
	for (size_t i = 0; i < e->nevents; i++) {
		free(e->events[i].flow);
		free(e->events[i].detail);
	}
	free(e->dropped);
	free(e->events);
	free(e);
}
