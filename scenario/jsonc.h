/*
 * scenario/jsonc.h - JSON with comments and trailing commas, and where each
 * value stands in its text.
 *
 * Comments (// and block) and trailing commas are overwritten with blanks in a
 * copy, so that every offset stays true; then Jansson parses the copy and
 * refuses duplicate keys.  Bounds: 64 levels, 4 million values.
 * A value is named by its JSON pointer (RFC 6901); its place is looked for in
 * the text only when it is wanted, for a message.
 */
#ifndef JSONC_H
#define JSONC_H
#include <jansson.h>
#include <stddef.h>

enum { JSONC_DEPTH_MAX = 64, JSONC_VALUES_MAX = 4000000 };
#define JSONC_NOWHERE ((size_t)-1)

enum jsonc_at { JSONC_KEY, JSONC_VALUE };

struct jsonc_error {
	size_t offset;		/* of the start of the token at fault */
	char text[320];		/* one sentence */
};

/* A new reference, or NULL and *err. */
json_t *jsonc_parse(const char *text, size_t length, struct jsonc_error *err);

/* Offset of the first byte of the key, or of the value, at `pointer` ("" is the
 * whole); of an array's element the key is the value.  JSONC_NOWHERE if absent. */
size_t jsonc_locate(const char *text, size_t length, const char *pointer, enum jsonc_at at);

/* Appends "/key" to a pointer, with '~' and '/' escaped; cut when buf is full. */
void jsonc_pointer_add(char *buf, size_t size, const char *key);
/* Takes the next token off *pointer (unescaped, into buf); 0 at the end. */
int jsonc_pointer_next(const char **pointer, char *buf, size_t size);

/* A scalar as the text that sim/param.h parses: a string as it is, a number in
 * plain decimals ("0.05"), true, false, null.  NULL for an array or object. */
const char *jsonc_scalar(const json_t *value, char *buf, size_t size);
/* The shortest decimal digits that read back as the same double, no exponent. */
void jsonc_real(double value, char *buf, size_t size);
#endif
