/* cli/fluid_plot.c - see fluid_plot.h. */
#include "cli/fluid_plot.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/message.h"
#include "sim/mem.h"
#include "sim/units.h"

void fluid_plot_add(void *plot_, const struct fluid_point *point)
{
	struct fluid_plot *plot = plot_;

	if (plot->n == plot->cap) {
		plot->cap = plot->cap ? 2 * plot->cap : 1024;
		plot->point = mem_grow(plot->point, plot->cap * sizeof *plot->point);
	}
	plot->point[plot->n++] = *point;
}

void fluid_plot_fini(struct fluid_plot *plot)
{
	free(plot->point);
	plot->point = NULL;
	plot->n = plot->cap = 0;
}

/* ---- CSV ---- */

static void csv_rows(const struct fluid_plot *plot, FILE *out)
{
	fputs("at_ps,queue_bytes,mark_ratio,rate_bps,target_bps,alpha", out);
	for (int g = 2; g <= plot->groups; g++)
		fprintf(out, ",rate_%d_bps,target_%d_bps,alpha_%d", g, g, g);
	fputc('\n', out);
	for (size_t i = 0; i < plot->n; i++) {
		const struct fluid_point *p = &plot->point[i];

		fprintf(out, "%lld,%.1f,%.9g", llround(p->at_s * 1e12), p->queue_bytes,
			p->mark);
		for (int g = 0; g < plot->groups; g++)
			fprintf(out, ",%.0f,%.0f,%.9g", p->rate_bps[g], p->target_bps[g],
				p->alpha[g]);
		fputc('\n', out);
	}
}

int fluid_plot_csv(const struct fluid_plot *plot, const char *path)
{
	FILE *out = fopen(path, "w");
	bool bad = !out;

	if (out) {
		csv_rows(plot, out);
		bad = ferror(out) != 0;
		bad |= fclose(out) != 0;
	}
	if (bad)
		message_error("fluid", "cannot write %s: %s", path, strerror(errno));
	return bad ? -1 : 0;
}

/* ---- gnuplot ---- */

/* In single quotes of gnuplot a quote is doubled, and nothing else is special. */
static void quoted(FILE *g, const char *text)
{
	fputc('\'', g);
	for (; *text; text++)
		fprintf(g, "%s%c", *text == '\'' ? "'" : "", *text);
	fputc('\'', g);
}

static void terminal(const struct fluid_plot *plot, FILE *g, const char *path)
{
	size_t n = strlen(path);
	bool png = n > 4 && !strcmp(path + n - 4, ".png");
	char rate[32], delay[32];

	fprintf(g, "set terminal %s size 900,640 font 'sans,14' background rgb 'white'\n",
		png ? "pngcairo" : "svg");
	fputs("set output ", g);
	quoted(g, path);
	fprintf(g, "\nset multiplot layout 2,1 title 'DCQCN: %lld flows into %s, loop delay "
		"%s' noenhanced\n", (long long)plot->conf->flows,
		units_format(plot->conf->rate_bps, UNITS_RATE, rate, sizeof rate),
		plot->conf->delay_ps
			? units_format(plot->conf->delay_ps, UNITS_TIME, delay, sizeof delay)
			: "none");
	fputs("set grid lc rgb '#dddddd'\nset border lc rgb '#444444'\n"
	      "set key outside right top Left reverse noenhanced samplen 2\n"
	      "set lmargin 10\nset rmargin 22\n", g);
	fprintf(g, "set xrange [0:%.9g]\n", (double)plot->conf->until_ps * 1e-9);
}

static void data(const struct fluid_plot *plot, FILE *g)
{
	const struct fluid_packet *packet = plot->packet;

	fputs("$fluid << E\n", g);
	for (size_t i = 0; i < plot->n; i++) {
		const struct fluid_point *p = &plot->point[i];

		fprintf(g, "%.9g %.9g", p->at_s * 1e3, p->queue_bytes * 1e-3);
		for (int k = 0; k < plot->groups; k++)
			if (p->rate_bps[k] > 0)
				fprintf(g, " %.9g", p->rate_bps[k] * 1e-9);
			else
				fputs(" NaN", g);
		fputc('\n', g);
	}
	fputs("E\n", g);
	if (!packet)
		return;
	fputs("$packet << E\n", g);
	for (size_t i = 0; i < packet->n; i++)
		fprintf(g, "%.9g %.9g\n", (double)packet->at_ps[i] * 1e-9,
			(double)packet->queue_bytes[i] * 1e-3);
	fputs("E\n", g);
}

