/* cli/report_block.c - see report_block.h */
#include "cli/report_block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "cli/path.h"
#include "sim/mem.h"

enum { LEVEL = 9, LINE = 57 };		/* bytes a line: 76 characters */

static int read_all(const char *path, unsigned char **data, size_t *size, struct sim_error *err)
{
	FILE *in = fopen(path, "rb");
	size_t room = 1 << 16, n = 0, got;

	if (!in)
		return error_set(err, "", "cannot read %s: %s", path, strerror(errno));
	*data = mem_zalloc(room);
	while ((got = fread(*data + n, 1, room - n, in)) > 0) {
		n += got;
		if (n == room)
			*data = mem_grow(*data, room *= 2);
	}
	*size = n;
	if (ferror(in))
		error_set(err, "", "cannot read %s: %s", path, strerror(errno));
	fclose(in);
	return err->set ? -1 : 0;
}

static void put_base64(FILE *out, const unsigned char *data, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < size; i += 3) {
		size_t left = size - i;
		unsigned bits = (unsigned)data[i] << 16 | (left > 1 ? data[i + 1] : 0u) << 8 |
				(left > 2 ? data[i + 2] : 0u);
		char four[5] = { digits[bits >> 18], digits[bits >> 12 & 63],
				 left > 1 ? digits[bits >> 6 & 63] : '=',
				 left > 2 ? digits[bits & 63] : '=', '\0' };

		if (i % LINE == 0)
			fputc('\n', out);
		fputs(four, out);
	}
}

/* A value between double quotes. */
static void put_attribute(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':	fputs("&amp;", out); break;
		case '<':	fputs("&lt;", out); break;
		case '>':	fputs("&gt;", out); break;
		case '"':	fputs("&quot;", out); break;
		default:	fputc(*text, out);
		}
	}
}

int report_block_write(FILE *out, int run, const char *label, const char *dir, const char *file,
		       struct sim_error *err)
{
	char *path = path_join(dir, file);
	unsigned char *data = NULL, *packed = NULL;
	size_t size = 0;
	int rc = read_all(path, &data, &size, err);

	if (!rc) {
		uLongf bytes = compressBound(size);

		packed = mem_zalloc(bytes);
		if (compress2(packed, &bytes, data, size, LEVEL) != Z_OK)
			rc = error_set(err, "", "cannot compress %s", path);
		fprintf(out, "<script type=\"application/octet-stream\" data-run=\"%d\" "
			     "data-file=\"%s\" data-label=\"", run, file);
		put_attribute(out, label);
		fputs("\">", out);
		if (!rc)
			put_base64(out, packed, bytes);
		fputs("\n</script>\n", out);
	}
	free(packed);
	free(data);
	free(path);
	return rc;
}
