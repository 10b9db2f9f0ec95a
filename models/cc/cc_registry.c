/*
 * models/cc/cc_registry.c - the algorithms that there are.
 *
 * A new one is a file here, an `extern` and a line below; nothing else in the
 * simulator knows an algorithm's name.
 */
#include "models/cc/cc.h"

#include <string.h>

extern const struct cc_ops none_ops, dcqcn_ops, dctcp_ops, fixed_window_ops, hpcc_ops,
	powertcp_ops, powertcp_theta_ops, swift_ops, timely_ops;

const struct cc_ops *const cc_registry[] = {
	&none_ops,
	&dcqcn_ops,
	&dctcp_ops,
	&fixed_window_ops,
	&hpcc_ops,
	&powertcp_ops,
	&powertcp_theta_ops,
	&swift_ops,
	&timely_ops,
	NULL
};

const struct cc_ops *cc_find(const char *name)
{
	for (int i = 0; cc_registry[i]; i++)
		if (strcmp(cc_registry[i]->name, name) == 0)
			return cc_registry[i];
	return NULL;
}
