/*
 * tests/inject/shim.c - a library to preload that lets one allocation or one output
 * operation of the program fail: the n-th of them.
 *
 *	XOFF_INJECT=memory:N	the N-th allocation (from 1) returns nothing
 *	XOFF_INJECT=output:N	the N-th output operation fails with "No space left on device"
 *	XOFF_INJECT=output:N+	and so does each after it: a disk that is full
 *	XOFF_INJECT_COUNT=FILE	FILE gets how many of each there were
 *
 * Allocations are malloc and its kin, those of libraries too, anonymous mmap, and
 * mprotect.  Output operations are the opening of a file to write, each write of its
 * stream to the system, its closing, mkdir, rename, fsync.  (A stream's write calls no
 * function that can be replaced from outside: so fopen gives a stream with one of ours.)
 * Standard output is none of them: `tests/invalid/stdout-full' has it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __GLIBC__
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

enum kind { MEMORY, OUTPUT, KINDS };
static long seen[KINDS], fail_at[KINDS];
static int for_good, armed;

static int fails(enum kind k)
{
	if (!armed)
		return 0;
	seen[k]++;
	if (!fail_at[k] || seen[k] < fail_at[k] || (seen[k] > fail_at[k] && !for_good))
		return 0;
	errno = k == MEMORY ? ENOMEM : ENOSPC;
	return 1;
}

__attribute__((constructor)) static void begin(void)
{
	const char *what = getenv("XOFF_INJECT");

	if (what && !strncmp(what, "memory:", 7))
		fail_at[MEMORY] = atol(what + 7);
	if (what && !strncmp(what, "output:", 7)) {
		fail_at[OUTPUT] = atol(what + 7);
		for_good = strchr(what, '+') != NULL;
	}
	armed = 1;
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("XOFF_INJECT_COUNT");
	char text[64];

	armed = 0;
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
	int n = snprintf(text, sizeof(text), "%ld %ld\n", seen[MEMORY], seen[OUTPUT]);
	if (fd >= 0 && write(fd, text, (size_t)n) == n)
		close(fd);
}

/* ---- memory ---- */

void *malloc(size_t n) { return fails(MEMORY) ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t m) { return fails(MEMORY) ? NULL : __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { return fails(MEMORY) ? NULL : __libc_realloc(p, n); }
void *aligned_alloc(size_t a, size_t n) { return fails(MEMORY) ? NULL : __libc_memalign(a, n); }

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t off)
{
	void *(*real)(void *, size_t, int, int, int, off_t) = (__typeof__(real))next("mmap");

	return fails(MEMORY) ? MAP_FAILED : real(at, n, prot, flags, fd, off);
}

int mprotect(void *at, size_t n, int prot)
{
	int (*real)(void *, size_t, int) = (__typeof__(real))next("mprotect");

	return fails(MEMORY) ? -1 : real(at, n, prot);
}

/* ---- output ---- */

static ssize_t stream_write(void *fd, const char *text, size_t n)
{
	if (fails(OUTPUT))
		return 0;
	ssize_t done = write((int)(long)fd, text, n);
	return done < 0 ? 0 : done;
}

static int stream_close(void *fd)
{
	int failed = fails(OUTPUT), why = errno;

	if (close((int)(long)fd))
		return EOF;
	errno = why;
	return failed ? EOF : 0;
}

FILE *fopen(const char *path, const char *mode)
{
	FILE *(*real)(const char *, const char *) = (__typeof__(real))next("fopen");
	cookie_io_functions_t io = { .write = stream_write, .close = stream_close };

	if (mode[0] == 'r')
		return real(path, mode);
	if (fails(OUTPUT))
		return NULL;
	int fd = open(path, O_WRONLY | O_CREAT | (mode[0] == 'a' ? O_APPEND : O_TRUNC), 0666);
	if (fd < 0)
		return NULL;
	FILE *f = fopencookie((void *)(long)fd, "w", io);
	if (!f)
		close(fd);
	return f;
}

int mkdir(const char *path, mode_t mode)
{
	int (*real)(const char *, mode_t) = (__typeof__(real))next("mkdir");

	return fails(OUTPUT) ? -1 : real(path, mode);
}

int rename(const char *from, const char *to)
{
	int (*real)(const char *, const char *) = (__typeof__(real))next("rename");

	return fails(OUTPUT) ? -1 : real(from, to);
}

int renameat2(int at, const char *from, int to_at, const char *to, unsigned flags)
{
	int (*real)(int, const char *, int, const char *, unsigned) =
		(__typeof__(real))next("renameat2");

	return fails(OUTPUT) ? -1 : real(at, from, to_at, to, flags);
}

int fsync(int fd)
{
	int (*real)(int) = (__typeof__(real))next("fsync");

	return fails(OUTPUT) ? -1 : real(fd);
}
#endif
