/* analyze/fluid_run.c - the trajectory of fluid.h: RK4 with a fixed step. */
#include "analyze/fluid.h"

#include <math.h>
#include <stdlib.h>
#include "sim/assert.h"
#include "sim/mem.h"

struct flow { double rc, rt, alpha; };
struct state { struct flow flow[FLUID_GROUPS]; double q; };
struct past { double rc[FLUID_GROUPS], q; };		/* what acts after the loop delay */

/* What the senders learn at one instant, of packets tau* before. */
struct signal {
	bool started[FLUID_GROUPS];
	double rc[FLUID_GROUPS];
	struct fluid_terms terms[FLUID_GROUPS];
};

/* Sums of the queue over a stretch of steps. */
struct sums {
	double q, squares, sent, rc[FLUID_GROUPS], alpha[FLUID_GROUPS], min, max;
	int64_t n;
};

struct run {
	struct fluid_model m;
	int groups;
	double flows[FLUID_GROUPS];
	int64_t start_step[FLUID_GROUPS];
	double step;			/* seconds */
	int64_t at, steps;		/* number of the step, of how many */
	struct state y;
	struct past *past;		/* ring: that of step k at k % room */
	int64_t room;
	struct sums quarter[4];
};

static void keep(struct run *r)
{
	struct past *p = &r->past[r->at % r->room];

	p->q = r->y.q;
	for (int i = 0; i < r->groups; i++)
		p->rc[i] = r->y.flow[i].rc;
}

/* Values `back` steps (a fraction, too) before step `at`: on the straight line
 * between the two kept ones.  Before the beginning: as it began. */
static struct past look_back(const struct run *r, double at)
{
	int64_t below = (int64_t)floor(at);
	double part = at - (double)below;
	struct past out;
	const struct past *u, *v;

	if (at <= 0)
		return r->past[0];	/* callers with at <= 0 use the line rate and p = 0 */
	sim_assert(below <= r->at && r->at - below < r->room);
	u = &r->past[below % r->room];
	v = part > 0 ? &r->past[(below + 1) % r->room] : u;
	out.q = u->q + part * (v->q - u->q);
	for (int i = 0; i < r->groups; i++)
		out.rc[i] = u->rc[i] + part * (v->rc[i] - u->rc[i]);
	return out;
}

/* The signal at step `now`, which lies half a step after r->at, or a whole one.
 * Without a loop delay `y` is what is delayed. */
static struct signal signal_at(const struct run *r, double now, const struct state *y)
{
	double at = now - r->m.delay / r->step;
	struct past then = { .q = 0 };
	struct signal out;

	if (r->m.delay > 0 && at > 0)
		then = look_back(r, at);
	else if (r->m.delay <= 0)
		then.q = y->q;
	for (int i = 0; i < r->groups; i++) {
		bool own = at > (double)r->start_step[i];
		double p = own ? fluid_mark(&r->m, then.q) : 0;

		out.started[i] = now > (double)r->start_step[i] || r->start_step[i] == 0;
		out.rc[i] = !own ? r->m.line : r->m.delay > 0 ? then.rc[i] : y->flow[i].rc;
		fluid_terms_at(&r->m, p, out.rc[i], &out.terms[i]);
	}
	return out;
}

static double offered(const struct run *r, const struct state *y, const struct signal *s)
{
	double sum = 0;

	for (int i = 0; i < r->groups; i++)
		if (s->started[i])
			sum += r->flows[i] * y->flow[i].rc;
	return sum;
}

static struct state slope(const struct run *r, const struct state *y, const struct signal *s)
{
	const struct fluid_model *m = &r->m;
	struct state out = { .q = offered(r, y, s) - m->c };

