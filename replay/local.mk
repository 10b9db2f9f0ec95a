# replay/: the page of `xoff report', plain JavaScript bundled into one HTML file.
#
# A tarball has it built, in replay/dist.  In a git clone `make report-page' builds
# it with node and npm, into the build folder.  A plain make puts into the program
# what is there and needs neither; without a page the command says so.  A page that is
# older than its sources is built anew where node and its modules are (they need no
# network then); else make and the command say that it is old.
replay_sources = \
	replay/build.mjs \
	replay/package-lock.json \
	replay/src/charts.js \
	replay/src/clock.js \
	replay/src/code.js \
	replay/src/data.js \
	replay/src/events.js \
	replay/src/flatten.js \
	replay/src/format.js \
	replay/src/gantt.js \
	replay/src/intervals.js \
	replay/src/layout.js \
	replay/src/main.js \
	replay/src/page.html \
	replay/src/panel.js \
	replay/src/params.js \
	replay/src/queues.js \
	replay/src/run.js \
	replay/src/style.css \
	replay/src/summary.js \
	replay/src/topology.js \
	replay/src/transport.js \
	replay/src/waits.js \
	replay/src/waitview.js
replay_files = \
	$(replay_sources) \
	replay/README.md \
	replay/build.sh \
	replay/embed.sh \
	replay/package.json \
	replay/sources.sh \
	replay/test/logic.test.mjs \
	replay/test/modules.mjs \
	replay/test/report.test.mjs \
	replay/test/run-tests.sh
EXTRA_DIST += $(replay_files)

replay_page = $(firstword $(wildcard replay/dist/report.html $(srcdir)/replay/dist/report.html))
nodist_xoff_SOURCES += report_page.c
CLEANFILES += report_page.c report_page.c.tmp
report_page.c: $(srcdir)/replay/embed.sh $(srcdir)/replay/sources.sh $(replay_page) $(replay_sources)
	$(AM_V_GEN)$(SHELL) $(srcdir)/replay/embed.sh '$(srcdir)/replay' replay '$(replay_page)' >$@.tmp && mv -f $@.tmp $@

.PHONY: report-page check-report dist-report-page
report-page:
	$(AM_V_GEN)$(SHELL) $(srcdir)/replay/build.sh $(srcdir)/replay replay

# The page's own tests, in node and in headless Chromium; skipped where those are not.
check-report:
	@command -v npm >/dev/null && $(MAKE) $(AM_MAKEFLAGS) report-page || :
	@$(MAKE) $(AM_MAKEFLAGS) all
	@XOFF_SCRATCH='$(abs_builddir)/replay'; export XOFF_SCRATCH; \
	  $(SHELL) $(srcdir)/replay/test/run-tests.sh '$(abs_builddir)/xoff' \
	    '$(abs_builddir)/replay/node_modules' || test $$? = 77

# What dist-hook calls; `make dist REPORT_PAGE=none' packs without the page.
dist-report-page:
	@if test '$(REPORT_PAGE)' = none; then exit 0; fi; \
	  page='$(srcdir)/replay/dist/report.html'; \
	  test "`$(SHELL) $(srcdir)/replay/sources.sh $(srcdir)/replay "$$page"`" = \
	    "`$(SHELL) $(srcdir)/replay/sources.sh $(srcdir)/replay`" || { $(MAKE) $(AM_MAKEFLAGS) report-page && page=replay/dist/report.html; } && \
	  $(MKDIR_P) '$(distdir)/replay/dist' && cp "$$page" '$(distdir)/replay/dist/report.html'
