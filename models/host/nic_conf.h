/*
 * models/host/nic_conf.h - all settings of one host's NIC.
 */
#ifndef NIC_CONF_H
#define NIC_CONF_H
#include "models/cc/cc.h"
#include "models/wire/class.h"
#include "models/wire/pfc.h"

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
	int recovery;			/* enum nic_recovery */
	int64_t rto_low_ps;		/* selective repeat: timeout with at most rto_low_packets in flight */
	int64_t rto_low_packets;
	int64_t window_bytes;		/* most that a QP may have unacknowledged; -1 none */
	bool bdp_cap;			/* ... or line rate times base RTT */
	int64_t ack_delay_ps, cnp_delay_ps;	/* processing at the receiving NIC */
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
extern const struct param nic_params[];	/* all but cc, dscp, classes and pfc */
#endif
