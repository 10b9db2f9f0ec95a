/*
 * cli/sweep_figure.h - a comparison as a figure: the metrics along the abscissa, a line
 * an arm with its intervals, a panel a setting.
 */
#ifndef SWEEP_FIGURE_H
#define SWEEP_FIGURE_H
#include "sweep/compare.h"

/* What of a metric's name tells it from the others, without the dots at its ends, in
 * buf; the whole name when there is one metric only. */
const char *sweep_figure_name(const struct compare *c, int metric, char *buf, int size);
/* Runs gnuplot; an exit code. */
int sweep_figure(const struct compare *c, const char *file, const char *what, double confidence);
#endif
