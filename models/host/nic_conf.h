/*
 * models/host/nic_conf.h - all settings of one host's NIC.
 */
#ifndef NIC_CONF_H
#define NIC_CONF_H
#include "models/cc/cc.h"
#include "models/wire/class.h"
#include "models/wire/pfc.h"

enum nic_verb { NIC_WRITE, NIC_SEND, NIC_READ };
enum nic_rounding { NIC_AS_CODED, NIC_RDMA_CM };
enum nic_recovery { NIC_GO_BACK_N, NIC_GO_BACK_0, NIC_SELECTIVE_REPEAT };
struct nic_conf {
	int64_t mtu_bytes;		/* path MTU: payload of a full packet */
	const struct cc_ops *cc;	/* never NULL; see cc_find */
	void *cc_conf;			/* ops->conf_size bytes; owned by the caller, must outlive the fabric */
	int cnp_class, ack_class;	/* class numbers; ack_class -1: the data's */
	int64_t dscp[FABRIC_CLASSES];	/* -1: as the class says */
	int64_t ack_every;		/* packets per ACK */
	int64_t cnp_interval_ps;
	int64_t retry_timeout_ps;
	int64_t retry_count;
	int64_t timeout_code;		/* ACK timeout as the verbs API takes it; -1: retry_timeout_ps */
	int timeout_rounding;		/* enum nic_rounding */
	bool adaptive_retry;
	int recovery;			/* enum nic_recovery */
	int64_t rto_low_ps;		/* selective repeat: timeout with at most rto_low_packets in flight */
	int64_t rto_low_packets;
	int64_t window_bytes;		/* most that a QP may have unacknowledged; -1 none */
	bool bdp_cap;			/* ... or line rate times base RTT */
	int64_t ack_delay_ps, cnp_delay_ps;	/* processing at the receiving NIC */
	int verb;			/* enum nic_verb: what its traffic uses unless it says */
	int64_t max_reads;		/* READ requests outstanding on a QP */
	int64_t recv_queue;		/* receive buffers of a QP, one a SEND; -1 never short */
	int64_t recv_time_ps, recv_start_ps;
	int64_t rnr_timer;		/* code that it answers with when it has none */
	int64_t rnr_retry;		/* as a sender: RNR NAKs in a row that it survives; 7 any */
	int64_t ttl;			/* link traversals a frame may make */
	bool df;			/* don't fragment: routers with a smaller MTU drop */
	int64_t fragment_ps;		/* slow path of the receiving NIC, per fragment */
	int64_t rx_rate_bps;		/* drain of the receive buffer (PCIe, memory); 0 "line" */
	int64_t rx_buffer_bytes;
	int64_t rx_xoff_bytes, rx_xon_bytes;	/* of the receive buffer */
	int64_t storm_watchdog_ps;	/* NIC stops pausing after this long; UNITS_NEVER */
	struct pfc_conf pfc;
};
/* What the frames of this NIC ask of switches; bytes 0 without CC_NEED_INT. */
struct cc_telemetry nic_conf_telemetry(const struct nic_conf *c);

enum { NIC_RNR_CODES = 32, NIC_RNR_FOR_EVER = 7 };

/* What retry_timeout, timeout_code and timeout_rounding come to.  IBTA 9.7.6.1.3: code n is
 * 4.096 us x 2^n, 0 is never.  rdma_cm: Linux' connection manager adds the device's
 * acknowledgement delay (16 in mlx5) to twice the packet's life time and rounds to a code, so
 * that 1-14 become 16 (268 ms), 15 and 16 become 17, 17 and 18 become 18, and from 19 on a code
 * stands (SPDK issue 1124, which gives them as 262, 524 and 1049 ms, with 4 us for 4.096 us). */
int64_t nic_timeout_ps(const struct nic_conf *conf);
/* ... of the retry-th time without progress.  adaptive_retry: 2, 4, 8, 16 ms, as ConnectX-5
 * sends again whatever the code says (perftest issue 251; what comes after 16 ms is in no
 * report, and 16 ms is kept). */
int64_t nic_retry_ps(const struct nic_conf *conf, int retry);
int64_t nic_retry_budget_ps(const struct nic_conf *conf);	/* from the last progress to the QP's error */
int64_t nic_rnr_ps(int code);		/* IBTA table 45: how long a sender waits, codes 0..31 */

extern const struct param nic_params[];	/* all but cc, dscp, classes and pfc */
#endif
