# plots/: gnuplot scripts, one a figure; they read a run directory and nothing else.
plotsdir = $(pkgdatadir)/plots
dist_plots_DATA = \
	plots/common.gp \
	plots/convergence.gp \
	plots/ecn-mark.gp \
	plots/fct-cdf.gp \
	plots/headroom.gp \
	plots/pause-gantt.gp \
	plots/pause-heat.gp \
	plots/pause-share.gp \
	plots/qp-tail.gp \
	plots/queue.gp \
	plots/slowdown-size.gp
