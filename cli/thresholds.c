/* cli/thresholds.c - `xoff thresholds`: ECN thresholds, and the queue they imply. */
#include <stdio.h>

#include "analyze/config.h"
#include "analyze/thresholds.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/quantity.h"
#include "cli/status.h"
#include "observe/jsonout.h"

struct thresholds_options {
	const char *rate, *flows, *rtt, *kmin, *kmax, *pmax;
	const char *increase_timer, *byte_counter, *rate_ai, *cnp_interval, *alpha_timer, *frame;
	const char *pool, *alpha, *port_alpha, *xoff;
	bool json;
};

#define TEXT(name_, field_, arg_, doc_)						\
	{ name_, 0, OPTIONS_TEXT, offsetof(struct thresholds_options, field_),	\
	  arg_, doc_, NULL }
static const struct options_row options[] = {
	TEXT("rate", rate, "RATE", "of the bottleneck: 100Gbps"),
	TEXT("flows", flows, "N", "that share it"),
	TEXT("rtt", rtt, "TIME", "round trip without queues (10us)"),
	TEXT("kmin", kmin, "BYTES", "thresholds to judge; with --kmax and --pmax"),
	TEXT("kmax", kmax, "BYTES", "..."),
	TEXT("pmax", pmax, "RATIO", "...: 20%"),
	TEXT("increase-timer", increase_timer, "TIME", "DCQCN's T (55us)"),
	TEXT("byte-counter", byte_counter, "BYTES", "DCQCN's B (10MB; off)"),
	TEXT("rate-ai", rate_ai, "RATE", "DCQCN's additive increase (40Mbps)"),
	TEXT("cnp-interval", cnp_interval, "TIME", "between two CNPs of a flow (50us)"),
	TEXT("alpha-timer", alpha_timer, "TIME", "of DCQCN's alpha (55us)"),
	TEXT("frame", frame, "BYTES", "of a packet (1000B)"),
	TEXT("pool", pool, "BYTES", "what the switch shares (a partition of it): does ECN act before PFC?"),
	TEXT("alpha", alpha, "RATIO", "... and its alpha (1/8)"),
	TEXT("port-alpha", port_alpha, "RATIO", "... of two levels: that of a port (0: one level)"),
	TEXT("xoff", xoff, "BYTES", "... or a static XOFF limit"),
	{ "json", 0, OPTIONS_FLAG, offsetof(struct thresholds_options, json), NULL,
	  "print JSON, not text", NULL },
	{ .name = NULL },
};

enum { ROWS = THRESHOLDS_ADVICE + 1 };

struct answer {
	struct fluid_conf conf;
	struct fixed_point point;
	struct thresholds_advice row[ROWS];	/* the user's own first, if given */
	int rows;
	int64_t rtt_ps, pool;			/* pool 0: not given */
	struct view_limits limits;
};

/* --------------------------------------------------------------------- read */

static int read_dcqcn(const struct thresholds_options *o, struct fluid_conf *c)
{
	const struct { const char *option, *key, *text; } rows[] = {
		{ "rate", "rate", o->rate }, { "flows", "flows", o->flows },
		{ "increase-timer", "increase_timer", o->increase_timer },
		{ "byte-counter", "byte_counter", o->byte_counter },
		{ "rate-ai", "rate_ai", o->rate_ai },
		{ "cnp-interval", "cnp_interval", o->cnp_interval },
		{ "alpha-timer", "alpha_timer", o->alpha_timer },
		{ "frame", "frame", o->frame },
	};
	struct sim_error err = { 0 };

	param_defaults(fluid_params, c);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].text && param_set(param_find(fluid_params, rows[i].key), c,
					      rows[i].text, &err)) {
			message_error("thresholds", "--%s: %s", rows[i].option, err.text);
			return -1;
		}
	if (fluid_check(c, &err)) {
		message_error("thresholds", "%s", err.text);
		return -1;
	}
	return 0;
}

