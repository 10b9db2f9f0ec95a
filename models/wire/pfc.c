/*
 * models/wire/pfc.c - the settings of priority flow control, and the response
 * allowance of IEEE 802.3 31B.3.7.
 *
 * The allowance is in quanta of 512 bit times and stands in the table by link
 * speed, as SONiC's buffer_headroom_mellanox.lua cites it.  A speed between
 * two rows takes the row above it (its quanta, at the link's own bit time): the
 * standard states none.  Above the last row, the last.
 */
#include "models/wire/pfc.h"

static const struct { int64_t rate_bps; int64_t quanta; } pfc_response[] = {
	{ INT64_C(100000000),      1 },
	{ INT64_C(1000000000),     2 },
	{ INT64_C(10000000000),   67 },
	{ INT64_C(25000000000),   80 },
	{ INT64_C(40000000000),  118 },
	{ INT64_C(50000000000),  147 },
	{ INT64_C(100000000000), 394 },
	{ INT64_C(200000000000), 453 },
	{ INT64_C(400000000000), 905 },
	{ INT64_C(800000000000), 905 },
};

static const char *const modes[] = { "priority", "global", NULL };
const struct param pfc_params[] = {
	{ .key = "enable", .type = PARAM_BOOL, .offset = offsetof(struct pfc_conf, enable),
	  .def = "true",
	  .doc = "Whether the node sends and obeys pause frames on its lossless priorities." },
	{ .key = "mode", .type = PARAM_ENUM, .offset = offsetof(struct pfc_conf, mode),
	  .def = "priority", .names = modes,
	  .doc = "Pauses by priority (802.1Qbb), or global ones (802.3x) that stop the whole port; neither "
		 "kind obeys the other's frames." },
	{ .key = "quanta", .type = PARAM_COUNT, .offset = offsetof(struct pfc_conf, quanta),
	  .def = "65535", .min = "1", .max = "65535",
	  .doc = "Pause time in every XOFF, in quanta of 512 bit times of the link." },
	{ .key = "refresh", .type = PARAM_TIME, .offset = offsetof(struct pfc_conf, refresh_ps),
	  .def = "auto", .min = "1ns", .max = "10s", .word = "auto", .word_value = -1,
	  .doc = "Time between two XOFF frames of a standing pause; auto is half the "
		 "pause time." },
	{ .key = "response", .type = PARAM_TIME,
	  .offset = offsetof(struct pfc_conf, response_ps),
	  .def = "auto", .min = "0ns", .max = "1s", .word = "auto", .word_value = -1,
	  .doc = "Time from the last bit of a pause frame to its effect; auto is the "
		 "allowance of IEEE 802.3 31B.3.7 for the speed." },
	{ .key = NULL }
};

/* Rounded up: a pause is never shorter than its quanta say. */
int64_t pfc_quanta_ps(int64_t quanta, int64_t rate_bps)
{
	return units_tx_ps(quanta * (PFC_QUANTUM_BITS / 8), rate_bps);
}

int64_t pfc_response_ps(int64_t rate_bps)
{
	enum { ROWS = sizeof(pfc_response) / sizeof(pfc_response[0]) };
	int row = 0;

	while (row < ROWS - 1 && pfc_response[row].rate_bps < rate_bps)
		row++;
	return pfc_quanta_ps(pfc_response[row].quanta, rate_bps);
}

int64_t pfc_conf_response_ps(const struct pfc_conf *conf, int64_t rate_bps)
{
	return conf->response_ps >= 0 ? conf->response_ps : pfc_response_ps(rate_bps);
}

int64_t pfc_conf_refresh_ps(const struct pfc_conf *conf, int64_t rate_bps)
{
	return conf->refresh_ps >= 0 ? conf->refresh_ps
				     : pfc_quanta_ps(conf->quanta, rate_bps) / 2;
}