static double highest(const struct fluid_plot *plot)
{
	double most = 0;

	for (size_t i = 0; i < plot->n; i++)
		most = fmax(most, plot->point[i].queue_bytes);
	for (size_t i = 0; plot->packet && i < plot->packet->n; i++)
		most = fmax(most, (double)plot->packet->queue_bytes[i]);
	return most;
}

/* The start, when all send at the line rate (a quarter is left out), is far above
 * what follows: the scale is that of the rest. */
static double scale(const struct fluid_plot *plot)
{
	double skip_s = (double)plot->conf->until_ps * 1e-12 / 4, most = 0;

	for (size_t i = 0; i < plot->n; i++)
		if (plot->point[i].at_s > skip_s)
			most = fmax(most, plot->point[i].queue_bytes);
	for (size_t i = 0; plot->packet && i < plot->packet->n; i++)
		if ((double)plot->packet->at_ps[i] * 1e-12 > skip_s)
			most = fmax(most, (double)plot->packet->queue_bytes[i]);
	if (plot->fixed->on_ramp)
		most = fmax(most, plot->fixed->queue_bytes);
	return most > 0 ? 1.5 * most : highest(plot);
}

static const char *const colors[FLUID_GROUPS] = { "#2166ac", "#e08214", "#1a9850", "#762a83" };

static void panels(const struct fluid_plot *plot, FILE *g)
{
	double most = highest(plot), top = scale(plot) * 1e-3;
	double kmin = (double)plot->conf->kmin_bytes * 1e-3;
	double kmax = (double)plot->conf->kmax_bytes * 1e-3;
	char text[32];

	if (most * 1e-3 > top)
		fprintf(g, "set label 1 'start: up to %s' at graph 0.02,0.94\n",
			units_format(llround(most), UNITS_BYTES, text, sizeof text));
	fprintf(g, "set ylabel 'queue (KB)'\nset yrange [0:%.9g]\nplot ", top > 0 ? top : 1);
	if (plot->packet)
		fputs("$packet using 1:2 with lines lc rgb '#e08214' lw 1 title 'packets', ",
		      g);
	fputs("$fluid using 1:2 with lines lc rgb '#2166ac' lw 2 title 'fluid'", g);
	if (plot->fixed->on_ramp && plot->fixed->fed)
		fprintf(g, ", %.9g with lines lc rgb '#222222' dt 2 title 'fixed point q'",
			plot->fixed->queue_bytes * 1e-3);
	fprintf(g, ", %.9g with lines lc rgb '#1a9850' dt 3 lw 2 title 'Kmin'", kmin);
	if (kmax <= top)
		fprintf(g, ", %.9g with lines lc rgb '#d73027' dt 3 lw 2 title 'Kmax'", kmax);
	fprintf(g, "\nunset label 1\nset ylabel 'rate of a flow (Gb/s)'\n"
		"set xlabel 'time (ms)'\n"
		"set yrange [0:%.9g]\nplot ",
		2.5e-9 * plot->fixed->rate_bps);
	for (int k = 0; k < plot->groups; k++)
		fprintf(g, "$fluid using 1:%d with lines lc rgb '%s' lw 2 title '%s', ", k + 3,
			colors[k], k ? "joined later" : "fluid");
	fprintf(g, "%.9g with lines lc rgb '#222222' dt 2 title 'fair share C/N'\n"
		"unset multiplot\n",
		(double)plot->conf->rate_bps / (double)plot->conf->flows * 1e-9);
}

int fluid_plot_draw(const struct fluid_plot *plot, const char *path)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	bool there = access(path, F_OK) == 0;
	FILE *test = fopen(path, "a"), *g;
	int status;

	if (!test || fclose(test)) {
		message_error("fluid", "cannot write %s: %s", path, strerror(errno));
		return -1;
	}
	sigaction(SIGPIPE, &ignore, &before);	/* no gnuplot: a status, not death */
	g = popen("gnuplot", "w");
	if (g) {
		terminal(plot, g, path);
		data(plot, g);
		panels(plot, g);
	}
	status = g ? pclose(g) : -1;
	sigaction(SIGPIPE, &before, NULL);
	if (status && !there)
		remove(path);
	if (status)
		message_error("fluid", "gnuplot did not draw %s; is it installed?", path);
	return status ? -1 : 0;
}
