#include "sim/mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>

static _Noreturn void mem_out(size_t bytes)
{
	fprintf(stderr, "xoff: error: out of memory (%zu bytes wanted)\n", bytes);
	exit(4);
}

void *mem_zalloc(size_t bytes)
{
	void *p = calloc(1, bytes ? bytes : 1);
	if (!p)
		mem_out(bytes);
	return p;
}

void *mem_grow(void *old, size_t bytes)
{
	void *p = realloc(old, bytes ? bytes : 1);
	if (!p)
		mem_out(bytes);
	return p;
}

char *mem_strdup(const char *text)
{
	if (!text)
		return NULL;
	size_t n = strlen(text) + 1;
	return memcpy(mem_zalloc(n), text, n);
}

char *mem_vprintf(const char *fmt, va_list ap)
{
	char *text;
	if (vasprintf(&text, fmt, ap) < 0)
		mem_out(strlen(fmt));
	return text;
}

char *mem_printf(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char *text = mem_vprintf(fmt, ap);
	va_end(ap);
	return text;
}

/* Not open_memstream: when that cannot grow it drops a byte, and tells nobody. */
struct stream {
	char **text;
	size_t *size, room;
	bool growing;
	char buffer[4096];
};

static ssize_t stream_write(void *cookie, const char *bytes, size_t n)
{
	struct stream *s = cookie;
	if (s->growing)		/* there is no memory, and exit() flushes what was written */
		return 0;
	if (*s->size + n + 1 > s->room) {
		s->growing = true;
		*s->text = mem_grow(*s->text, 2 * (*s->size + n + 1));
		s->growing = false;
		s->room = 2 * (*s->size + n + 1);
	}
	memcpy(*s->text + *s->size, bytes, n);
	(*s->text)[*s->size += n] = 0;
	return (ssize_t)n;
}

/* For ftello: where the next byte goes.  A stream into memory goes nowhere else. */
static int stream_tell(void *cookie, off64_t *offset, int whence)
{
	const struct stream *s = cookie;
	if (whence != SEEK_CUR || *offset)
		return -1;
	*offset = (off64_t)*s->size;
	return 0;
}

static int stream_free(void *cookie)
{
	free(cookie);
	return 0;
}

FILE *mem_stream(char **text, size_t *size)
{
	struct stream *s = mem_zalloc(sizeof *s);
	FILE *stream = fopencookie(s, "w", (cookie_io_functions_t){
		.write = stream_write, .seek = stream_tell, .close = stream_free });
	if (!stream)
		mem_out(BUFSIZ);
	setvbuf(stream, s->buffer, _IOFBF, sizeof s->buffer);
	s->text = text;
	s->size = size;
	*text = mem_zalloc(1);
	*size = 0;
	return stream;
}

void mem_stream_close(FILE *stream)
{
	fclose(stream);		/* cannot fail: every write above succeeds or ends the program */
}

static size_t mem_pages(size_t bytes)
{
	size_t page = bytes >= (size_t)1 << 21 ? (size_t)1 << 21 : 4096;
	return bytes ? (bytes + page - 1) / page * page : page;
}

void *mem_block(size_t bytes)
{
	size_t n = mem_pages(bytes);
	if (n < (size_t)1 << 21) {
		void *p = aligned_alloc(64, n);
		if (!p)
			mem_out(n);
		return memset(p, 0, n);
	}
	/* Over-reserve so that the block starts on a huge page. */
	size_t huge = (size_t)1 << 21;
	char *p = mmap(NULL, n + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		mem_out(n);
	size_t lead = (huge - (uintptr_t)p % huge) % huge;
	if (lead)
		munmap(p, lead);
	if (huge - lead)
		munmap(p + lead + n, huge - lead);
	madvise(p + lead, n, MADV_HUGEPAGE);
	return p + lead;
}

void mem_block_free(void *block, size_t bytes)
{
	if (!block)
		return;
	size_t n = mem_pages(bytes);
	if (n < (size_t)1 << 21)
		free(block);
	else
		munmap(block, n);
}

void *mem_reserve(size_t bytes)
{
	size_t huge = (size_t)1 << 21;
	char *p = mmap(NULL, bytes + huge, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		mem_out(bytes);
	size_t lead = (huge - (uintptr_t)p % huge) % huge;
	if (lead)
		munmap(p, lead);
	if (huge - lead)
		munmap(p + lead + bytes, huge - lead);
	return p + lead;
}

void mem_commit(void *start, size_t bytes)
{
	if (mprotect(start, bytes, PROT_READ | PROT_WRITE))
		mem_out(bytes);
	madvise(start, bytes, MADV_HUGEPAGE);
}
