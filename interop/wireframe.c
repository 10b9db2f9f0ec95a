#include "interop/wireframe.h"

#include <string.h>
#include <zlib.h>

enum {
	ETH = 14, IP = 20, UDP = 8, BTH = 12, RETH = 16, AETH = 4, DETH = 8, ICRC = 4, FCS = 4,
	ROCE_PORT = 4791,
	FIRST_QP = 0x100, MULTICAST_QP = 0xffffff,
	/* linux include/rdma/ib_pack.h */
	RC_READ = 0x0c, RC_ACK = 0x11, UD_SEND_ONLY = 0x64, CNP = 0x81
};

static uint8_t *put16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
	return p + 2;
}
static uint8_t *put24(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 16);
	return put16(p + 1, v);
}
static uint8_t *put32(uint8_t *p, uint32_t v) { return put16(put16(p, v >> 16), v); }

static void mac(uint8_t *p, uint32_t node)
{
	p[0] = 2;
	p[1] = 0;
	put32(p + 2, node);
}

static void ip_checksum(uint8_t *ip)
{
	uint32_t sum = 0;

	for (int i = 0; i < IP; i += 2)
		sum += (uint32_t)ip[i] << 8 | ip[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	put16(ip + 10, ~sum & 0xffff);
}

/* Ethernet and IPv4; returns where the rest goes. */
static uint8_t *lower(const struct view_frame *f, uint8_t *buf, size_t length, int protocol, uint32_t fragment)
{
	uint8_t *ip = buf + ETH;

	mac(buf, f->dst);
	mac(buf + 6, f->src);
	put16(buf + 12, 0x0800);
	ip[0] = 0x45;
	ip[1] = (uint8_t)(f->dscp << 2 | (f->ce ? 3 : f->ect ? 2 : 0));
	put16(ip + 2, (uint32_t)(length - ETH));
	put16(ip + 4, f->psn & 0xffff);
	put16(ip + 6, fragment | (f->df ? 0x4000 : 0));
	ip[8] = (uint8_t)f->ttl;
	ip[9] = (uint8_t)protocol;
	put32(ip + 12, UINT32_C(0x0a000001) + f->src);
	put32(ip + 16, UINT32_C(0x0a000001) + f->dst);
	ip_checksum(ip);
	return ip + IP;
}

/* IBTA annex A17.3.3: CRC-32 as Ethernet's, over eight bytes of ones (the LRH that
 * is not there) and the packet from the IP header on, with what routers and
 * switches may change read as ones. */
uint32_t wireframe_icrc(const uint8_t *frame, size_t length)
{
	uint8_t head[8 + IP + UDP + BTH];
	size_t fixed = IP + UDP + BTH;

	memset(head, 0xff, 8);
	memcpy(head + 8, frame + ETH, fixed);
	head[8 + 1] = 0xff;			/* ToS */
	head[8 + 8] = 0xff;			/* TTL */
	head[8 + 10] = head[8 + 11] = 0xff;	/* header checksum */
	head[8 + IP + 6] = head[8 + IP + 7] = 0xff;	/* UDP checksum */
	head[8 + IP + UDP + 4] = 0xff;		/* BTH: FECN, BECN, reserved */
	uLong crc = crc32(crc32(0, NULL, 0), head, (uInt)(8 + fixed));
	return (uint32_t)crc32(crc, frame + ETH + fixed, (uInt)(length - ETH - fixed - ICRC));
}

/* IBTA volume 1: queue pairs 0 and 1 are management's, 0xffffff is multicast (IB_QP0, IB_QP1 in linux
 * include/rdma/ib_mad.h, IB_MULTICAST_QPN in ib_verbs.h); decoders show what goes to 0 or 1 as
 * management datagrams.  A NIC hands out numbers above a block that it keeps. */
static uint32_t qp_number(uint32_t qp)
{
	return FIRST_QP + qp % (MULTICAST_QP - FIRST_QP);
}

static uint8_t *bth(const struct view_frame *f, uint8_t *p, int opcode, int pad, bool ask)
{
	p[0] = (uint8_t)opcode;
	p[1] = (uint8_t)(pad << 4);
	put16(p + 2, 0xffff);
	p[4] = opcode == CNP ? 0x40 : 0;	/* BECN */
	put24(p + 5, qp_number(f->qp));
	p[8] = ask ? 0x80 : 0;
	put24(p + 9, f->psn);
	return p + BTH;
}

static int data_opcode(const struct view_frame *f)
{
	static const uint8_t codes[][4] = {	/* middle, first, last, only */
		[NIC_WRITE] = { 0x07, 0x06, 0x08, 0x0a },
		[NIC_SEND] = { 0x01, 0x00, 0x02, 0x04 },
		[NIC_READ] = { 0x0e, 0x0d, 0x0f, 0x10 },
	};

	return codes[f->verb][(f->last ? 2 : 0) + (f->first ? 1 : 0)];
}

static void roce(const struct view_frame *f, uint8_t *buf, size_t length)
{
	uint8_t *udp = lower(f, buf, length, 17, 0), *p = udp + UDP;

	put16(udp, f->source_port);
	put16(udp + 2, ROCE_PORT);
	put16(udp + 4, (uint32_t)(length - ETH - IP));
	switch (f->kind) {
	case VIEW_DATA:
		p = bth(f, p, data_opcode(f), (4 - f->payload_bytes % 4) % 4, f->asks);
		if (f->verb == NIC_READ && (f->first || f->last))
			p[0] = 0x1f;		/* AETH: no credits counted */
		else if (f->first && f->verb == NIC_WRITE)
			put32(p + 12, (uint32_t)f->message_bytes);
		break;
	case VIEW_CNP:
		bth(f, p, CNP, 0, false);
		break;
	case VIEW_STREAM:
		p = bth(f, p, UD_SEND_ONLY, 0, false);
		put24(p + 5, qp_number(f->qp));
		break;
	case VIEW_READ:
		p = bth(f, p, RC_READ, 0, true);
		put32(p + 12, (uint32_t)f->message_bytes);
		break;
	default:	/* an ACK, a NAK of a sequence error, or of a receiver that is not ready */
		p = bth(f, p, RC_ACK, 0, false);
		p[0] = f->kind == VIEW_NAK ? 0x60 : f->kind == VIEW_RNR ? (uint8_t)(0x20 | f->rnr_timer) : 0x1f;
	}
	uint32_t crc = wireframe_icrc(buf, length);
	for (int i = 0; i < ICRC; i++)		/* least significant byte first, as the FCS */
		buf[length - ICRC + (size_t)i] = (uint8_t)(crc >> 8 * i);
}

static void pause_frame(const struct view_frame *f, uint32_t node, uint8_t *buf)
{
	static const uint8_t to[6] = { 0x01, 0x80, 0xc2, 0x00, 0x00, 0x01 };
	uint8_t *p;

	memcpy(buf, to, sizeof to);
	mac(buf + 6, node);
	p = put16(buf + 12, 0x8808);
	if (f->global) {		/* 802.3 annex 31B */
		p = put16(p, 0x0001);
		put16(p, f->quanta[0]);
		return;
	}
	p = put16(p, 0x0101);
	p = put16(p, f->enabled);
	for (int i = 0; i < 8; i++)
		p = put16(p, f->quanta[i]);
}

/* ICMP "fragmentation needed": type 3 code 4, with the MTU (RFC 1191). */
static void icmp(const struct view_frame *f, uint8_t *buf, size_t length)
{
	uint8_t *p = lower(f, buf, length, 1, 0);
	uint32_t sum = 0;

	p[0] = 3;
	p[1] = 4;
	put16(p + 6, (uint32_t)f->payload_bytes);
	p[8] = 0x45;		/* the packet that was too large, as far as there is room */
	for (size_t i = ETH + IP; i + 1 < length; i += 2)
		sum += (uint32_t)buf[i] << 8 | buf[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	put16(p + 2, ~(sum + (sum >> 16)) & 0xffff);
}

size_t wireframe_bytes(const struct view_frame *f, uint32_t port_node, uint8_t buf[WIREFRAME_MAX])
{
	size_t length = (size_t)f->bytes - FCS;

	memset(buf, 0, length);
	if (f->kind == VIEW_PAUSE)
		pause_frame(f, port_node, buf);
	else if (f->kind == VIEW_MTU_ERROR)
		icmp(f, buf, length);
	else if (f->kind == VIEW_FRAGMENT)
		lower(f, buf, length, 17, 0x2000);	/* more fragments follow */
	else if (f->kind == VIEW_STREAM && length < ETH + IP + UDP + BTH + DETH + ICRC)
		lower(f, buf, length, 253, 0);		/* too short for a RoCE header: RFC 3692 */
	else
		roce(f, buf, length);
	return length;
}
