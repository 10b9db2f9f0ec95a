#include "models/host/nic_conf.h"

#include "models/wire/telemetry.h"
#include "sim/assert.h"

static const char *const verbs[] = { "write", "send", "read", NULL };
static const char *const roundings[] = { "none", "rdma_cm", NULL };
static const char *const recoveries[] = { "go_back_n", "go_back_0", "selective_repeat", NULL };
#define NIC(field) offsetof(struct nic_conf, field)
const struct param nic_params[] = {
	{ .key = "mtu", .type = PARAM_BYTES, .offset = NIC(mtu_bytes), .def = "4096B", .min = "256B", .max = "9000B",
	  .doc = "Path MTU: payload of a full RoCE packet." },
	{ .key = "ack_every", .type = PARAM_COUNT, .offset = NIC(ack_every), .def = "1", .min = "1", .max = "1000",
	  .doc = "Packets that one ACK answers. Answered at once are the last of a message, one that fills its "
		 "sender's window before so many fly (it asks: AckReq), and what selective repeat sends again." },
	{ .key = "cnp_interval", .type = PARAM_TIME, .offset = NIC(cnp_interval_ps), .def = "50us", .min = "0us",
	  .max = "1s", .doc = "Least time between two CNPs of a queue pair." },
	{ .key = "retry_timeout", .type = PARAM_TIME, .offset = NIC(retry_timeout_ps), .def = "67108864ns",
	  .min = "1us", .max = "100s",
	  .doc = "Time without progress after which unacknowledged data is sent again (4.096 us x 2^14)." },
	{ .key = "retry_count", .type = PARAM_COUNT, .offset = NIC(retry_count), .def = "7", .min = "0", .max = "255",
	  .doc = "Timeouts without progress that a queue pair survives." },
	{ .key = "timeout_code", .type = PARAM_COUNT, .offset = NIC(timeout_code), .def = "off", .min = "0",
	  .max = "31", .word = "off", .word_value = -1,
	  .doc = "Timeout as the verbs API codes it, 4.096 us x 2^code (0: never), in place of retry_timeout." },
	{ .key = "timeout_rounding", .type = PARAM_ENUM, .offset = NIC(timeout_rounding), .def = "none",
	  .names = roundings,
	  .doc = "What becomes of timeout_code: rdma_cm rounds as Linux' connection manager does with a "
		 "ConnectX (1-14 act as 16, 15-16 as 17, 17-18 as 18)." },
	{ .key = "adaptive_retry", .type = PARAM_BOOL, .offset = NIC(adaptive_retry), .def = "false",
	  .doc = "Retry after 2, 4, 8, then every 16 ms, whatever the timeout (ConnectX-5 and later)." },
	{ .key = "recovery", .type = PARAM_ENUM, .offset = NIC(recovery), .def = "go_back_n", .names = recoveries,
	  .doc = "What is sent again after a loss: all from the lost packet on, the whole message, or only "
		 "what is missing (IRN)." },
	{ .key = "rto_low", .type = PARAM_TIME, .offset = NIC(rto_low_ps), .def = "off", .min = "1us", .max = "100s",
	  .word = "off", .word_value = -1,
	  .doc = "Shorter timeout while few packets are in flight, when it ends too (IRN: 100 us); off uses "
		 "retry_timeout always." },
	{ .key = "rto_low_packets", .type = PARAM_COUNT, .offset = NIC(rto_low_packets), .def = "3", .min = "1",
	  .max = "1000", .doc = "Packets in flight up to which rto_low holds." },
	{ .key = "window", .type = PARAM_BYTES, .offset = NIC(window_bytes), .def = "none", .min = "1B",
	  .max = "1GB", .word = "none", .word_value = -1,
	  .doc = "Most payload that a queue pair may have unacknowledged, whatever its congestion control says. "
		 "Selective repeat has a bound in any case: 1024 packets, or more if this or twice line rate times "
		 "base round trip is more, at most 262144." },
	{ .key = "bdp_cap", .type = PARAM_BOOL, .offset = NIC(bdp_cap), .def = "false",
	  .doc = "Cap the window at line rate times base round trip (IRN's BDP-FC)." },
	{ .key = "ack_delay", .type = PARAM_TIME, .offset = NIC(ack_delay_ps), .def = "0ns", .min = "0ns",
	  .max = "1ms", .doc = "Processing time of the receiving NIC before an ACK or NAK." },
	{ .key = "cnp_delay", .type = PARAM_TIME, .offset = NIC(cnp_delay_ps), .def = "0ns", .min = "0ns",
	  .max = "1ms", .doc = "Processing time of the receiving NIC before a CNP." },
	{ .key = "verb", .type = PARAM_ENUM, .offset = NIC(verb), .def = "write", .names = verbs,
	  .doc = "RDMA verb of the traffic that this host starts and that names none; what cannot read writes." },
	{ .key = "max_reads", .type = PARAM_COUNT, .offset = NIC(max_reads), .def = "16", .min = "1", .max = "255",
	  .doc = "READ requests that a queue pair may have outstanding." },
	{ .key = "recv_queue", .type = PARAM_COUNT, .offset = NIC(recv_queue), .def = "unlimited", .min = "1",
	  .max = "1000000", .word = "unlimited", .word_value = -1,
	  .doc = "Receive buffers of a queue pair: each SEND takes one, and without one is answered by an RNR NAK." },
	{ .key = "recv_time", .type = PARAM_TIME, .offset = NIC(recv_time_ps), .def = "0ns", .min = "0ns",
	  .max = "100s",
	  .doc = "Time in which the receiving application works off one SEND, one after another, and posts its "
		 "buffer again." },
	{ .key = "recv_start", .type = PARAM_TIME, .offset = NIC(recv_start_ps), .def = "0ns", .min = "0ns",
	  .max = "1000000s", .doc = "When the receiving application posts its first receive buffers." },
	{ .key = "rnr_timer", .type = PARAM_COUNT, .offset = NIC(rnr_timer), .def = "12", .min = "0", .max = "31",
	  .doc = "Code in this host's RNR NAKs: how long the sender waits (0: 655.36 ms, 1: 0.01 ms, 12: 0.64 ms, "
		 "31: 491.52 ms)." },
	{ .key = "rnr_retry", .type = PARAM_COUNT, .offset = NIC(rnr_retry), .def = "7", .min = "0", .max = "7",
	  .doc = "RNR NAKs in a row that a queue pair of this host survives; 7: any number." },
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

/* IBTA volume 1, table 45, in units of 10 us. */
static const int32_t nic_rnr_10us[NIC_RNR_CODES] = {
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536,
	2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152
};

int64_t nic_rnr_ps(int code)
{
	sim_assert(code >= 0 && code < NIC_RNR_CODES);
	return nic_rnr_10us[code] * INT64_C(10000000);
}

enum { NIC_ACK_DELAY = 16 };	/* mlx5: local_ca_ack_delay */

int64_t nic_timeout_ps(const struct nic_conf *conf)
{
	int64_t code = conf->timeout_code;

	if (code < 0)
		return conf->retry_timeout_ps;
	if (code == 0)
		return INT64_MAX / 4;
	if (conf->timeout_rounding == NIC_RDMA_CM) {
		bool longer = code >= NIC_ACK_DELAY;
		int64_t more = longer ? code : NIC_ACK_DELAY, less = longer ? NIC_ACK_DELAY : code;
		code = more + (less >= more - 1);
	}
	return INT64_C(4096000) << (code < 31 ? code : 31);
}

int64_t nic_retry_ps(const struct nic_conf *conf, int retry)
{
	return conf->adaptive_retry ? INT64_C(2000000000) << (retry < 3 ? retry : 3) : conf->retry_timeout_ps;
}

int64_t nic_retry_budget_ps(const struct nic_conf *conf)
{
	__int128 sum = 0;

	for (int i = 0; i <= conf->retry_count; i++)
		sum += nic_retry_ps(conf, i);
	return sum < INT64_MAX / 4 ? (int64_t)sum : INT64_MAX / 4;
}
