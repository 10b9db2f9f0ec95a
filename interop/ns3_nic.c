/*
 * interop/ns3_nic.c - its hosts: packets, windows, congestion control.
 */
#include "interop/ns3_inside.h"

#include <stdio.h>
#include <string.h>

#include "scenario/writer.h"

enum { CC_DCQCN = 1, CC_HPCC = 3, CC_TIMELY = 7, CC_DCTCP = 8, CC_PINT = 10 };

static int mode(const struct ns3 *n)
{
	return n->config ? (int)ns3_number(n, "CC_MODE", CC_DCQCN) : 0;
}

/* KEY in microseconds. */
static void time_us(struct writer *w, const struct ns3 *n, const char *key, const char *name)
{
	const char *value = ns3_value(n, key);
	char text[48];

	if (!value)
		return;
	snprintf(text, sizeof text, "%.40sus", value);
	writer_text(w, name, text);
}

static void rate(struct writer *w, const struct ns3 *n, const char *key, const char *name)
{
	const char *value = ns3_value(n, key);
	char text[40];
	int64_t bps;

	if (value && ns3_rate(value, &bps) == 0)
		writer_text(w, name, units_exact(bps, UNITS_RATE, text, sizeof text));
}

static void word(struct writer *w, const struct ns3 *n, const char *key, const char *name)
{
	if (ns3_value(n, key))
		writer_text(w, name, ns3_value(n, key));
}

/* The vendor's form, as HPCC has it: timers alone, alpha each interval. */
static void dcqcn(struct writer *w, const struct ns3 *n)
{
	char text[24];

	writer_open(w, "dcqcn", '{', false);
	writer_text(w, "preset", "connectx");
	writer_text(w, "rpg_byte_reset", "off");
	time_us(w, n, "ALPHA_RESUME_INTERVAL", "dce_tcp_rtt");
	time_us(w, n, "RATE_DECREASE_INTERVAL", "rate_reduce_monitor_period");
	time_us(w, n, "RP_TIMER", "rpg_time_reset");
	snprintf(text, sizeof text, "%.0f", 1024 * (1 - ns3_number(n, "EWMA_GAIN", 1.0 / 256)));
	writer_raw(w, "dce_tcp_g", text);
	word(w, n, "FAST_RECOVERY_TIMES", "rpg_threshold");
	rate(w, n, "RATE_AI", "rpg_ai_rate");
	rate(w, n, "RATE_HAI", "rpg_hai_rate");
	rate(w, n, "MIN_RATE", "rpg_min_rate");
	writer_raw(w, "clamp_tgt_rate", ns3_flag(n, "CLAMP_TARGET_RATE", true) ? "true" : "false");
	writer_close(w, '}');
}

static void hpcc(struct writer *w, const struct ns3 *n, bool pint)
{
	writer_open(w, "hpcc", '{', false);
	writer_text(w, "preset", pint ? "pint" : "ns3");
	word(w, n, "U_TARGET", "eta");
	word(w, n, "MI_THRESH", "max_stage");
	rate(w, n, "RATE_AI", "rate_ai");
	rate(w, n, "MIN_RATE", "min_rate");
	writer_raw(w, "fast_react", ns3_flag(n, "FAST_REACT", true) ? "true" : "false");
	if (pint) {
		word(w, n, "PINT_LOG_BASE", "pint_base");
		word(w, n, "PINT_PROB", "pint_sample");
	}
	writer_close(w, '}');
}

static void control(struct writer *w, const struct ns3 *n)
{
	int cc = mode(n);

	writer_open(w, "cc", '{', false);
	if (cc == CC_DCQCN) {
		dcqcn(w, n);
	} else if (cc == CC_HPCC || cc == CC_PINT) {
		hpcc(w, n, cc == CC_PINT);
	} else {
		writer_open(w, cc == CC_TIMELY ? "timely" : cc == CC_DCTCP ? "dctcp" : "none", '{', false);
		if (cc == CC_TIMELY || cc == CC_DCTCP) {
			writer_text(w, "preset", "ns3");
			rate(w, n, cc == CC_TIMELY ? "RATE_AI" : "DCTCP_RATE_AI", "rate_ai");
			rate(w, n, "MIN_RATE", "min_rate");
		}
		if (cc == CC_DCTCP)
			word(w, n, "EWMA_GAIN", "g");
		writer_close(w, '}');
	}
	writer_close(w, '}');
}

void ns3_nic(struct writer *w, const struct ns3 *n)
{
	char text[40];
	int cc = mode(n);

	writer_open(w, "nic", '{', false);
	snprintf(text, sizeof text, "%.20sB", ns3_value(n, "PACKET_PAYLOAD_SIZE") ? ns3_value(n, "PACKET_PAYLOAD_SIZE") : "1000");
	writer_text(w, "mtu", text);
	writer_text(w, "cnp_interval", "0us");
	if (ns3_flag(n, "L2_BACK_TO_ZERO", false))
		writer_text(w, "recovery", "go_back_0");
	if (n->config && ns3_flag(n, "HAS_WIN", true) && cc != CC_HPCC && cc != CC_PINT)
		writer_raw(w, "bdp_cap", "true");
	writer_text(w, "cnp_class", "control");
	if (ns3_flag(n, "ACK_HIGH_PRIO", false))
		writer_text(w, "ack_class", "control");
	writer_open(w, "pfc", '{', true);
	writer_text(w, "response", "0s");
	writer_close(w, '}');
	control(w, n);
	writer_close(w, '}');
}

void ns3_nic_notes(struct ns3 *n)
{
	int cc = mode(n);

	ns3_note(n, "approximated: frames are RoCEv2's, with FCS, preamble and gap: a middle packet has 82 bytes of wire "
		 "around its payload, there 48");
	ns3_note(n, "approximated: a flow's FCT ends with its last byte at the receiver, there with the ACK of it (here "
		 "acked_ps)");
	if (cc == CC_DCQCN)
		ns3_note(n, "approximated: a CNP is a frame for each marked packet, in class control; there, a flag in the ACK");
	if (n->config && cc != CC_DCQCN && cc != CC_HPCC && cc != CC_TIMELY && cc != CC_DCTCP && cc != CC_PINT)
		ns3_note(n, "kept: CC_MODE %d is none of 1 (DCQCN), 3 (HPCC), 7 (TIMELY), 8 (DCTCP), 10 (HPCC-PINT): no congestion "
			 "control, as there", cc);
	if (n->config && ns3_flag(n, "ACK_HIGH_PRIO", false))
		ns3_note(n, "approximated: ACK_HIGH_PRIO: ACKs go in class control everywhere; there, only the NICs do so");
	if (n->config && ns3_flag(n, "HAS_WIN", true) && cc != CC_HPCC && cc != CC_PINT)
		ns3_note(n, "approximated: HAS_WIN: the window is the path's own BDP%s", ns3_flag(n, "GLOBAL_T", true)
			 ? "; there, with GLOBAL_T, the largest of all" : "");
	if (n->config && ns3_flag(n, "VAR_WIN", false) && cc != CC_HPCC && cc != CC_PINT)
		ns3_note(n, "ignored: VAR_WIN: the window does not shrink with the rate");
	if (n->config && !ns3_flag(n, "RATE_BOUND", true))
		ns3_note(n, "ignored: RATE_BOUND 0: rates pace, as with 1");
	if (ns3_flag(n, "MULTI_RATE", false) || ns3_flag(n, "SAMPLE_FEEDBACK", false))
		ns3_note(n, "ignored: MULTI_RATE and SAMPLE_FEEDBACK: HPCC runs with one rate, at every ACK");
}
