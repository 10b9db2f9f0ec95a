/*
 * models/host/transport.h - the receiving half: order, ACK, NAK, CNP.
 *
 * RC WRITE as ConnectX does it: one expected sequence number; a gap is NAKed
 * once; a duplicate is acknowledged again.  An ACK is due every ack_every
 * packets and at the end of a message.  A CNP follows a CE mark when the last
 * one of this QP is at least cnp_interval old (DCQCN, SIGCOMM 2015, section 3).
 */
#ifndef TRANSPORT_H
#define TRANSPORT_H
#include "models/host/host.h"

/* Takes the frame over: frees it, or sends it back as an ACK. */
void transport_receive(struct host_net *hn, struct nic *nic, struct port *p, uint32_t frame);
#endif
