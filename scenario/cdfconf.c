/*
 * scenario/cdfconf.c - distributions by name, by points, from a file.
 */
#include "scenario/cdfconf.h"

#include <stdlib.h>
#include <string.h>

#include "models/host/workload_cdf.h"
#include "scenario/rows.h"
#include "sim/mem.h"

enum { POINTS_MAX = 1 << 20 };

struct cdf_file { int64_t unit_bytes; };
const struct param cdfconf_params[] = {
	{.key = "unit", .type = PARAM_BYTES, .offset = offsetof(struct cdf_file, unit_bytes), .def = "1B",
	 .min = "1B", .max = "1MB", .doc = "What a size of 1 in the file stands for; ns-2 counts packets, such "
	 "as 1460B."},
	{.key = NULL}};

static const struct param fraction_row = {.key = "fraction", .type = PARAM_RATIO, .min = "0", .max = "1"};

/* A point of a CDF: ["10KB", 0.15]. */
static int read_point(const struct read *at, int64_t *size, double *fraction)
{
	struct read first, second;
	struct units_ratio ratio;
	struct sim_error err = {0};
	const char *text;

	if (!json_is_array(at->json) || json_array_size(at->json) != 2 ||
	    !read_index(at, 0, &first) || !read_index(at, 1, &second))
		return read_fail(at, JSONC_VALUE,
				 "a point of a CDF is [size, fraction], such as "
				 "[\"10KB\", 0.15]");
	if (json_is_number(first.json))
		return read_fail(&first, JSONC_VALUE, "a size needs a unit, such as \"10KB\"");
	text = read_text(&first);
	if (!text)
		return -1;
	if (units_parse(text, UNITS_BYTES, size, NULL, &err))
		return read_fail(&first, JSONC_VALUE, "%s", err.text);
	if (read_param(&second, &fraction_row, &ratio))
		return -1;
	*fraction = json_is_real(second.json) ? json_real_value(second.json)
					      : (double)ratio.num / (double)ratio.den;
	return 0;
}

static int read_points(const struct read *at, struct workload_cdf *cdf)
{
	size_t n = json_array_size(at->json);
	struct sim_error err = {0};
	struct read point;

	cdf->size_bytes = mem_zalloc(n * sizeof *cdf->size_bytes + 1);
	cdf->fraction = mem_zalloc(n * sizeof *cdf->fraction + 1);
	for (; read_index(at, (size_t)cdf->n, &point); cdf->n++) {
		if (read_point(&point, &cdf->size_bytes[cdf->n], &cdf->fraction[cdf->n]))
			return -1;
	}
	return workload_cdf_check(cdf, &err) ? read_fail_error(at, &err) : 0;
}

/* -------------------------------------------------------------- from a file */

struct table {			/* the rows as they stand there */
	int64_t *size;
	struct units_ratio *part;
	int n, room;
};

static int read_row(const struct rows *r, struct table *t)
{
	const struct rows_cell *part = &r->cell[r->n - 1];
	struct units_ratio *last = t->n ? &t->part[t->n - 1] : NULL, *now;
	size_t point;
	char text[80] = "0";		/* before the point, where nothing stands there */

	if (r->n != 2 && r->n != 3)
		return rows_fail_row(r, "a row of a CDF is a size and a cumulative part (or, as ns-2 has it, a size, "
				     "a number and a cumulative part); this has %d column%s", r->n,
				     r->n == 1 ? "" : "s");
	if (t->n == t->room) {
		t->room = t->room ? 2 * t->room : 64;
		t->size = mem_grow(t->size, (size_t)t->room * sizeof *t->size);
		t->part = mem_grow(t->part, (size_t)t->room * sizeof *t->part);
	}
	if (rows_number(r, &r->cell[0], 0, INT64_C(1) << 50, "a size", "bytes", &t->size[t->n]))
		return -1;
	now = &t->part[t->n];
	point = part->length && part->text[0] == '.';
	if (units_parse(rows_copy(part, text + point, sizeof text - point) - point, UNITS_RATIO, NULL, now, NULL))
		return rows_fail(r, part, "a cumulative part must be a number from 0 to 1, or to 100 in percent, not "
				 "\"%s\"", text);
	if ((__int128)now->num > (__int128)100 * now->den)
		return rows_fail(r, part, "a cumulative part must be from 0 to 1, or to 100 in percent; this is %s", text);
	if (t->n && t->size[t->n] < t->size[t->n - 1])
		return rows_fail(r, &r->cell[0], "the sizes of a CDF must ascend; this is less than the one before");
	if (last && (__int128)now->num * last->den < (__int128)last->num * now->den)
		return rows_fail(r, part, "a cumulative part must not be less than the one before; this is %s", text);
	if (t->size[t->n] == 0 && now->num > 0)
		return rows_fail(r, &r->cell[0], "no flow has 0 bytes; only the first row may be 0, with the part 0");
	if (t->n++ == POINTS_MAX)
		return rows_fail_row(r, "more than %d rows, which no CDF has", POINTS_MAX);
	return 0;
}