	if (y->q <= 0 && out.q < 0)
		out.q = 0;
	for (int i = 0; i < r->groups; i++) {
		const struct flow *f = &y->flow[i];
		const struct fluid_terms *t = &s->terms[i];
		struct flow *d = &out.flow[i];
		double gap = f->rt - f->rc;

		if (!s->started[i])
			continue;
		d->alpha = m->g / m->tau_alpha * (t->a_alpha - f->alpha);
		d->rt = -gap * t->a / m->tau + m->ai * s->rc[i] * (t->c + t->e);
		d->rc = -f->rc * f->alpha * t->a / (2 * m->tau) +
			gap / 2 * s->rc[i] * (t->b + t->d);
		if (f->rt >= m->line && d->rt > 0)
			d->rt = 0;
		if (f->rc >= m->line && d->rc > 0)
			d->rc = 0;
	}
	return out;
}

/* y + k d, within bounds. */
static struct state moved(const struct run *r, const struct state *y, double k,
			  const struct state *d)
{
	struct state out = { .q = fmax(0, y->q + k * d->q) };

	for (int i = 0; i < r->groups; i++) {
		out.flow[i].rc = fmin(r->m.line, y->flow[i].rc + k * d->flow[i].rc);
		out.flow[i].rt = fmin(r->m.line, y->flow[i].rt + k * d->flow[i].rt);
		out.flow[i].alpha = y->flow[i].alpha + k * d->flow[i].alpha;
	}
	return out;
}

/* (a + 2b + 2c + d)/6 */
static struct state mean(int groups, const struct state *a, const struct state *b,
			 const struct state *c, const struct state *d)
{
	struct state out = { .q = (a->q + 2 * b->q + 2 * c->q + d->q) / 6 };

	for (int i = 0; i < groups; i++) {
		const struct flow *e = &a->flow[i], *f = &b->flow[i], *g = &c->flow[i],
				  *h = &d->flow[i];

		out.flow[i].rc = (e->rc + 2 * f->rc + 2 * g->rc + h->rc) / 6;
		out.flow[i].rt = (e->rt + 2 * f->rt + 2 * g->rt + h->rt) / 6;
		out.flow[i].alpha = (e->alpha + 2 * f->alpha + 2 * g->alpha + h->alpha) / 6;
	}
	return out;
}

/* One step.  `now` is the signal at its start, and afterwards at its end; with a
 * loop delay the two middle stages have theirs in common. */
static void step(struct run *r, struct signal *now)
{
	bool delayed = r->m.delay > 0;
	double at = (double)r->at, h = r->step;
	const struct state y = r->y, k1 = slope(r, &y, now);
	const struct state y2 = moved(r, &y, h / 2, &k1);
	struct signal middle = signal_at(r, at + 0.5, &y2);
	const struct state k2 = slope(r, &y2, &middle), y3 = moved(r, &y, h / 2, &k2);

	if (!delayed)
		middle = signal_at(r, at + 0.5, &y3);
	const struct state k3 = slope(r, &y3, &middle), y4 = moved(r, &y, h, &k3);

	*now = signal_at(r, at + 1, &y4);
	const struct state k4 = slope(r, &y4, now), k = mean(r->groups, &k1, &k2, &k3, &k4);

	r->y = moved(r, &y, h, &k);
	r->at++;
	keep(r);
	if (!delayed)
		*now = signal_at(r, (double)r->at, &r->y);
}

static void add(struct run *r, const struct signal *now)
{
	int64_t which = (r->at - 1) * 4 / r->steps;
	struct sums *s = &r->quarter[which];
	double q = r->y.q * r->m.frame_bytes;

	s->min = s->n ? fmin(s->min, q) : q;
	s->max = s->n ? fmax(s->max, q) : q;
	s->n++;
	s->q += q;
	s->squares += q * q;
	s->sent += q > 0 ? 1 : fmin(1, offered(r, &r->y, now) / r->m.c);
	for (int i = 0; i < r->groups; i++) {
		s->rc[i] += r->y.flow[i].rc;
		s->alpha[i] += r->y.flow[i].alpha;
	}
}

