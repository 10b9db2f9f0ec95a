/*
 * scenario/origin.h - where a merged value was written.
 *
 * A merged document is a stack of layers: includes, the file, --set, an axis of
 * `sweep`, the variant.  In a merge patch a value that survives comes from the last layer
 * that holds its pointer, so nothing is recorded while merging: the layers are
 * asked, last first, when a message wants to know.
 */
#ifndef ORIGIN_H
#define ORIGIN_H
#include <stdbool.h>
#include "scenario/diag.h"
#include "scenario/jsonc.h"
#include "scenario/source.h"

struct origin_layer {
	const struct source *src;	/* borrowed */
	char *from;			/* pointer in the source ... */
	char *to; /* ... of what lies at this pointer of the merged document */
	char *key;	/* of an axis of `sweep`: pointer of the axis in the source; or NULL */
	char *made, *near; /* of a dotted path: pointer of an entry that it had to make,
			    * and the name there that was probably meant; or NULL */
};
struct origin { struct origin_layer *layers; int n; };	/* zero: empty */

/* The new layer, last of all; valid until the next. */
struct origin_layer *origin_add(struct origin *o, const struct source *src, const char *from, const char *to);
void origin_copy(struct origin *to, const struct origin *from);
void origin_fini(struct origin *o);

/* The place of the value (or its key) at `pointer`; false when no layer holds
 * it (a default).  place->run is left alone. */
bool origin_exact(const struct origin *o, const char *pointer, enum jsonc_at at,
		  struct diag_place *place);
/* The last layer that holds the value, or NULL. */
const struct origin_layer *origin_holder(const struct origin *o, const char *pointer);
/* As above, or the nearest enclosing object's key. */
bool origin_find(const struct origin *o, const char *pointer, enum jsonc_at at,
		 struct diag_place *place);
#endif
