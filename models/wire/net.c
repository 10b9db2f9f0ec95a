#include "models/wire/net.h"

void net_emit(struct net *net, const struct record *rec)
{
	for (int i = 0; i < net->sinks; i++)
		if (net->sink[i].mask >> rec->kind & 1)
			net->sink[i].fn(net->sink[i].ctx, rec);
}
