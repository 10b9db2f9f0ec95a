# analyze/: answers without running, and about a run's plain records.  Uses sim/
# and models/; GSL is for here.
noinst_LIBRARIES += libanalyze.a
libanalyze_a_SOURCES = \
	analyze/bdg.c \
	analyze/bdg.h \
	analyze/bdg_cycle.c \
	analyze/bdg_fail.c \
	analyze/bdg_inside.h \
	analyze/bdg_lanes.c \
	analyze/bdg_scc.c \
	analyze/bdg_tags.c \
	analyze/blame.c \
	analyze/blame.h \
	analyze/blame_follow.c \
	analyze/blame_in.h \
	analyze/blame_label.c \
	analyze/blame_origin.c \
	analyze/config.c \
	analyze/config.h \
	analyze/config_limits.c \
	analyze/config_maps.c \
	analyze/config_mtu.c \
	analyze/config_unused.c \
	analyze/config_watchdog.c \
	analyze/finding.c \
	analyze/finding.h \
	analyze/fixed_point.c \
	analyze/fixed_point.h \
	analyze/fluid.c \
	analyze/fluid.h \
	analyze/fluid_margin.c \
	analyze/fluid_margin.h \
	analyze/fluid_run.c \
	analyze/headroom_check.c \
	analyze/headroom_check.h \
	analyze/headroom_table.c \
	analyze/headroom_table.h \
	analyze/prove.c \
	analyze/prove.h \
	analyze/routing.c \
	analyze/routing.h \
	analyze/sent.c \
	analyze/sent.h \
	analyze/symmetry.c \
	analyze/symmetry.h \
	analyze/tally.c \
	analyze/tally.h \
	analyze/thresholds.c \
	analyze/thresholds.h \
	analyze/witness.c \
	analyze/witness.h
