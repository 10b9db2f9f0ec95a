/* tests/unit/example_cc.h - the algorithm of doc/adding-a-congestion-control.md. */
#ifndef EXAMPLE_CC_H
#define EXAMPLE_CC_H
#include "models/cc/cc.h"

extern const struct cc_ops example_cc_ops;
#endif
