#include "interop/pcapng.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "interop/wireframe.h"
#include "interop/zstdfile.h"
#include "observe/outfile.h"
#include "scenario/pattern.h"
#include "sim/mem.h"

enum {
	BLOCK_SECTION = 0x0a0d0d0a, BLOCK_INTERFACE = 1, BLOCK_PACKET = 6,
	OPT_COMMENT = 1, OPT_APPLICATION = 4, OPT_NAME = 2, OPT_DESCRIPTION = 3, OPT_SPEED = 8, OPT_RESOLUTION = 9, OPT_FLAGS = 2,
	LINK_ETHERNET = 1, NONE = -1
};

struct pcapng {
	struct fabric *f;
	struct outfile out;
	FILE *stream;		/* that of `out`, or one that compresses into it */
	int64_t from_ps, to_ps;
	int *interface_of;	/* by port id; NONE */
	uint8_t frame[WIREFRAME_MAX];
};

/* ---- blocks: host byte order, which the magic tells ---- */

struct block { uint8_t bytes[WIREFRAME_MAX + 1024]; size_t n; };

static void put(struct block *b, const void *data, size_t n)
{
	memcpy(b->bytes + b->n, data, n);
	b->n += n;
	while (b->n % 4)
		b->bytes[b->n++] = 0;
}
static void put_u32(struct block *b, uint32_t v) { put(b, &v, sizeof v); }
static void put_option(struct block *b, uint16_t code, const void *data, size_t n)
{
	uint16_t head[2] = { code, (uint16_t)n };
	put(b, head, sizeof head);
	put(b, data, n);
}

static void begin(struct block *b, uint32_t type)
{
	b->n = 0;
	put_u32(b, type);
	put_u32(b, 0);
}

static void end(struct pcapng *p, struct block *b)
{
	uint32_t length;

	put_u32(b, 0);		/* end of options */
	length = (uint32_t)b->n + 4;
	put_u32(b, length);
	memcpy(b->bytes + 4, &length, sizeof length);
	fwrite(b->bytes, 1, b->n, p->stream);
}

static void section(struct pcapng *p, const char *version)
{
	struct block b;
	uint16_t v[2] = { 1, 0 };
	int64_t unknown = -1;
	char name[80];

	snprintf(name, sizeof name, "xoff %s", version);
	begin(&b, BLOCK_SECTION);
	put_u32(&b, 0x1a2b3c4d);
	put(&b, v, sizeof v);
	put(&b, &unknown, sizeof unknown);
	put_option(&b, OPT_APPLICATION, name, strlen(name));
	end(p, &b);
}

static void port_name(const struct fabric *f, uint32_t port, char *buf, size_t size)
{
	struct view_port v = view_port(f, port);
	snprintf(buf, size, "%s:%d", view_node_name(f, v.node), v.number);
}

static void interface(struct pcapng *p, uint32_t port)
{
	struct block b;
	uint16_t link[2] = { LINK_ETHERNET, 0 };
	uint64_t speed = (uint64_t)view_port(p->f, port).rate_bps;
	uint8_t nanoseconds = 9;
	char name[256], far[264] = "to ";

	port_name(p->f, port, name, sizeof name);
	port_name(p->f, view_port(p->f, port).peer_port, far + strlen(far), sizeof far - strlen(far));
	begin(&b, BLOCK_INTERFACE);
	put(&b, link, sizeof link);
	put_u32(&b, 0);		/* no snap length */
	put_option(&b, OPT_NAME, name, strlen(name));
	put_option(&b, OPT_DESCRIPTION, far, strlen(far));
	put_option(&b, OPT_SPEED, &speed, sizeof speed);
	put_option(&b, OPT_RESOLUTION, &nanoseconds, 1);
	end(p, &b);
}

/* ---- packets ---- */

static void comment_pause(const struct pcapng *p, const struct view_frame *v, uint32_t port, char *buf, size_t size)
{
	size_t n = 0;

	for (int prio = 0; prio < 8 && n < size; prio++)
		if (v->enabled >> prio & 1) {
			int more = snprintf(buf + n, size - n, "%s%s priority %d, %lld bytes held", n ? "; " : "",
					    v->quanta[prio] ? "XOFF" : "XON", prio,
					    (long long)view_counters(p->f, port, prio).group_bytes);
			n += more > 0 ? (size_t)more : 0;
			int64_t limit = view_xoff_limit(p->f, port, prio);
			if (v->quanta[prio] && limit > 0 && n < size) {
				more = snprintf(buf + n, size - n, ", limit %lld", (long long)limit);
				n += more > 0 ? (size_t)more : 0;
			}
		}
}

/* Of a pause that names no priority. */
static const char *comment_blank(const struct view_frame *v)
{
	return v->global ? "802.3x pause, ignored by a port with PFC" : "PFC of no priority, ignored";
}

static void comment(const struct pcapng *p, const struct view_frame *v, uint32_t port, char *buf, size_t size)
{
	buf[0] = 0;
	if (v->kind == VIEW_PAUSE && !v->enabled)
		snprintf(buf, size, "%s", comment_blank(v));
	else if (v->kind == VIEW_PAUSE)
		comment_pause(p, v, port, buf, size);
	else if (v->kind == VIEW_CNP)
		snprintf(buf, size, "CNP");
	else if (v->kind == VIEW_NAK)
		snprintf(buf, size, "NAK: sequence error");
	else if (v->kind == VIEW_RNR)
		snprintf(buf, size, "RNR NAK: no receive buffer; wait %.2f ms",
			 (double)nic_rnr_ps(v->rnr_timer) / 1e9);
	else if (v->again)
		snprintf(buf, size, "sent again");
}

