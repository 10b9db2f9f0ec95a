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

# Small fabrics for the oracles and properties.
check_LIBRARIES += libsupport.a
libsupport_a_SOURCES = \
	tests/support/bed.c \
	tests/support/bed.h
use_support = libsupport.a $(use_all)

unit_tests = \
	tests/unit/check_cc_registry \
	tests/unit/check_dcqcn \
	tests/unit/check_deadlock \
	tests/unit/check_ecn \
	tests/unit/check_error \
	tests/unit/check_expect \
	tests/unit/check_headroom \
	tests/unit/check_ideal \
	tests/unit/check_jsonc \
	tests/unit/check_jsonout \
	tests/unit/check_link \
	tests/unit/check_merge \
	tests/unit/check_observe \
	tests/unit/check_param \
	tests/unit/check_pattern \
	tests/unit/check_percentile \
	tests/unit/check_scenario \
	tests/unit/check_sched \
	tests/unit/check_stuck \
	tests/unit/check_trouble \
	tests/unit/check_units \
	tests/unit/check_workload_conf

# The simulator against a formula or an outside value, its source beside it.
oracle_tests = \
	tests/oracle/check_buffer \
	tests/oracle/check_longlink \
	tests/oracle/check_lossless \
	tests/oracle/check_marking \
	tests/oracle/check_pause \
	tests/oracle/check_queueing \
	tests/oracle/check_shares \
	tests/oracle/check_wire

# Random fabrics from a seed; the loader on its corpus.
property_tests =
fuzz_tests = \
	tests/fuzz/fuzz_scenario
tests_fuzz_fuzz_scenario_LDADD = $(use_scenario)

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
tests_unit_check_expect_LDADD = $(use_scenario)
tests_unit_check_jsonc_LDADD = $(use_scenario)
tests_unit_check_merge_LDADD = $(use_scenario)
tests_unit_check_pattern_LDADD = $(use_scenario)
tests_unit_check_scenario_LDADD = $(use_scenario)
tests_unit_check_trouble_LDADD = $(use_all)
tests_oracle_check_buffer_LDADD = $(use_support)
tests_oracle_check_longlink_LDADD = $(use_support)
tests_oracle_check_lossless_LDADD = $(use_support)
tests_oracle_check_marking_LDADD = $(use_support)
tests_oracle_check_pause_LDADD = $(use_support)
tests_oracle_check_queueing_LDADD = $(use_support)
tests_oracle_check_shares_LDADD = $(use_support)
tests_oracle_check_wire_LDADD = $(use_support)

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
	tests/fuzz/corpus \
	tests/unit/fake_fabric.h \
	tests/unit/small_fabric.h \
	$(lint_tests) \
	tests/golden \
	tests/invalid \
	tests/one.sh \
	tests/summary.sh
