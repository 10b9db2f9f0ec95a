/*
 * models/wire/link.c - the settings of a cable.
 *
 * 5 ns/m is the usual figure of copper and fibre (0.67 c); NVIDIA's headroom
 * formula alone uses 1.98e8 m/s.
 */
#include "models/wire/link.h"

#define LINK_PS_PER_MM 5	/* 5 ns/m */

const struct param link_params[] = {
	{ .key = "rate", .type = PARAM_RATE, .offset = offsetof(struct link_conf, rate_bps),
	  .def = "100Gbps", .min = "1Mbps", .max = "10Tbps",
	  .doc = "Bit rate of each direction of the link." },
	{ .key = "cable", .type = PARAM_LENGTH, .offset = offsetof(struct link_conf, cable_mm),
	  .def = "5m", .min = "0m", .max = "100000km",
	  .doc = "Length of the cable; it delays by 5 ns per metre." },
	{ .key = "delay", .type = PARAM_TIME, .offset = offsetof(struct link_conf, delay_ps),
	  .def = "cable", .min = "1ps", .max = "10s", .word = "cable", .word_value = -1,
	  .doc = "One-way propagation delay, instead of the one that follows from the cable." },
	{ .key = "phy", .type = PARAM_TIME, .offset = offsetof(struct link_conf, phy_ps),
	  .def = "0ns", .min = "0ns", .max = "1s",
	  .doc = "Latency of PHY and FEC at both ends together, added to the delay one way." },
	{ .key = NULL }
};

int64_t link_delay_ps(const struct link_conf *conf)
{
	int64_t ps = conf->delay_ps >= 0 ? conf->delay_ps : conf->cable_mm * LINK_PS_PER_MM;

	ps += conf->phy_ps;
	return ps > 0 ? ps : 1;
}
