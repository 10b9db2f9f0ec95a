# tests/: `make check' runs all of TESTS; make lint, check-asan, check-digest
# and check-long are in Makefile.am.
#
# To add a unit test of module foo: write tests/unit/check_foo.c, add its name
# to unit_tests, and one _LDADD line with the archives foo may use.  That line
# is the layer rule: a room that reaches to its right does not link.

use_sim = libsim.a $(CHECK_LIBS)
use_models = libmodels.a $(use_sim)
use_observe = libobserve.a $(use_models)
use_scenario = libscenario.a $(use_models) $(JANSSON_LIBS)
# Oracles and properties drive the whole simulator.
use_all = libscenario.a libobserve.a libmodels.a libsim.a $(JANSSON_LIBS) $(GSL_LIBS) $(CHECK_LIBS)

unit_tests = \
	tests/unit/check_cc_registry \
	tests/unit/check_dcqcn \
	tests/unit/check_deadlock \
	tests/unit/check_ecn \
	tests/unit/check_error \
	tests/unit/check_headroom \
	tests/unit/check_ideal \
	tests/unit/check_jsonout \
	tests/unit/check_link \
	tests/unit/check_observe \
	tests/unit/check_param \
	tests/unit/check_percentile \
	tests/unit/check_sched \
	tests/unit/check_stuck \
	tests/unit/check_units \
	tests/unit/check_workload_conf

# The simulator against a formula or an outside value, its source beside it.
oracle_tests =

# Random fabrics from a seed; the loader on its corpus.
property_tests =
fuzz_tests =

# What each links, and no more.
tests_unit_check_error_LDADD = $(use_sim)
tests_unit_check_param_LDADD = $(use_sim)
tests_unit_check_units_LDADD = $(use_sim)
tests_unit_check_cc_registry_LDADD = $(use_models)
tests_unit_check_dcqcn_LDADD = $(use_models)
tests_unit_check_deadlock_LDADD = $(use_observe)
tests_unit_check_ecn_LDADD = $(use_models)
tests_unit_check_headroom_LDADD = $(use_models)
tests_unit_check_ideal_LDADD = $(use_models)
tests_unit_check_jsonout_LDADD = $(use_observe)
tests_unit_check_link_LDADD = $(use_models)
tests_unit_check_observe_LDADD = $(use_observe)
tests_unit_check_percentile_LDADD = $(use_observe)
tests_unit_check_sched_LDADD = $(use_models)
tests_unit_check_stuck_LDADD = $(use_observe)
tests_unit_check_workload_conf_LDADD = $(use_models)

lint_tests = \
	tests/lint/exports.sh \
	tests/lint/layers.sh \
	tests/lint/size.sh \
	tests/lint/sources.sh \
	tests/lint/words.sh

script_tests = \
	tests/golden/run.sh \
	tests/invalid/run.sh

if HAVE_CHECK
c_tests = $(unit_tests) $(oracle_tests) $(property_tests) $(fuzz_tests)
else
c_tests =
endif

check_PROGRAMS += $(c_tests)
TESTS = $(lint_tests) $(c_tests) $(script_tests)

TEST_EXTENSIONS = .sh
LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/one.sh
SH_LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/one.sh $(SHELL)

# What every test may read.  Check's own limit of 4 s a test is too short for a
# loaded machine with sanitizers on.
AM_TESTS_ENVIRONMENT = \
	XOFF='$(abs_top_builddir)/xoff'; export XOFF; \
	XOFF_SRC='$(abs_top_srcdir)'; export XOFF_SRC; \
	XOFF_BUILD='$(abs_top_builddir)'; export XOFF_BUILD; \
	XOFF_CHECK='$(XOFF_CHECK)'; export XOFF_CHECK; \
	CK_DEFAULT_TIMEOUT=$${CK_DEFAULT_TIMEOUT-120}; export CK_DEFAULT_TIMEOUT;
if SANITIZE
# Status 99 can be mistaken for none of xoff's own.
AM_TESTS_ENVIRONMENT += \
	XOFF_SANITIZE=1; export XOFF_SANITIZE; \
	ASAN_OPTIONS=exitcode=99:$$ASAN_OPTIONS; export ASAN_OPTIONS; \
	UBSAN_OPTIONS=print_stacktrace=1:exitcode=99:$$UBSAN_OPTIONS; export UBSAN_OPTIONS;
endif

EXTRA_DIST += \
	tests/unit/fake_fabric.h \
	$(lint_tests) \
	tests/golden \
	tests/invalid \
	tests/one.sh \
	tests/summary.sh