static void on_frame(void *ctx, const struct record *rec)
{
	struct pcapng *p = ctx;
	bool sent = rec->kind == RECORD_FRAME_SENT;
	int64_t at_ps = sent ? rec->b : rec->at_ps;
	int interface_id = p->interface_of[rec->port];

	if (interface_id == NONE || at_ps < p->from_ps || at_ps > p->to_ps)
		return;
	struct view_frame v = view_frame(p->f, rec->a);
	uint32_t sender = sent ? rec->node : view_port(p->f, view_port(p->f, rec->port).peer_port).node;
	size_t length = wireframe_bytes(&v, sender, p->frame);
	uint64_t ns = (uint64_t)at_ps / 1000;
	uint32_t flags = sent ? 2 : 1;
	struct block b;
	char text[512];

	begin(&b, BLOCK_PACKET);
	put_u32(&b, (uint32_t)interface_id);
	put_u32(&b, (uint32_t)(ns >> 32));
	put_u32(&b, (uint32_t)ns);
	put_u32(&b, (uint32_t)length);
	put_u32(&b, (uint32_t)length);
	put(&b, p->frame, length);
	comment(p, &v, rec->port, text, sizeof text);
	if (*text)
		put_option(&b, OPT_COMMENT, text, strlen(text));
	put_option(&b, OPT_FLAGS, &flags, sizeof flags);
	end(p, &b);
}

/* ---- life ---- */

static bool matches(const struct fabric *f, const char *pattern, uint32_t port)
{
	struct view_port v = view_port(f, port);
	return pattern_match_port(pattern, view_node_name(f, v.node), v.number);
}

int pcapng_check(const struct fabric *f, const char *const *ports, int nports, struct sim_error *err)
{
	for (int i = 0; i < nports; i++) {
		uint32_t port = 0;
		while (port < view_ports(f) && !matches(f, ports[i], port))
			port++;
		if (port == view_ports(f))
			return error_set(err, "", "--pcap: there is no port \"%s\"; wanted NODE:PORT, such as %s:%d",
					 ports[i], view_node_name(f, view_port(f, 0).node), view_port(f, 0).number);
	}
	return 0;
}

static int choose(struct pcapng *p, const struct pcapng_conf *conf)
{
	int interfaces = 0;

	for (uint32_t port = 0; port < view_ports(p->f); port++)
		for (int i = 0; i < conf->nports; i++)
			if (p->interface_of[port] == NONE && matches(p->f, conf->ports[i], port))
				p->interface_of[port] = interfaces++;
	return interfaces;
}

struct pcapng *pcapng_new(struct fabric *f, const struct pcapng_conf *conf, const char *path,
			  struct sim_error *err)
{
	struct pcapng *p = mem_zalloc(sizeof *p);
	uint32_t ports = view_ports(f);

	p->f = f;
	p->from_ps = conf->from_ps;
	p->to_ps = conf->to_ps;
	p->interface_of = mem_zalloc(ports * sizeof *p->interface_of);
	for (uint32_t i = 0; i < ports; i++)
		p->interface_of[i] = NONE;
	int interfaces = choose(p, conf);
	if (pcapng_check(f, conf->ports, conf->nports, err) || outfile_open_path(&p->out, path, err)) {
		pcapng_free(&p);
		return NULL;
	}
	p->stream = conf->zst ? zstdfile_new(p->out.stream) : p->out.stream;
	if (!p->stream) {
		error_set(err, "", "cannot write %s: out of memory", path);
		pcapng_free(&p);
		return NULL;
	}
	section(p, conf->version);
	for (int k = 0; k < interfaces; k++)
		for (uint32_t i = 0; i < ports; i++)
			if (p->interface_of[i] == k)
				interface(p, i);
	fabric_add_sink(f, UINT64_C(1) << RECORD_FRAME_SENT | UINT64_C(1) << RECORD_FRAME_RECEIVED, on_frame, p);
	return p;
}

/* Ends what compresses, if any; 0 or -1. */
static int end_stream(struct pcapng *p)
{
	FILE *stream = p->stream;

	p->stream = NULL;
	if (!stream || stream == p->out.stream)
		return 0;
	bool failed = ferror(stream);
	return fclose(stream) || failed ? -1 : 0;
}

int pcapng_finish(struct pcapng *p, struct sim_error *err)
{
	char *path = mem_strdup(p->out.path);
	int failed = end_stream(p), why = errno;
	int rc = outfile_close(&p->out, err);

	if (failed && rc == 0)
		rc = error_set(err, "", "cannot write %s: %s", path, strerror(why ? why : EIO));
	free(path);
	return rc;
}

void pcapng_free(struct pcapng **pp)
{
	struct pcapng *p = *pp;

	if (!p)
		return;
	end_stream(p);
	outfile_abandon(&p->out);
	free(p->interface_of);
	free(p);
	*pp = NULL;
}
