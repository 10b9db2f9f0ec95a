# cli/: the program.  Uses every room.
bin_PROGRAMS += xoff
xoff_SOURCES = \
	cli/batch.c \
	cli/batch.h \
	cli/check.c \
	cli/check.h \
	cli/check_deadlock.c \
	cli/check_emit.c \
	cli/check_headroom.c \
	cli/command.c \
	cli/command.h \
	cli/cost.c \
	cli/cost.h \
	cli/csv.c \
	cli/csv.h \
	cli/explain.c \
	cli/explain_changes.c \
	cli/explain_changes.h \
	cli/explain_cures.c \
	cli/explain_cures.h \
	cli/explain_json.c \
	cli/explain_json.h \
	cli/explain_run.c \
	cli/explain_run.h \
	cli/explain_text.c \
	cli/explain_text.h \
	cli/explain_text_deadlock.c \
	cli/explain_whatif.c \
	cli/explain_whatif.h \
	cli/explain_words.c \
	cli/explain_words.h \
	cli/export.c \
	cli/export_counters.c \
	cli/export_perfetto.c \
	cli/export_perfetto.h \
	cli/find.c \
	cli/find.h \
	cli/flatten.c \
	cli/flatten.h \
	cli/fluid.c \
	cli/fluid_packet.c \
	cli/fluid_packet.h \
	cli/fluid_plot.c \
	cli/fluid_plot.h \
	cli/glossary.c \
	cli/glossary.h \
	cli/glossary_table.c \
	cli/headroom.c \
	cli/import.c \
	cli/intern.c \
	cli/intern.h \
	cli/junit.c \
	cli/junit.h \
	cli/list.c \
	cli/main.c \
	cli/manual.c \
	cli/message.c \
	cli/message.h \
	cli/options.c \
	cli/options.h \
	cli/path.c \
	cli/path.h \
	cli/plot.c \
	cli/progress.c \
	cli/progress.h \
	cli/quantity.c \
	cli/quantity.h \
	cli/report.c \
	cli/report_block.c \
	cli/report_block.h \
	cli/report_page.h \
	cli/report_runs.c \
	cli/report_runs.h \
	cli/rules.c \
	cli/rules.h \
	cli/run.c \
	cli/rundir.c \
	cli/rundir.h \
	cli/rundir_read.c \
	cli/rundir_read.h \
	cli/rundir_tables.c \
	cli/rundir_tables.h \
	cli/schema.c \
	cli/show.c \
	cli/show.h \
	cli/show_config.c \
	cli/show_counters.c \
	cli/show_table.c \
	cli/show_table.h \
	cli/show_watchdog.c \
	cli/signals.c \
	cli/signals.h \
	cli/status.h \
	cli/step.c \
	cli/step.h \
	cli/step_commands.c \
	cli/step_drive.c \
	cli/step_show.c \
	cli/step_why.c \
	cli/step_words.c \
	cli/sweep.c \
	cli/sweep_best.c \
	cli/sweep_best.h \
	cli/sweep_check.c \
	cli/sweep_check.h \
	cli/sweep_compare.c \
	cli/sweep_compare.h \
	cli/sweep_figure.c \
	cli/sweep_figure.h \
	cli/sweep_point.c \
	cli/sweep_point.h \
	cli/thresholds.c \
	cli/verify.c \
	cli/version.c
nodist_xoff_SOURCES = build_id.h
BUILT_SOURCES += build_id.h
xoff_LDADD = libsweep.a libinterop.a libscenario.a libobserve.a libanalyze.a libmodels.a libsim.a $(JANSSON_LIBS) $(ZLIB_LIBS) $(ZSTD_LIBS) $(SQLITE_LIBS) $(GSL_LIBS)
EXTRA_DIST += cli/build_id.sh
CLEANFILES += build_id.h build_id.h.tmp

# Made anew by every make, replaced only where it differs.
.PHONY: build-id
build-id:
build_id.h: build-id
	@CC='$(CC)' CFLAGS='$(XOFF_FP_CFLAGS) $(CFLAGS)' VERSION='$(PACKAGE_VERSION)' \
	  $(SHELL) $(srcdir)/cli/build_id.sh '$(srcdir)' >$@.tmp
	@if cmp -s $@.tmp $@; then rm -f $@.tmp; else echo '  GEN      $@'; mv -f $@.tmp $@; fi
$(xoff_OBJECTS): | build_id.h
