/* observe/flowtable_rows.c - flows.csv; see flowtable.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "observe/flowtable_in.h"

static int compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Start and hash name a message; the rest only keeps the order total. */
static int by_start(const void *x, const void *y)
{
	const struct flowtable_row *a = x, *b = y;
	int c = compare(a->start_ps, b->start_ps);

	if (!c)
		c = (a->hash > b->hash) - (a->hash < b->hash);
	if (!c)
		c = compare(a->workload, b->workload);
	if (!c)
		c = compare(a->src, b->src);
	if (!c)
		c = compare(a->dst, b->dst);
	if (!c)
		c = compare(a->part, b->part);
	if (!c)
		c = compare(a->status, b->status);
	if (!c)
		c = compare(a->fct_ps, b->fct_ps);
	return c;
}

void flowtable_sort(struct flowtable_row *rows, size_t n)
{
	if (n)
		qsort(rows, n, sizeof(*rows), by_start);
}

void flowtable_header(struct outfile *out)
{
	fputs("flow,workload,part,class,src,dst,size_bytes,start_ps,finish_ps,fct_ps,acked_ps,"
	      "ideal_ps,slowdown,goodput_bps,acked_bytes,retransmitted_bytes,cnps,rnr_naks,"
	      "rnr_wait_ps,transaction_ps,status,detail\n",
	      out->stream);
}

/* A number, or nothing when it is negative; and the comma. */
static void field(struct outfile *out, int64_t value)
{
	if (value >= 0)
		fprintf(out->stream, "%" PRId64, value);
	fputc(',', out->stream);
}

static void text(struct outfile *out, const char *value)
{
	outfile_text(out, value);
	fputc(',', out->stream);
}

void flowtable_write(struct outfile *out, const struct fabric *f,
		     const struct flowtable_row *row)
{
	static const char *const status[] = { "finished", "failed", "unfinished" };
	bool timed = row->fct_ps > 0;

	fprintf(out->stream, "%016" PRIx64 ",", row->hash);
	text(out, view_workload(f, row->workload).name);
	field(out, row->part);
	text(out, view_class(f, row->class_)->name);
	text(out, view_node_name(f, row->src));
	text(out, view_node_name(f, row->dst));
	field(out, row->size_bytes);
	field(out, row->start_ps);
	field(out, row->fct_ps < 0 ? -1 : row->start_ps + row->fct_ps);
	field(out, row->fct_ps);
	field(out, row->acked_ps);
	field(out, row->ideal_ps);
	if (timed && row->ideal_ps > 0)
		fprintf(out->stream, "%.6f", (double)row->fct_ps / (double)row->ideal_ps);
	fputc(',', out->stream);
	field(out,
	      timed ? (int64_t)((__int128)row->size_bytes * 8 * UNITS_PS_PER_S / row->fct_ps)
		    : -1);
	field(out, row->acked_bytes);
	field(out, row->retransmitted_bytes);
	field(out, row->cnps);
	field(out, row->rnr_naks);
	field(out, row->rnr_wait_ps);
	field(out, row->transaction_ps ? row->transaction_ps : -1);
	text(out, status[row->status]);
	if (row->detail)
		outfile_text(out, row->detail);
	fputc('\n', out->stream);
}
