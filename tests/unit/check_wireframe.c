/* interop/wireframe: frames byte by byte, against the standards. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "interop/wireframe.h"

static uint8_t buf[WIREFRAME_MAX];

static uint32_t be(const uint8_t *p, int n)
{
	uint32_t v = 0;
	for (int i = 0; i < n; i++)
		v = v << 8 | p[i];
	return v;
}

/* IEEE 802.1Qbb: 01-80-C2-00-00-01, EtherType 0x8808, opcode 0x0101, vector, timers;
 * 64 bytes with FCS. */
START_TEST(a_pause_is_a_mac_control_frame)
{
	struct view_frame f = { .kind = VIEW_PAUSE, .bytes = 64, .enabled = 0x18, .quanta = { [3] = 65535 } };
	static const uint8_t to[6] = { 1, 0x80, 0xc2, 0, 0, 1 };

	ck_assert_uint_eq(wireframe_bytes(&f, 7, buf), 60);
	ck_assert_mem_eq(buf, to, 6);
	ck_assert_uint_eq(be(buf + 12, 2), 0x8808);
	ck_assert_uint_eq(be(buf + 14, 2), 0x0101);
	ck_assert_uint_eq(be(buf + 16, 2), 0x18);
	ck_assert_uint_eq(be(buf + 18 + 6, 2), 65535);
	ck_assert_uint_eq(be(buf + 18 + 8, 2), 0);
}
END_TEST

/* IEEE 802.3 annex 31B: opcode 0x0001, one timer, no vector. */
START_TEST(a_global_pause)
{
	struct view_frame f = { .kind = VIEW_PAUSE, .bytes = 64, .global = true, .enabled = 0x9,
				.quanta = { [0] = 777, [3] = 777 } };

	ck_assert_uint_eq(wireframe_bytes(&f, 7, buf), 60);
	ck_assert_uint_eq(be(buf + 12, 2), 0x8808);
	ck_assert_uint_eq(be(buf + 14, 2), 0x0001);
	ck_assert_uint_eq(be(buf + 16, 2), 777);
	ck_assert_uint_eq(be(buf + 18, 2), 0);
}
END_TEST

/* linux drivers/infiniband/sw/rxe/rxe_icrc.c starts from 0xdebb20e3: the register
 * after the eight bytes of ones that stand for the LRH.  zlib's is its complement. */
START_TEST(the_icrc_starts_behind_a_header_of_ones)
{
	uint8_t ones[8];

	memset(ones, 0xff, sizeof ones);
	ck_assert_uint_eq((uint32_t)~crc32(crc32(0, NULL, 0), ones, 8), 0xdebb20e3);
}
END_TEST

static struct view_frame data(void)
{
	return (struct view_frame){ .kind = VIEW_DATA, .bytes = 62 + 16 + 1024, .payload_bytes = 1024, .src = 4,
		.dst = 9, .qp = 0x123456, .psn = 77, .source_port = 0xc123, .dscp = 26, .ttl = 63, .ect = true,
		.df = true, .first = true, .last = true, .message_bytes = 1024 };
}

/* Opcodes: linux include/rdma/ib_pack.h.  Where the payload begins: behind a RETH (16) on the
 * first packet of a WRITE, an AETH (4) on the first and last READ response, else the BTH. */
START_TEST(each_verb_has_its_opcodes_and_headers)
{
	static const struct { int verb; bool first, last; int opcode, extra; } facts[] = {
		{ NIC_SEND, true, false, 0x00, 0 }, { NIC_SEND, false, false, 0x01, 0 },
		{ NIC_SEND, false, true, 0x02, 0 }, { NIC_SEND, true, true, 0x04, 0 },
		{ NIC_WRITE, true, false, 0x06, 16 }, { NIC_WRITE, false, false, 0x07, 0 },
		{ NIC_WRITE, false, true, 0x08, 0 }, { NIC_WRITE, true, true, 0x0a, 16 },
		{ NIC_READ, true, false, 0x0d, 4 }, { NIC_READ, false, false, 0x0e, 0 },
		{ NIC_READ, false, true, 0x0f, 4 }, { NIC_READ, true, true, 0x10, 4 },
	};

	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		struct view_frame f = data();

		f.verb = facts[i].verb;
		f.first = facts[i].first;
		f.last = facts[i].last;
		f.asks = i % 2;
		f.bytes = 62 + facts[i].extra + 1024;
		wireframe_bytes(&f, 4, buf);
		ck_assert_int_eq(buf[42], facts[i].opcode);
		ck_assert_int_eq(buf[50] >> 7, f.asks);	/* AckReq */
		ck_assert_uint_eq(be(buf + 54, 4), facts[i].extra == 4 ? 0x1f000000 : 0);
		ck_assert_uint_eq(be(buf + 66, 4), facts[i].extra == 16 ? 1024 : 0);
	}
}
END_TEST

/* IBTA 9.7.5.2: a READ request is a BTH and a RETH with the length; an RNR NAK is an ACK packet
 * with syndrome 001 and the timer code. */
