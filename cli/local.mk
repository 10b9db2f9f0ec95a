# cli/: the program.  Uses every room.
bin_PROGRAMS += xoff
xoff_SOURCES = \
	cli/batch.c \
	cli/batch.h \
	cli/command.h \
	cli/cost.c \
	cli/cost.h \
	cli/explain.c \
	cli/find.c \
	cli/find.h \
	cli/glossary.c \
	cli/glossary.h \
	cli/glossary_table.c \
	cli/junit.c \
	cli/junit.h \
	cli/list.c \
	cli/main.c \
	cli/message.c \
	cli/message.h \
	cli/options.c \
	cli/options.h \
	cli/path.c \
	cli/path.h \
	cli/progress.c \
	cli/progress.h \
	cli/run.c \
	cli/rundir.c \
	cli/rundir.h \
	cli/schema.c \
	cli/signals.c \
	cli/signals.h \
	cli/status.h \
	cli/verify.c \
	cli/version.c
nodist_xoff_SOURCES = build_id.h
BUILT_SOURCES += build_id.h
xoff_LDADD = libscenario.a libobserve.a libmodels.a libsim.a $(JANSSON_LIBS)
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