static int read_own(const struct thresholds_options *o, struct answer *a)
{
	struct thresholds_advice *x = &a->row[0];
	struct units_ratio pmax = { 1, 1 };

	if (!o->kmin && !o->kmax && !o->pmax)
		return 0;
	if (!o->kmin || !o->kmax || !o->pmax) {
		message_error("thresholds", "--kmin, --kmax and --pmax go together");
		return -1;
	}
	if (quantity_read("thresholds", "kmin", o->kmin, UNITS_BYTES, 0, &x->kmin_bytes) ||
	    quantity_read("thresholds", "kmax", o->kmax, UNITS_BYTES, 0, &x->kmax_bytes) ||
	    quantity_ratio("thresholds", "pmax", o->pmax, 1, &pmax))
		return -1;
	if (x->kmax_bytes < x->kmin_bytes) {
		message_error("thresholds", "--kmax %s is below --kmin %s", o->kmax, o->kmin);
		return -1;
	}
	x->pmax = (double)pmax.num / (double)pmax.den;
	x->source = "yours";
	a->rows = 1;
	return 0;
}

static int read_all(const struct thresholds_options *o, struct answer *a)
{
	*a = (struct answer){ .rtt_ps = 10000000,
			      .limits = { .xoff_bytes = -1, .alpha = { 1, 8 } } };
	if (!o->rate || !o->flows) {
		message_error("thresholds", "wants --rate and --flows: "
			      "xoff thresholds --rate 100Gbps --flows 16 --rtt 10us");
		return -1;
	}
	if (!o->pool && (o->alpha || o->port_alpha || o->xoff)) {
		message_error("thresholds", "--%s says nothing without --pool, what the switch shares",
			      o->alpha ? "alpha" : o->port_alpha ? "port-alpha" : "xoff");
		return -1;
	}
	if (o->xoff && (o->alpha || o->port_alpha)) {
		message_error("thresholds", "a static limit, --xoff, or a dynamic one, --%s; not both",
			      o->alpha ? "alpha" : "port-alpha");
		return -1;
	}
	if (quantity_read("thresholds", "rtt", o->rtt, UNITS_TIME, 1, &a->rtt_ps) ||
	    quantity_read("thresholds", "pool", o->pool, UNITS_BYTES, 1, &a->pool) ||
	    quantity_read("thresholds", "xoff", o->xoff, UNITS_BYTES, 1,
			  &a->limits.xoff_bytes) ||
	    quantity_ratio("thresholds", "alpha", o->alpha, 0, &a->limits.alpha) ||
	    quantity_ratio("thresholds", "port-alpha", o->port_alpha, 0, &a->limits.port_alpha) ||
	    read_dcqcn(o, &a->conf) || read_own(o, a))
		return -1;
	return 0;
}

/* -------------------------------------------------------------------- print */

static double queue_of(const struct answer *a, const struct thresholds_advice *x)
{
	return thresholds_queue(a->point.mark, x->kmin_bytes, x->kmax_bytes, x->pmax);
}

static void print_point(const struct answer *a)
{
	const struct fixed_point *p = &a->point;
	char rate[32], share[32], rtt[32];

	printf("DCQCN, %lld flows on %s, %s each; round trip %s, %lldB in flight\n",
	       (long long)a->conf.flows,
	       units_format(a->conf.rate_bps, UNITS_RATE, rate, sizeof(rate)),
	       units_format(a->conf.rate_bps / a->conf.flows, UNITS_RATE, share, sizeof(share)),
	       units_format(a->rtt_ps, UNITS_TIME, rtt, sizeof(rtt)),
	       (long long)units_bytes_in(a->rtt_ps, a->conf.rate_bps));
	printf("fixed point of the fluid model (xoff fluid: is it stable?):\n");
	printf("  mark %.4f %%   alpha %.4f   target / rate %.4f   CNPs %.0f/s a flow\n",
	       100 * p->mark, p->alpha, p->target_ratio, p->cnps_per_s);
	if (!p->fed)
		printf("  (a flow alone does not queue where its own line is the bottleneck)\n");
	putchar('\n');
}

static void print_rows(const struct answer *a)
{
	printf("  %12s %12s %8s %12s  %s\n", "KMIN", "KMAX", "PMAX", "QUEUE", "WHOSE");
	for (int i = 0; i < a->rows; i++) {
		const struct thresholds_advice *x = &a->row[i];
		double queue = queue_of(a, x);

		printf("  %11lldB %11lldB %7.2f%% ", (long long)x->kmin_bytes,
		       (long long)x->kmax_bytes, 100 * x->pmax);
		if (queue < 0)
			printf("%12s  %s\n", "about KMAX", x->source);
		else
			printf("%11.0fB  %s\n", queue, x->source);
	}
	printf("  QUEUE: a run of packets settles 17 to 30 %% higher.  \"about KMAX\": the mark is\n"
	       "  above PMAX, there is no fixed point, and the queue goes round KMAX\n");
}

