# tests/: `make check' runs all of TESTS; make lint, check-asan, check-digest
# and check-long are in Makefile.am.
#
# To add a unit test of module foo: write tests/unit/check_foo.c, add its name
# to unit_tests, and one _LDADD line with the archives foo may use.  That line
# is the layer rule: a room that reaches to its right does not link.

use_sim = libsim.a $(CHECK_LIBS)
use_models = libmodels.a $(use_sim)
use_observe = libobserve.a $(use_models)
use_analyze = libanalyze.a $(use_models) $(GSL_LIBS)
use_scenario = libscenario.a $(use_models) $(JANSSON_LIBS)
use_interop = libinterop.a $(use_scenario)
# Oracles and properties drive the whole simulator.
use_all = libinterop.a libscenario.a libobserve.a libmodels.a libsim.a $(JANSSON_LIBS) $(ZLIB_LIBS) $(ZSTD_LIBS) $(GSL_LIBS) $(CHECK_LIBS)

# Small fabrics for the oracles and properties.
check_LIBRARIES += libsupport.a
libsupport_a_SOURCES = \
	tests/support/bed.c \
	tests/support/bed.h \
	tests/support/chance.c \
	tests/support/chance.h \
	tests/support/chance_json.c \
	tests/support/chance_list.c \
	tests/support/chance_make.c \
	tests/support/chance_wild.c \
	tests/support/circles.c \
	tests/support/circles.h \
	tests/support/scratch.h \
	tests/support/shrink.c \
	tests/support/shrink.h \
	tests/support/trial.c \
	tests/support/trial.h
use_support = libsupport.a $(use_all)

unit_tests = \
	tests/unit/check_arena \
	tests/unit/check_bdg \
	tests/unit/check_bdg_fail \
	tests/unit/check_blame \
	tests/unit/check_cc_registry \
	tests/unit/check_chrometrace \
	tests/unit/check_compare \
	tests/unit/check_config \
	tests/unit/check_config_watchdog \
	tests/unit/check_dcqcn \
	tests/unit/check_dctcp \
	tests/unit/check_deadlock \
	tests/unit/check_ecn \
	tests/unit/check_engine \
	tests/unit/check_error \
	tests/unit/check_example_cc \
	tests/unit/check_expect \
	tests/unit/check_fixed_point \
	tests/unit/check_fixed_window \
	tests/unit/check_flowlist \
	tests/unit/check_fluid \
	tests/unit/check_headroom \
	tests/unit/check_headroom_table \
	tests/unit/check_hpcc \
	tests/unit/check_ideal \
	tests/unit/check_jsonc \
	tests/unit/check_jsonout \
	tests/unit/check_link \
	tests/unit/check_livelock \
	tests/unit/check_merge \
	tests/unit/check_mmu \
	tests/unit/check_mmu_reference \
	tests/unit/check_observe \
	tests/unit/check_param \
	tests/unit/check_pattern \
	tests/unit/check_percentile \
	tests/unit/check_pi \
	tests/unit/check_pint \
	tests/unit/check_pool \
	tests/unit/check_port \
	tests/unit/check_powercode \
	tests/unit/check_powertcp \
	tests/unit/check_replay \
	tests/unit/check_rng \
	tests/unit/check_route \
	tests/unit/check_scenario \
	tests/unit/check_sched \
	tests/unit/check_sonic \
	tests/unit/check_sonic_asic \
	tests/unit/check_sonic_wrong \
	tests/unit/check_stuck \
	tests/unit/check_sweep \
	tests/unit/check_swift \
	tests/unit/check_symmetry \
	tests/unit/check_thresholds \
	tests/unit/check_timely \
	tests/unit/check_trouble \
	tests/unit/check_units \
	tests/unit/check_watchdog \
	tests/unit/check_watchdog_action \
	tests/unit/check_watchdog_rule \
	tests/unit/check_wireframe \
	tests/unit/check_workload_conf

# The simulator against a formula or an outside value, its source beside it.
oracle_tests = \
	tests/oracle/check_balance \
	tests/oracle/check_buffer \
	tests/oracle/check_collective \
	tests/oracle/check_control \
	tests/oracle/check_detection \
	tests/oracle/check_due \
	tests/oracle/check_ecmp \
	tests/oracle/check_list \
	tests/oracle/check_longlink \
	tests/oracle/check_lossless \
	tests/oracle/check_marking \
	tests/oracle/check_pause \
	tests/oracle/check_prove \
	tests/oracle/check_queueing \
	tests/oracle/check_remap \
	tests/oracle/check_rnr \
	tests/oracle/check_shares \
	tests/oracle/check_storms \
	tests/oracle/check_transport \
	tests/oracle/check_verbs \
	tests/oracle/check_wire

# Random fabrics from a seed; the loader on its corpus.
property_tests = \
	tests/property/check_components \
	tests/property/check_deadlock_found \
	tests/property/check_deadlock_truth \
	tests/property/check_explain_property \
	tests/property/check_liveness \
	tests/property/check_fabric_property \
	tests/property/check_metamorphic \
	tests/property/check_shrink
