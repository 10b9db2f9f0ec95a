/*
 * interop/pcapng.h - a capture of some ports, for Wireshark and its like.
 *
 * One section, one interface a port (named NODE:PORT, described by its far end), nanosecond stamps; a
 * frame is stamped at the first bit of its preamble where it is sent and at its
 * last bit where it arrives.  Frames that matter carry a comment.  Whole frames
 * with zero payload: a dissector takes a cut RoCE packet for a broken one.
 * (pcapng: draft-ietf-opsawg-pcapng.)
 */
#ifndef PCAPNG_H
#define PCAPNG_H
#include "models/view.h"

struct pcapng;

struct pcapng_conf {
	const char *const *ports;	/* "leaf0:3", or patterns; borrowed during the call */
	int nports;
	int64_t from_ps, to_ps;		/* window, ends included */
	const char *version;		/* borrowed */
	bool zst;			/* compressed (zstd): a payload of zeros costs nothing */
};

/* Is there a port for each? */
int pcapng_check(const struct fabric *f, const char *const *ports, int nports, struct sim_error *err);
/* Attaches to a finished fabric that has not run; writes to `path`.  NULL with
 * err: no such port (err->where is set), or the file cannot be written. */
struct pcapng *pcapng_new(struct fabric *f, const struct pcapng_conf *conf, const char *path,
			  struct sim_error *err);
/* Closes the file; -1 when any write failed. */
int pcapng_finish(struct pcapng *p, struct sim_error *err);
void pcapng_free(struct pcapng **p);
#endif
