/* interop/zstdfile.c - see zstdfile.h */
#include "interop/zstdfile.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>
#include "sim/mem.h"

struct zstdfile {
	FILE *to;
	ZSTD_CStream *zstd;
	size_t room;		/* of out */
	char *out;
};

/* All of `in`, and with ZSTD_e_end the end of the frame; -1: it could not be written. */
static int push(struct zstdfile *z, ZSTD_inBuffer in, ZSTD_EndDirective how)
{
	size_t left;

	do {
		ZSTD_outBuffer out = { z->out, z->room, 0 };

		left = ZSTD_compressStream2(z->zstd, &out, &in, how);
		if (ZSTD_isError(left)) {
			errno = EIO;
			return -1;
		}
		if (fwrite(z->out, 1, out.pos, z->to) != out.pos)
			return -1;
	} while (in.pos < in.size || (how == ZSTD_e_end && left));
	return 0;
}

static ssize_t on_write(void *cookie, const char *data, size_t n)
{
	return push(cookie, (ZSTD_inBuffer){ data, n, 0 }, ZSTD_e_continue) ? 0 : (ssize_t)n;
}

static int on_close(void *cookie)
{
	struct zstdfile *z = cookie;
	int rc = push(z, (ZSTD_inBuffer){ "", 0, 0 }, ZSTD_e_end);

	ZSTD_freeCStream(z->zstd);
	free(z->out);
	free(z);
	return rc;
}

FILE *zstdfile_new(FILE *to)
{
	struct zstdfile *z = mem_zalloc(sizeof(*z));
	FILE *stream;

	z->to = to;
	z->zstd = ZSTD_createCStream();
	z->room = ZSTD_CStreamOutSize();
	z->out = mem_zalloc(z->room);
	stream = z->zstd ? fopencookie(z, "w", (cookie_io_functions_t){ .write = on_write,
									.close = on_close }) : NULL;
	if (!stream) {
		ZSTD_freeCStream(z->zstd);
		free(z->out);
		free(z);
	}
	return stream;
}
