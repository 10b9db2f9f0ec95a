# sim/: the kernel.  Uses nothing of ours.
noinst_LIBRARIES += libsim.a
libsim_a_SOURCES = \
	sim/arena.c \
	sim/arena.h \
	sim/assert.c \
	sim/assert.h \
	sim/engine.c \
	sim/engine.h \
	sim/error.c \
	sim/error.h \
	sim/mem.c \
	sim/mem.h \
	sim/nearpath.c \
	sim/nearpath.h \
	sim/param.c \
	sim/param.h \
	sim/pool.c \
	sim/pool.h \
	sim/powercode.c \
	sim/powercode.h \
	sim/rng.c \
	sim/rng.h \
	sim/units.c \
	sim/units.h
