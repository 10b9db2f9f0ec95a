/*
 * models/host/nic.h - a host's ports: which QP sends, what arrives, PFC.
 *
 * Transmit order: a due pause, then by the port's scheduler over queues; in a
 * queue first control frames (ACK, NAK, CNP), then the ready QPs in turn.
 * Receive: at line rate straight to the transport; a slow receiver, or one that
 * reassembles fragments, through a FIFO drained at its own rate, which pauses
 * the sender between rx_xoff and rx_xon.
 */
#ifndef NIC_H
#define NIC_H
#include "models/host/host.h"

void nic_ready(struct host_net *hn, struct qp *q);	/* appends the QP to its ring and kicks the port */
/* Queues an ACK, NAK or CNP once the NIC has worked on it for `delay_ps`. */
void nic_control(struct host_net *hn, struct port *p, uint32_t frame, int64_t delay_ps);
void nic_control_due(struct host_net *hn, struct nic *nic, struct port *p);	/* NET_CONTROL */

void nic_receive(struct host_net *hn, struct nic *nic, struct port *p, uint32_t frame);
void nic_receive_done(struct host_net *hn, struct nic *nic, struct port *p);	/* NET_RECEIVE */
void nic_decide(struct host_net *hn, struct nic *nic, struct port *p);
void nic_tx_end(struct host_net *hn, struct nic *nic, struct port *p);
void nic_storm(struct host_net *hn, struct nic *nic, unsigned prios, bool begins);
/* A pause frame out of order: of one priority, whatever the NIC wants.  quanta 0: XON. */
void nic_pause_frame(struct host_net *hn, struct nic *nic, int prio, uint16_t quanta);
void nic_pause_blank(struct host_net *hn, struct nic *nic, int blank, uint16_t quanta);	/* enum port_blank */
void nic_storm_watchdog(struct host_net *hn, struct nic *nic);	/* NET_STORM */
/* Link down: control frames queued here are lost. */
void nic_port_down(struct host_net *hn, struct nic *nic, struct port *p);
#endif
