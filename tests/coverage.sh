#!/bin/sh
# What `make coverage' measured, against what is asked for: 95 % of the lines of sim/ and
# models/, 90 % of the branches of each file below.  What is left is in doc/coverage.md.
#
# usage: coverage.sh SOURCES BUILD      (BUILD/sim, BUILD/models: the counts of a run)
#
# A branch to the end of a sim_assert does not count: it is taken only by a bug.
set -eu
src=$(cd "$1" && pwd -P) build=$2	# as the compiler saw it: without dots
branches='models/switch/mmu models/wire/pfc models/switch/watchdog models/switch/ecn
	models/wire/sched models/cc/'

lcov --quiet --rc lcov_branch_coverage=1 --rc 'lcov_excl_br_line=sim_assert|LCOV_EXCL_BR_LINE' \
	--capture --directory "$build/sim" --directory "$build/models" \
	--output-file "$build/all.info" >"$build/lcov.out" 2>"$build/lcov.err" || { cat "$build/lcov.err" >&2; exit 1; }
lcov --quiet --rc lcov_branch_coverage=1 --extract "$build/all.info" '*/sim/*' '*/models/*' \
	--output-file "$build/coverage.info"
command -v genhtml >/dev/null && genhtml --quiet --branch-coverage --prefix "$src" \
	--output-directory "$build/html" "$build/coverage.info" >/dev/null

awk -F '[:,]' -v src="$src/" -v wanted="$branches" '
	function end() {
		if (!f) return
		split(f, room, "/")
		lines[room[1]] += lf; hit[room[1]] += lh
		for (i in w)
			if (index(f, w[i]) == 1 && brf) {
				share = 100 * brh / brf
				printf "%s %-34s %6.1f %% of %4d lines  %6.1f %% of %4d branches\n",
				       share < 90 ? "LOW" : "   ", f, lf ? 100 * lh / lf : 100, lf, share, brf
				low += share < 90
				break
			}
	}
	BEGIN { n = split(wanted, w, "[ \t\n]+") }
	/^SF:/ { f = substr($0, 4); sub(src, "", f); lf = lh = brf = brh = 0 }
	/^LF:/ { lf = $2 } /^LH:/ { lh = $2 } /^BRF:/ { brf = $2 } /^BRH:/ { brh = $2 }
	/^DA:/ && $3 == 0 { missed = missed " " f ":" $2 }
	/^end_of_record/ { end() }
	END {
		total = lines["sim"] + lines["models"]
		share = 100 * (hit["sim"] + hit["models"]) / total
		printf "\nlines never run:"
		k = split(missed, m, " ")
		for (i = 1; i <= k; i++) printf "%s%s", (i - 1) % 4 ? "  " : "\n    ", m[i]
		printf "\n\nsim/ %.1f %% and models/ %.1f %% of the lines, both %.1f %% of %d\n",
		       100 * hit["sim"] / lines["sim"], 100 * hit["models"] / lines["models"], share, total
		exit low > 0 || share < 95
	}' "$build/coverage.info"
