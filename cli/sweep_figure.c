/* cli/sweep_figure.c - see sweep_figure.h. */
#include "cli/sweep_figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/message.h"
#include "cli/status.h"

/* Length of what all names begin with, up to a dot. */
static int common_head(const struct compare *c)
{
	int n = (int)strlen(c->metric[0]), dot = 0;

	for (int m = 1; m < c->metrics; m++)
		for (int i = 0; i < n; i++)
			if (c->metric[m][i] != c->metric[0][i])
				n = i;
	for (int i = 0; i < n; i++)
		if (c->metric[0][i] == '.')
			dot = i + 1;
	return dot;
}

/* ... and what they end with, from a dot on. */
static int common_tail(const struct compare *c)
{
	const char *a = c->metric[0];
	int n = (int)strlen(a), dot = 0;

	for (int m = 1; m < c->metrics; m++) {
		const char *b = c->metric[m];
		int la = (int)strlen(a), lb = (int)strlen(b), k = 0;
		while (k < n && k < lb && a[la - 1 - k] == b[lb - 1 - k])
			k++;
		n = k;
	}
	for (int k = 1; k <= n; k++)
		if (a[(int)strlen(a) - k] == '.')
			dot = k;
	return dot;
}

const char *sweep_figure_name(const struct compare *c, int metric, char *buf, int size)
{
	const char *name = c->metric[metric];
	int head = c->metrics > 1 ? common_head(c) : 0, tail = c->metrics > 1 ? common_tail(c) : 0;
	int n = (int)strlen(name) - head - tail;

	snprintf(buf, (size_t)size, "%.*s", n > 0 ? n : 0, name + head);
	return buf;
}

/* Okabe and Ito's, which the colour-blind can tell apart, and Tol's where those end. */
enum { SWEEP_COLOURS = 12 };
static const char *const sweep_colour[SWEEP_COLOURS] = {
	"#000000", "#0072B2", "#56B4E9", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#882255",
	"#999999", "#332288", "#661100", "#DDCC77",
};

static void data(FILE *g, const struct compare *c, int setting, int arm, double confidence)
{
	fprintf(g, "$d%d_%d << E\n", setting, arm);
	for (int m = 0; m < c->metrics; m++) {
		struct compare_pair p = compare_pair(c, setting, m, arm, -1, confidence, false);
		if (p.n)
			fprintf(g, "%g %.17g %.17g %.17g\n", m + 0.05 * (arm - c->arms / 2), p.mean,
				isnan(p.low) ? p.mean : p.low, isnan(p.high) ? p.mean : p.high);
	}
	fprintf(g, "E\n");
}

static void panel(FILE *g, const struct compare *c, int setting)
{
	char name[200];

	fprintf(g, "set title '%s' noenhanced\nset xtics rotate by -25 (",
		*c->setting[setting] ? c->setting[setting] : "all runs");
	for (int m = 0; m < c->metrics; m++)
		fprintf(g, "%s'%s' %d", m ? ", " : "", sweep_figure_name(c, m, name, sizeof name), m);
	fprintf(g, ") noenhanced\nplot ");
	for (int a = 0; a < c->arms; a++)
		fprintf(g, "%s$d%d_%d using 1:2:3:4 with yerrorlines lt %d pt %d ps 0.6 title '%s' noenhanced",
			a ? ", " : "", setting, a, a + 1, a + 4, c->arm[a]);
	fprintf(g, "\n");
}

int sweep_figure(const struct compare *c, const char *file, const char *what, double confidence)
{
	size_t n = strlen(file);
	bool png = n > 4 && !strcmp(file + n - 4, ".png");
	FILE *g = popen("gnuplot", "w");

	if (!g) {
		message_error("sweep", "cannot start gnuplot");
		return STATUS_OUTPUT;
	}
	fprintf(g, "set terminal %s size %d,480 font 'sans,12' background rgb 'white'\nset output '%s'\n",
		png ? "pngcairo" : "svg", 200 + 420 * c->settings, file);
	for (int i = 0; i < SWEEP_COLOURS; i++)
		fprintf(g, "set linetype %d lc rgb '%s'\n", i + 1, sweep_colour[i]);
	fprintf(g, "set linetype cycle %d\n", SWEEP_COLOURS);
	for (int s = 0; s < c->settings; s++)
		for (int a = 0; a < c->arms; a++)
			data(g, c, s, a, confidence);
	int width = 200 + 420 * c->settings;
	fprintf(g, "set multiplot layout 1,%d margins char 9,char 22,char 5,char 3 spacing char 9\n", c->settings);
	fprintf(g, "set logscale y\nset grid ytics lc rgb '#dddddd'\nset xrange [-0.5:%d.5]\n"
		"set ylabel '%s, geometric mean' noenhanced\n", c->metrics - 1, what);
	for (int s = 0; s < c->settings; s++) {
		if (s == c->settings - 1)
			fprintf(g, "set key at screen %g, screen 0.92 right top Left reverse samplen 2\n",
				(width - 4.0) / width);
		else
			fprintf(g, "unset key\n");
		panel(g, c, s);
		fprintf(g, "unset ylabel\n");
	}
	fprintf(g, "unset multiplot\n");
	return pclose(g) ? STATUS_OUTPUT : STATUS_OK;
}
