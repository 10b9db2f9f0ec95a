/*
 * models/host/transport.h - the receiving half: order, ACK, NAK, CNP.
 *
 * RC WRITE and SEND as ConnectX does it: one expected sequence number; a gap is NAKed
 * once; a duplicate is acknowledged again.  An ACK is due every ack_every
 * packets and at the end of a message.  A SEND that finds no receive buffer is
 * answered by an RNR NAK, and all that follows it is dropped.  READ: requests are
 * taken at the responder, responses at the requester (models/host/qp_read.c).  A CNP follows a CE mark when the last
 * one of this QP is at least cnp_interval old (DCQCN, SIGCOMM 2015, section 3).
 */
#ifndef TRANSPORT_H
#define TRANSPORT_H
#include "models/host/host.h"

/* Takes the frame over: frees it, or sends it back as an ACK. */
void transport_receive(struct host_net *hn, struct nic *nic, struct port *p, uint32_t frame);
/* Go-back-0: the message that is coming in starts again. */
void transport_rewind(struct host_net *hn, struct qp_remote *r, uint32_t msg);
#endif