fuzz_tests = \
	tests/fuzz/fuzz_ns3 \
	tests/fuzz/fuzz_rows \
	tests/fuzz/fuzz_scenario
fuzz_replay = tests/fuzz/replay.c tests/fuzz/replay.h
tests_fuzz_fuzz_ns3_SOURCES = tests/fuzz/fuzz_ns3.c $(fuzz_replay)
tests_fuzz_fuzz_ns3_LDADD = libinterop.a $(use_scenario)
tests_fuzz_fuzz_rows_SOURCES = tests/fuzz/fuzz_rows.c $(fuzz_replay)
tests_fuzz_fuzz_rows_LDADD = $(use_scenario)
tests_fuzz_fuzz_scenario_SOURCES = tests/fuzz/fuzz_scenario.c $(fuzz_replay)
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
tests_unit_check_replay_LDADD = $(use_observe)
tests_unit_check_sched_LDADD = $(use_models)
tests_unit_check_stuck_LDADD = $(use_observe)
tests_unit_check_workload_conf_LDADD = $(use_models)
tests_unit_check_expect_LDADD = $(use_scenario)
tests_unit_check_flowlist_LDADD = $(use_scenario)
tests_unit_check_jsonc_LDADD = $(use_scenario)
tests_unit_check_merge_LDADD = $(use_scenario)
tests_unit_check_pattern_LDADD = $(use_scenario)
tests_unit_check_scenario_LDADD = $(use_scenario)
tests_unit_check_chrometrace_LDADD = $(use_interop)
tests_unit_check_sonic_LDADD = $(use_interop)
tests_unit_check_sonic_asic_LDADD = $(use_interop)
tests_unit_check_sonic_wrong_LDADD = $(use_interop)
tests_unit_check_livelock_LDADD = $(use_all)
tests_unit_check_trouble_LDADD = $(use_all)
tests_oracle_check_balance_LDADD = $(use_support)
tests_oracle_check_buffer_LDADD = $(use_support)
tests_oracle_check_list_LDADD = $(use_support)
tests_oracle_check_longlink_LDADD = $(use_support)
tests_oracle_check_lossless_LDADD = $(use_support)
tests_oracle_check_marking_LDADD = $(use_support)
tests_oracle_check_pause_LDADD = $(use_support)
tests_oracle_check_queueing_LDADD = $(use_support)
tests_oracle_check_remap_LDADD = $(use_support)
tests_oracle_check_rnr_LDADD = $(use_support)
tests_oracle_check_shares_LDADD = $(use_support)
tests_oracle_check_storms_LDADD = $(use_support)
tests_oracle_check_transport_LDADD = $(use_support)
tests_oracle_check_verbs_LDADD = $(use_support)
tests_oracle_check_wire_LDADD = $(use_support)
tests_unit_check_engine_LDADD = $(use_sim)
tests_oracle_check_collective_LDADD = $(use_support)
tests_oracle_check_control_LDADD = $(use_support)
tests_oracle_check_detection_LDADD = $(use_support)
tests_oracle_check_due_LDADD = $(use_support)
tests_oracle_check_ecmp_LDADD = $(use_support)
tests_unit_check_arena_LDADD = $(use_sim)
tests_unit_check_dctcp_LDADD = $(use_models)
tests_unit_check_fixed_point_LDADD = $(use_analyze)
tests_unit_check_fixed_window_LDADD = $(use_models)
tests_unit_check_fluid_LDADD = $(use_analyze)
tests_unit_check_hpcc_LDADD = $(use_models)
tests_unit_check_example_cc_LDADD = libsupport.a $(use_models) $(GSL_LIBS)
tests_unit_check_example_cc_SOURCES = \
	tests/unit/check_example_cc.c \
	tests/unit/example_cc.c \
	tests/unit/example_cc.h
