/*
 * scenario/flowlist_write.c - a list of flows as a CSV that flowlist.c reads.
 */
#include "scenario/flowlist.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "sim/mem.h"

int flowlist_write(const struct workload_conf *c, const char *dir, const char *name)
{
	char *folder = mem_printf("%s/" FLOWLIST_FOLDER, dir), *path = mem_printf("%s/%s.csv", folder, name);
	FILE *out = mkdir(folder, 0777) && errno != EEXIST ? NULL : fopen(path, "we");
	int rc = -1;

	if (out) {
		fputs("from,to,size_bytes,start_ps\n", out);
		for (int64_t i = 0; i < c->nlist; i++)
			fprintf(out, "%s,%s,%" PRId64 ",%" PRId64 "\n", c->from[c->list[i].from], c->to[c->list[i].to],
				c->list[i].size_bytes, c->list[i].start_ps);
		rc = ferror(out) ? -1 : 0;
		rc = fclose(out) ? -1 : rc;
	}
	free(folder);
	free(path);
	return rc;
}
