# bench/: the speed of a run, beside a program that does the least any
# simulator must (netfloor).  Built and run by `make bench' alone; no test
# measures time.
EXTRA_PROGRAMS += \
	bench/bench \
	bench/netfloor
bench_bench_SOURCES = \
	bench/bench.c
bench_bench_LDADD = libmodels.a libsim.a
bench_netfloor_SOURCES = \
	bench/netfloor.c

EXTRA_DIST += bench/run.sh

CLEANFILES += $(EXTRA_PROGRAMS)

# Each workload beside the calibration program, in one run on one core.
.PHONY: bench
bench: all $(EXTRA_PROGRAMS)
	@$(SHELL) $(srcdir)/bench/run.sh ./bench