/* The row that says that a flow has at least 0 bytes says nothing. */
static int finish(const struct rows *r, const struct table *t, int64_t unit_bytes, struct workload_cdf *cdf)
{
	const struct units_ratio *last = t->n ? &t->part[t->n - 1] : NULL;
	int64_t whole = last && last->num == 100 && last->den == 1 ? 100 : 1;
	struct sim_error err = {0};

	if (!last)
		return rows_fail_row(r, "this file has no rows; a CDF has rows such as \"10000 0.15\", up to 1");
	if (last->num != whole || last->den != 1)
		return rows_fail(r, &r->cell[0], "the last cumulative part must be 1, or 100 in percent; it is %g",
				 (double)last->num / (double)last->den);
	cdf->size_bytes = mem_zalloc((size_t)t->n * sizeof *cdf->size_bytes);
	cdf->fraction = mem_zalloc((size_t)t->n * sizeof *cdf->fraction);
	for (int i = 0; i < t->n; i++) {
		if (t->size[i] == 0)
			continue;
		if (t->size[i] > (INT64_C(1) << 50) / unit_bytes)
			return rows_fail_row(r, "a size of %lld times %lld bytes is too large", (long long)t->size[i],
					     (long long)unit_bytes);
		cdf->size_bytes[cdf->n] = t->size[i] * unit_bytes;
		cdf->fraction[cdf->n++] = (double)t->part[i].num / ((double)t->part[i].den * (double)whole);
	}
	return workload_cdf_check(cdf, &err) ? rows_fail_row(r, "%s", err.text) : 0;
}

static int read_file(const struct read *at, struct workload_cdf *cdf)
{
	struct cdf_file conf;
	struct table t = {0};
	struct read file;
	struct rows r;
	int rc;

	param_defaults(cdfconf_params, &conf);
	if (read_keys(at, "traffic.NAME.poisson.cdf") || read_table(at, cdfconf_params, NULL, &conf))
		return -1;
	if (!read_child(at, "file", &file))
		return read_fail(at, JSONC_KEY, "cdf needs \"file\"");
	rc = rows_open(&r, &file);
	if (rc == 0) {
		/* the last row stays, for what is wrong at the end */
		struct rows last = r;

		while (rc == 0 && rows_next(&r, rows_comma_ahead(&r))) {
			rc = read_row(&r, &t);
			last = r;
		}
		if (rc == 0)
			rc = finish(&last, &t, conf.unit_bytes, cdf);
	}
	rows_close(&r);
	free(t.size);
	free(t.part);
	return rc;
}

int cdfconf_read(const struct read *at, struct workload_cdf *cdf)
{
	const char *name = json_string_value(at->json);

	if (json_is_object(at->json))
		return read_file(at, cdf);
	if (json_is_array(at->json))
		return read_points(at, cdf);
	if (!name)
		return read_fail(at, JSONC_VALUE, "a CDF is a name, a list of points or {\"file\": PATH}, not %s",
				 read_kind(at->json));
	if (workload_cdf_builtin(name, cdf) == 0)
		return 0;
	return read_fail_names(at, "CDF", name, workload_cdf_names,
			       ", a list of points, or {\"file\": PATH}");
}