static void tell(const struct run *r, const struct signal *now,
		 void (*each)(void *ctx, const struct fluid_point *point), void *ctx)
{
	double bits = r->m.frame_bytes * 8;
	struct fluid_point p = { .at_s = (double)r->at * r->step,
				 .queue_bytes = r->y.q * r->m.frame_bytes,
				 .mark = fluid_mark(&r->m, r->y.q) };

	for (int i = 0; i < r->groups; i++)
		if (now->started[i]) {
			p.rate_bps[i] = r->y.flow[i].rc * bits;
			p.target_bps[i] = r->y.flow[i].rt * bits;
			p.alpha[i] = r->y.flow[i].alpha;
		}
	each(ctx, &p);
}

static double deviation(double sum, double squares, int64_t n)
{
	double mu = sum / (double)n, variance = squares / (double)n - mu * mu;

	return variance > 0 ? sqrt(variance) : 0;
}

static void summarize(const struct run *r, struct fluid_summary *out)
{
	const struct sums *s = &r->quarter[2], *t = &r->quarter[3];
	double n = (double)(s->n + t->n), bits = r->m.frame_bytes * 8;

	*out = (struct fluid_summary){
		.from_s = (double)r->steps * r->step / 2,
		.until_s = (double)r->steps * r->step,
		.queue_mean = (s->q + t->q) / n,
		.queue_sd = deviation(s->q + t->q, s->squares + t->squares, s->n + t->n),
		.queue_min = fmin(s->min, t->min),
		.queue_max = fmax(s->max, t->max),
		.early_sd = deviation(s->q, s->squares, s->n),
		.late_sd = deviation(t->q, t->squares, t->n),
		.utilization = (s->sent + t->sent) / n,
	};
	for (int i = 0; i < r->groups; i++) {
		out->rate_mean_bps[i] = (s->rc[i] + t->rc[i]) / n * bits;
		out->alpha_mean[i] = (s->alpha[i] + t->alpha[i]) / n;
	}
}

static void begin(struct run *r, const struct fluid_conf *conf, const struct fluid_group *more,
		  int nmore)
{
	int64_t step_ps = conf->step_ps;

	sim_assert(nmore >= 0 && nmore < FLUID_GROUPS);
	if (conf->delay_ps && conf->delay_ps < step_ps)
		step_ps = conf->delay_ps;
	*r = (struct run){.m = fluid_model_of(conf),
			  .groups = 1 + nmore,
			  .step = (double)step_ps * 1e-12,
			  .steps = conf->until_ps / step_ps,
			  .room = conf->delay_ps / step_ps + 3,
			  .flows = {(double)conf->flows}};
	for (int i = 0; i < nmore; i++) {
		r->flows[i + 1] = (double)more[i].flows;
		r->start_step[i + 1] = more[i].start_ps / step_ps;
	}
	for (int i = 0; i < r->groups; i++)
		r->y.flow[i] = (struct flow){ r->m.line, r->m.line, 1 };
	r->past = mem_zalloc((size_t)r->room * sizeof *r->past);
	keep(r);
}

void fluid_run(const struct fluid_conf *conf, const struct fluid_group *more, int nmore,
	       int64_t every_ps, void (*each)(void *ctx, const struct fluid_point *point),
	       void *ctx, struct fluid_summary *out)
{
	struct run r;
	struct signal now;
	int64_t every;

	begin(&r, conf, more, nmore);
	every = llround((double)every_ps * 1e-12 / r.step);
	if (every < 1)
		every = 1;
	now = signal_at(&r, 0, &r.y);
	if (each)
		tell(&r, &now, each, ctx);
	while (r.at < r.steps) {
		step(&r, &now);
		add(&r, &now);
		if (each && (r.at % every == 0 || r.at == r.steps))
			tell(&r, &now, each, ctx);
	}
	summarize(&r, out);
	free(r.past);
}

enum fluid_end fluid_end_of(const struct fluid_summary *s)
{
	if (s->late_sd <= 0.01 * s->queue_mean)
		return FLUID_SETTLED;
	return s->late_sd < 0.9 * s->early_sd ? FLUID_SETTLING : FLUID_OSCILLATES;
}