static void print_pfc(const struct answer *a)
{
	if (!a->pool)
		return;
	printf("\nPFC, %lldB shared: one group alone is in XOFF at %lldB, 8 at once at %lldB each\n",
	       (long long)a->pool, (long long)config_limit(&a->limits, a->pool, 1),
	       (long long)config_limit(&a->limits, a->pool, 8));
	for (int i = 0; i < a->rows; i++) {
		int64_t n = config_groups(&a->limits, a->pool, a->row[i].kmin_bytes);

		printf("  KMIN %lldB: ", (long long)a->row[i].kmin_bytes);
		if (!n)
			printf("PFC always acts before ECN\n");
		else
			printf("ECN acts first while at most %lld groups fill at once\n",
			       (long long)n);
	}
}

static void json_rows(const struct answer *a, struct jsonout *j)
{
	jsonout_open(j, "thresholds", '[');
	for (int i = 0; i < a->rows; i++) {
		const struct thresholds_advice *x = &a->row[i];
		double queue = queue_of(a, x);

		jsonout_open(j, NULL, '{');
		jsonout_text(j, "whose", x->source);
		jsonout_int(j, "kmin_bytes", x->kmin_bytes);
		jsonout_int(j, "kmax_bytes", x->kmax_bytes);
		jsonout_double(j, "pmax", x->pmax);
		if (queue >= 0)
			jsonout_double(j, "queue_bytes", queue);
		else
			jsonout_raw(j, "queue_bytes", "null");
		if (a->pool)
			jsonout_int(j, "groups_before_pfc",
				    config_groups(&a->limits, a->pool, x->kmin_bytes));
		jsonout_close(j, '}');
	}
	jsonout_close(j, ']');
}

static void print_json(const struct answer *a)
{
	struct jsonout j;

	jsonout_init(&j, stdout, 0);
	jsonout_open(&j, NULL, '{');
	jsonout_text(&j, "schema", "xoff.thresholds/1");
	jsonout_int(&j, "rate_bps", a->conf.rate_bps);
	jsonout_int(&j, "flows", a->conf.flows);
	jsonout_time(&j, "rtt_ps", a->rtt_ps);
	jsonout_double(&j, "mark", a->point.mark);
	jsonout_double(&j, "alpha", a->point.alpha);
	jsonout_double(&j, "target_ratio", a->point.target_ratio);
	jsonout_double(&j, "cnps_per_s", a->point.cnps_per_s);
	json_rows(a, &j);
	jsonout_close(&j, '}');
	putchar('\n');
}

static int thresholds_main(const struct command *self, int argc, char **argv)
{
	struct thresholds_options opt = { .json = false };
	struct options_list args = { 0 };
	enum options_answer answer = options_parse(self, argc, argv, &opt, &args);
	int status = answer == OPTIONS_WRONG ? STATUS_INPUT : STATUS_OK;
	struct answer a;

	if (answer == OPTIONS_GO && read_all(&opt, &a)) {
		status = STATUS_INPUT;
	} else if (answer == OPTIONS_GO) {
		fixed_point_solve(&a.conf, &a.point);
		thresholds_advice(&a.conf, a.rtt_ps, a.point.mark, &a.row[a.rows]);
		a.rows += THRESHOLDS_ADVICE;
		if (opt.json) {
			print_json(&a);
		} else {
			print_point(&a);
			print_rows(&a);
			print_pfc(&a);
		}
	}
	options_fini(self, &opt, &args);
	return status;
}

const struct command thresholds_command = {
	.name = "thresholds",
	.args = "",
	.about = "print ECN thresholds for so many flows, and the queue they imply",
	.details =
	"The fixed point of DCQCN's fluid model, what others set, and advice; with --pool\n"
	"also whether ECN acts before PFC.\n",
	.examples =
	"  xoff thresholds --rate 100Gbps --flows 16 --rtt 10us\n"
	"  xoff thresholds --rate 40Gbps --flows 10 --kmin 5KB --kmax 200KB --pmax 1%\n"
	"  xoff thresholds --rate 100Gbps --flows 32 --pool 16MB --alpha 1/8\n",
	.options = options,
	.max_args = 0,
	.main = thresholds_main,
};
