/*
 * interop/wireframe.h - one simulated frame as bytes that other tools decode.
 *
 * RoCEv2 (IBTA annex A17): Ethernet, IPv4, UDP to port 4791, BTH, and RETH,
 * AETH or DETH, zero payload, pad, ICRC.  PFC: a MAC control frame (802.1Qbb).
 * The FCS is left out, as captures do.  Addresses derive from node ids:
 * MAC 02:00 + id, IPv4 10.0.0.0/8 + id + 1.  Queue pairs are numbered from 0x100 up, since
 * 0 and 1 are management's (IBTA volume 1): queue pair 1 of a run is 0x101.
 */
#ifndef WIREFRAME_H
#define WIREFRAME_H
#include <stddef.h>
#include <stdint.h>
#include "models/view.h"

enum { WIREFRAME_MAX = 16384 };

/* Writes the frame (`port_node` sent it on this link) to buf; returns its length
 * without FCS. */
size_t wireframe_bytes(const struct view_frame *f, uint32_t port_node, uint8_t buf[WIREFRAME_MAX]);
/* The invariant CRC over a whole frame whose last four bytes are its place. */
uint32_t wireframe_icrc(const uint8_t *frame, size_t length);
#endif