tests_unit_check_mmu_LDADD = $(use_models)
tests_unit_check_mmu_reference_LDADD = $(use_models)
tests_unit_check_pi_LDADD = $(use_models)
tests_unit_check_pint_LDADD = $(use_models)
tests_unit_check_pool_LDADD = $(use_sim)
tests_unit_check_port_LDADD = $(use_models)
tests_unit_check_rng_LDADD = $(use_sim) $(GSL_LIBS)
tests_unit_check_route_LDADD = $(use_models) $(GSL_LIBS)
tests_unit_check_swift_LDADD = $(use_models)
tests_unit_check_timely_LDADD = $(use_models)
tests_unit_check_watchdog_rule_LDADD = $(use_models)
tests_unit_check_watchdog_LDADD = libsupport.a $(use_models) $(GSL_LIBS)
tests_unit_check_watchdog_action_LDADD = libsupport.a $(use_models) $(GSL_LIBS)
tests_unit_check_powercode_LDADD = $(use_sim)
tests_unit_check_powertcp_LDADD = $(use_models)
tests_property_check_liveness_LDADD = $(use_support)
tests_property_check_fabric_property_LDADD = $(use_support)
tests_property_check_deadlock_truth_LDADD = $(use_support)
tests_property_check_metamorphic_LDADD = $(use_support)
tests_property_check_shrink_LDADD = $(use_support)
tests_unit_check_compare_LDADD = libsweep.a $(use_sim) $(SQLITE_LIBS) $(GSL_LIBS)
tests_unit_check_sweep_LDADD = libsweep.a $(use_sim) $(SQLITE_LIBS) $(GSL_LIBS)
tests_unit_check_bdg_LDADD = libsupport.a $(use_analyze)
tests_unit_check_bdg_fail_LDADD = libsupport.a $(use_analyze)
tests_unit_check_config_LDADD = libsupport.a $(use_analyze)
tests_unit_check_config_watchdog_LDADD = libsupport.a $(use_analyze)
tests_unit_check_headroom_table_LDADD = $(use_analyze)
tests_unit_check_symmetry_LDADD = $(use_analyze)
tests_unit_check_thresholds_LDADD = $(use_analyze)
tests_oracle_check_prove_LDADD = $(use_analyze)
# igraph says what the components are; skipped where it is missing.
tests_property_check_components_CFLAGS = $(AM_CFLAGS) $(IGRAPH_CFLAGS)
tests_property_check_components_LDADD = libsupport.a $(use_analyze) $(IGRAPH_LIBS)
tests_property_check_deadlock_found_LDADD = libsupport.a libobserve.a $(use_analyze)
tests_unit_check_wireframe_LDADD = libinterop.a $(use_sim) $(ZLIB_LIBS)
tests_unit_check_blame_LDADD = $(use_analyze)
tests_property_check_explain_property_SOURCES = \
	tests/property/check_explain_property.c \
	cli/csv.c \
	cli/intern.c \
	cli/path.c \
	cli/rundir_read.c \
	cli/rundir_tables.c
tests_property_check_explain_property_LDADD = libsupport.a libobserve.a $(use_analyze) $(JANSSON_LIBS)

lint_tests = \
	tests/lint/exports.sh \
	tests/lint/layers.sh \
	tests/lint/size.sh \
	tests/lint/sources.sh \
	tests/lint/words.sh

script_tests = \
	tests/cli/check.sh \
	tests/cli/explain.sh \
	tests/cli/inputs.sh \
	tests/cli/flows.sh \
	tests/cli/heads.sh \
	tests/cli/plot.sh \
	tests/cli/report.sh \
	tests/cli/run.sh \
	tests/cli/step.sh \
	tests/cli/sweep.sh \
	tests/digest/run.sh \
	tests/golden/run.sh \
	tests/inject/run.sh \
	tests/interop/ns3.sh \
	tests/interop/pcap.sh \
	tests/interop/pcap_incident.sh \
	tests/interop/perfetto.sh \
	tests/interop/run.sh \
	tests/invalid/run.sh \
	tests/lessons/run.sh

# Those that try more with XOFF_CHECK=long (make check-long).
long_scripts = tests/digest/run.sh tests/inject/run.sh
if HAVE_CHECK
long_tests = $(property_tests) $(long_scripts)
else
long_tests = $(long_scripts)
endif

if HAVE_CHECK
c_tests = $(unit_tests) $(oracle_tests) $(property_tests) $(fuzz_tests)
else
c_tests =
endif

# What the script tests read results with.
check_PROGRAMS += $(c_tests) tests/interop/trace_slices
tests_interop_trace_slices_SOURCES = tests/interop/trace_slices.c
tests_interop_trace_slices_LDADD = $(JANSSON_LIBS)
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

# What tests/inject/run.sh preloads: a shared object, so no program or library of the above.
check_DATA = tests/inject/shim.so
tests/inject/shim.so: tests/inject/shim.c
	$(AM_V_GEN)$(MKDIR_P) tests/inject && $(CC) -O2 -D_GNU_SOURCE -shared -fPIC -o $@ \
	  $(top_srcdir)/tests/inject/shim.c -ldl
CLEANFILES += tests/inject/shim.so

EXTRA_DIST += \
	tests/coverage.sh \
	tests/unit/bdg_fabrics.h \
	tests/unit/config_fabric.h \
	tests/unit/cc_facts.h \
	tests/fuzz/corpus \
	tests/fuzz/ns3 \
	tests/fuzz/rows \
	tests/unit/fake_fabric.h \
	tests/unit/mmu_bench.h \
	tests/unit/small_fabric.h \
	tests/unit/sonic_case.h \
	$(lint_tests) \
	tests/cli \
	tests/digest/digests.c \
	tests/digest/run.sh \
	tests/golden \
	tests/inject/all-outputs.json \
	tests/inject/run.sh \
	tests/inject/shim.c \
	tests/interop \
	tests/invalid \
	tests/lessons \
	tests/one.sh \
	tests/oracle/README.md \
	tests/property/seeds \
	tests/summary.sh \
	tests/support/script.sh
