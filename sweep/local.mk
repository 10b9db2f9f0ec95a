# sweep/: grids, results in SQLite, means over seeds.  Uses every room but cli/.
noinst_LIBRARIES += libsweep.a
libsweep_a_SOURCES = \
	sweep/compare.c \
	sweep/compare.h \
	sweep/grid.c \
	sweep/grid.h \
	sweep/stats.c \
	sweep/stats.h \
	sweep/store.c \
	sweep/store.h
