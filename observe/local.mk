# observe/: who watches a run.  Uses sim/ and models/.
noinst_LIBRARIES += libobserve.a
libobserve_a_SOURCES = \
	observe/deadlock.c \
	observe/deadlock.h \
	observe/eventlog.c \
	observe/eventlog.h \
	observe/findings.c \
	observe/findings.h \
	observe/flowtable.c \
	observe/flowtable.h \
	observe/flowtable_fill.c \
	observe/flowtable_in.h \
	observe/flowtable_rows.c \
	observe/grow.h \
	observe/invariant.c \
	observe/invariant.h \
	observe/jsonout.c \
	observe/jsonout.h \
	observe/names.c \
	observe/names.h \
	observe/observe.c \
	observe/observe.h \
	observe/outfile.c \
	observe/outfile.h \
	observe/pauselog.c \
	observe/pauselog.h \
	observe/percentile.c \
	observe/percentile.h \
	observe/portstats.c \
	observe/portstats.h \
	observe/series.c \
	observe/series.h \
	observe/stall.c \
	observe/stall.h \
	observe/stuck.c \
	observe/stuck.h \
	observe/summary.c \
	observe/summary.h \
	observe/table.c \
	observe/table.h
