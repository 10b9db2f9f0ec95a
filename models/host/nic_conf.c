#include "models/host/nic_conf.h"

#include "models/wire/telemetry.h"

static const char *const recoveries[] = { "go_back_n", "go_back_0", "selective_repeat", NULL };
#define NIC(field) offsetof(struct nic_conf, field)
const struct param nic_params[] = {
	{ .key = "mtu", .type = PARAM_BYTES, .offset = NIC(mtu_bytes), .def = "4096B", .min = "256B", .max = "9000B",
	  .doc = "Path MTU: payload of a full RoCE packet." },
	{ .key = "ack_every", .type = PARAM_COUNT, .offset = NIC(ack_every), .def = "1", .min = "1", .max = "1000",
	  .doc = "Packets that one ACK answers; the last of a message is always answered." },
	{ .key = "cnp_interval", .type = PARAM_TIME, .offset = NIC(cnp_interval_ps), .def = "50us", .min = "0us",
	  .max = "1s", .doc = "Least time between two CNPs of a queue pair." },
	{ .key = "retry_timeout", .type = PARAM_TIME, .offset = NIC(retry_timeout_ps), .def = "67108864ns",
	  .min = "1us", .max = "100s",
	  .doc = "Time without progress after which unacknowledged data is sent again (4.096 us x 2^14)." },
	{ .key = "retry_count", .type = PARAM_COUNT, .offset = NIC(retry_count), .def = "7", .min = "0", .max = "255",
	  .doc = "Timeouts without progress that a queue pair survives." },
	{ .key = "recovery", .type = PARAM_ENUM, .offset = NIC(recovery), .def = "go_back_n", .names = recoveries,
	  .doc = "What is sent again after a loss: all from the lost packet on, the whole message, or only "
		 "what is missing (IRN)." },
	{ .key = "rto_low", .type = PARAM_TIME, .offset = NIC(rto_low_ps), .def = "off", .min = "1us", .max = "100s",
	  .word = "off", .word_value = -1,
	  .doc = "Shorter timeout while few packets are in flight (IRN: 100 us); off uses retry_timeout always." },
	{ .key = "rto_low_packets", .type = PARAM_COUNT, .offset = NIC(rto_low_packets), .def = "3", .min = "1",
	  .max = "1000", .doc = "Packets in flight up to which rto_low holds." },
	{ .key = "window", .type = PARAM_BYTES, .offset = NIC(window_bytes), .def = "none", .min = "1B",
	  .max = "1GB", .word = "none", .word_value = -1,
	  .doc = "Most payload that a queue pair may have unacknowledged, whatever its congestion control says." },
	{ .key = "bdp_cap", .type = PARAM_BOOL, .offset = NIC(bdp_cap), .def = "false",
	  .doc = "Cap the window at line rate times base round trip (IRN's BDP-FC)." },
	{ .key = "ack_delay", .type = PARAM_TIME, .offset = NIC(ack_delay_ps), .def = "0ns", .min = "0ns",
	  .max = "1ms", .doc = "Processing time of the receiving NIC before an ACK or NAK." },
	{ .key = "cnp_delay", .type = PARAM_TIME, .offset = NIC(cnp_delay_ps), .def = "0ns", .min = "0ns",
	  .max = "1ms", .doc = "Processing time of the receiving NIC before a CNP." },
	{ .key = "ttl", .type = PARAM_COUNT, .offset = NIC(ttl), .def = "64", .min = "1", .max = "255",
	  .doc = "Links that a frame may traverse." },
	{ .key = "df", .type = PARAM_BOOL, .offset = NIC(df), .def = "true",
	  .doc = "Don't fragment: a hop with a smaller MTU drops the packet and says so." },
	{ .key = "fragment_time", .type = PARAM_TIME, .offset = NIC(fragment_ps), .def = "312ns", .min = "0ns",
	  .max = "1ms", .doc = "Slow path of the receiving NIC, per IP fragment." },
	{ .key = "rx_rate", .type = PARAM_RATE, .offset = NIC(rx_rate_bps), .def = "line", .min = "1Kbps",
	  .max = "10Tbps", .word = "line", .word_value = 0,
	  .doc = "Rate at which the receive buffer drains (PCIe, memory), in bits of the wire." },
	{ .key = "rx_buffer", .type = PARAM_BYTES, .offset = NIC(rx_buffer_bytes), .def = "2MiB", .min = "1KB",
	  .max = "1GB", .doc = "Receive buffer of the NIC." },
	{ .key = "rx_xoff", .type = PARAM_BYTES, .offset = NIC(rx_xoff_bytes), .def = "512KiB", .min = "1B",
	  .max = "1GB", .doc = "The NIC pauses its switch at this much in the receive buffer." },
	{ .key = "rx_xon", .type = PARAM_BYTES, .offset = NIC(rx_xon_bytes), .def = "496KiB", .min = "0B",
	  .max = "1GB", .doc = "... and frees it at this much." },
	{ .key = "storm_watchdog", .type = PARAM_TIME, .offset = NIC(storm_watchdog_ps), .def = "never",
	  .min = "10us", .doc = "A NIC that has paused its switch for so long stops pausing, and drops what does not fit; never is "
		 "off (mlx5: 8 s, or 100 ms in auto mode; fbnic 500 ms)." },
	{ .key = NULL }
};

struct cc_telemetry nic_conf_telemetry(const struct nic_conf *c)
{
	struct cc_telemetry t = { .bytes = TELEMETRY_BYTES, .sample_q16 = 65536 };

	if (!(c->cc->needs & CC_NEED_INT))
		return (struct cc_telemetry){ .bytes = 0 };
	if (c->cc->telemetry)
		c->cc->telemetry(c->cc_conf, &t);
	return t;
}