START_TEST(requests_and_rnr_naks)
{
	struct view_frame f = data();

	f.kind = VIEW_READ;
	f.bytes = 62 + 16;
	f.payload_bytes = 0;
	f.message_bytes = 4 << 20;
	ck_assert_uint_eq(wireframe_bytes(&f, 4, buf), 78 - 4);
	ck_assert_int_eq(buf[42], 0x0c);
	ck_assert_uint_eq(be(buf + 66, 4), 4 << 20);
	f.kind = VIEW_RNR;
	f.bytes = 66;
	f.rnr_timer = 14;
	wireframe_bytes(&f, 4, buf);
	ck_assert_int_eq(buf[42], 0x11);
	ck_assert_int_eq(buf[54], 0x2e);
}
END_TEST

/* IBTA vol. 1: BTH, RETH; opcode 0x0a is RC WRITE Only.  RFC 791: the checksum of a
 * header with its checksum is all ones. */
START_TEST(a_write_is_laid_out_as_the_standard_says)
{
	struct view_frame f = data();
	uint32_t sum = 0;

	ck_assert_uint_eq(wireframe_bytes(&f, 4, buf), 62 + 16 + 1024 - 4);
	ck_assert_uint_eq(buf[14 + 1], 26 << 2 | 2);
	ck_assert_uint_eq(be(buf + 16, 2), 62 + 16 + 1024 - 4 - 14);
	for (int i = 0; i < 20; i += 2)
		sum += be(buf + 14 + i, 2);
	ck_assert_uint_eq((sum & 0xffff) + (sum >> 16), 0xffff);
	ck_assert_uint_eq(be(buf + 36, 2), 4791);
	ck_assert_uint_eq(buf[42], 0x0a);
	ck_assert_uint_eq(be(buf + 47, 3), 0x123456 + 0x100);
	ck_assert_uint_eq(be(buf + 51, 3), 77);
	ck_assert_uint_eq(be(buf + 54 + 12, 4), 1024);
}
END_TEST

/* The ICRC guards what does not change on the way (A17.3.3): marking CE or
 * counting the TTL down leaves it as it is, a flipped payload bit does not. */
START_TEST(the_icrc_ignores_what_switches_change)
{
	struct view_frame f = data();
	size_t n = wireframe_bytes(&f, 4, buf);
	uint32_t crc = wireframe_icrc(buf, n);

	f.ce = true;
	f.ttl = 60;
	wireframe_bytes(&f, 4, buf);
	ck_assert_uint_eq(wireframe_icrc(buf, n), crc);
	buf[200] ^= 1;
	ck_assert_uint_ne(wireframe_icrc(buf, n), crc);
}
END_TEST

/* Mellanox, "RoCEv2 CNP Packet Format Example": opcode 0x81, BECN 0x40, 16 reserved
 * bytes: 78 bytes with FCS.  AETH syndrome 0x60: NAK, sequence error. */
START_TEST(cnps_and_naks_have_their_codes)
{
	struct view_frame f = { .kind = VIEW_CNP, .bytes = 78 };

	ck_assert_uint_eq(wireframe_bytes(&f, 1, buf), 74);
	ck_assert_uint_eq(buf[42], 0x81);
	ck_assert_uint_eq(buf[46], 0x40);
	f = (struct view_frame){ .kind = VIEW_NAK, .bytes = 66 };
	ck_assert_uint_eq(wireframe_bytes(&f, 1, buf), 62);
	ck_assert_uint_eq(buf[42], 0x11);
	ck_assert_uint_eq(buf[54], 0x60);
}
END_TEST

/* IBTA volume 1: queue pairs 0 and 1 are management's, 0xffffff is multicast (linux include/rdma:
 * IB_QP0, IB_QP1, IB_MULTICAST_QPN); both ways of one pair bear one number. */
START_TEST(no_frame_goes_to_a_reserved_queue_pair)
{
	static const uint32_t qps[] = { 0, 1, 2, 0xfffefe, 0xfffeff, 0xfffffe, 0xffffff };
	static const enum view_frame_kind kinds[] = { VIEW_DATA, VIEW_STREAM, VIEW_ACK, VIEW_NAK, VIEW_CNP,
						      VIEW_READ, VIEW_RNR };

	for (size_t i = 0; i < sizeof qps / sizeof *qps; i++)
		for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
			struct view_frame f = data();
			uint32_t number;

			f.kind = kinds[k];
			f.qp = qps[i];
			wireframe_bytes(&f, 4, buf);
			number = be(buf + 47, 3);
			ck_assert_uint_ge(number, 0x100);
			ck_assert_uint_lt(number, 0xffffff);
			if (qps[i] < 3)
				ck_assert_uint_eq(number, 0x100 + qps[i]);
			if (f.kind == VIEW_STREAM)	/* DETH: the sender's */
				ck_assert_uint_eq(be(buf + 59, 3), number);
		}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("wireframe");
	TCase *t = tcase_create("wireframe");
	SRunner *r = srunner_create(s);

	tcase_add_test(t, a_pause_is_a_mac_control_frame);
	tcase_add_test(t, a_global_pause);
	tcase_add_test(t, the_icrc_starts_behind_a_header_of_ones);
	tcase_add_test(t, each_verb_has_its_opcodes_and_headers);
	tcase_add_test(t, requests_and_rnr_naks);
	tcase_add_test(t, a_write_is_laid_out_as_the_standard_says);
	tcase_add_test(t, the_icrc_ignores_what_switches_change);
	tcase_add_test(t, cnps_and_naks_have_their_codes);
	tcase_add_test(t, no_frame_goes_to_a_reserved_queue_pair);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
