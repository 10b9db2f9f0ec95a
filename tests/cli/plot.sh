#!/bin/sh
# What a run leaves for figures of marking and of shares, and that each figure is
# drawn from real runs (where there is gnuplot) or says what it lacks.
#
# usage: plot.sh        ends with "plot: N passed, M failed"
set -u
suite=plot
. "$(dirname "$0")/../support/script.sh"

run()	# FILE VARIANT DIR WORDS...
{
	file=$1 variant=$2 dir=$3
	shift 3
	"$XOFF" run "$src/experiments/$file.json" --variant "$variant" --no-expect -q -o "$dir" "$@" >/dev/null ||
		is "$file $variant runs" false
}

# column FILE NAME : its sum
column()
{
	awk -F, -v want="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == want) c = i; next }
		{ sum += $c } END { printf "%.0f", sum }' "$1"
}

# ---------------------------------------------------------------- what was marked
run lab/ecn-ramp ramp ramp
marks=ramp/series/marks-marks.csv
is "each frame met the curve once" [ "$(column $marks frames)" = 20034 ]
is "marked: as ports.csv has it" [ "$(column $marks marked_frames)" = "$(column ramp/ports.csv marked_frames)" ]
# Bins of the ramp hold 750 frames of p up to 5 %: 5 standard deviations.  Up to Kmin
# none is marked, above Kmax all 10 are.
is "as many as configured, in each bin" awk -F, 'NR > 1 {
		d = $6 - $7; if (d * d > 25 * $7 + 1) exit bad = 1
		if ($4 != "" && $4 <= $9 && $6) exit bad = 1
		if ($3 >= $10 && ($6 != $5 || $5 != 10)) exit bad = 1
		above += $3 >= $10
	} END { exit bad || above != 1 }' $marks
run lab/ecn-ramp enqueue enqueue
is "at enqueue too" [ "$(column enqueue/series/marks-marks.csv frames)" = 101 ]
is "with its marks" [ "$(column enqueue/series/marks-marks.csv marked_frames)" = "$(column enqueue/ports.csv marked_frames)" ]

# Where a PI controller marks the curve is not used, and nothing speaks of it.
run papers/pi-marking base pi --set run.until=20ms --set run.warmup=0ms \
	--set 'record.series.q.what=["queue","marks"]'
is "marks of a PI controller: without a curve, with its pi_ref" awk -F, 'NR > 1 {
		if ($7 $9 $10 $11 != "" || $12 != 100000 || ($4 != "" && $4 > 200000)) exit bad = 1
		n += $5
	} END { exit bad || n < 1000 }' pi/series/q-marks.csv
is "with all its marks" [ "$(column pi/series/q-marks.csv marked_frames)" = "$(column pi/ports.csv marked_frames)" ]
is "the replay has no Kmin for it" sh -c '! grep -q kmin_bytes pi/replay.json'
is "and has one for a curve" grep -q kmin_bytes ramp/replay.json
ends 0 show ecn config pi
is "show ecn config: no thresholds" sh -c '! grep -q threshold out'
is "but what is held" grep -q '^pi_ref  *100000$' out

# ------------------------------------------------------------------- who got what
run lab/dcqcn-converge base share --set run.until=60ms --set run.warmup=0ms
rates=share/series/rate-flows.csv
is "four flows, from 50 ms on eight" [ "$(awk -F, '{ n[$1]++ } END { print n["2000000000"] "-" n["50000000000"] "-" n["52000000000"] }' $rates)" = 4-4-8 ]
# All of one flow's samples are what was acknowledged of it, but for the first ms.
is "their sum is what flows.csv has" awk -F, 'NR == FNR { if (FNR > 1) sum[$2] += $6 * 1e-3 / 8; next }
	FNR > 1 { rest = $15 - sum[$1]; if (rest < 0 || rest > 100e9 * 1.1e-3 / 8) exit bad = 1; n++ }
	END { exit bad || n != 8 }' $rates share/flows.csv
is "same digest without" [ "$("$XOFF" run "$src/experiments/lab/dcqcn-converge.json" --variant base --no-expect -q \
	--set run.until=60ms --set run.warmup=0ms --set record.series=null --json | grep -o '"digest": "[0-9a-f]*"')" = \
	"$(grep -o '"digest": "[0-9a-f]*"' share/summary.json)" ]

run incident/shared-priority-storm quiet rr --set run.until=5ms
is "the time of a transaction is that of its request and response" awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
	$2 == "db" && $c["part"] == 1 { n++; if ($c["transaction_ps"] <= $c["fct_ps"]) exit bad = 1 }
	$2 == "db" && $c["part"] == 0 && $c["transaction_ps"] != "" { exit bad = 1 }
	END { exit bad || !n }' rr/flows.csv

# ---------------------------------------------------------------------- the figures
if ! command -v gnuplot >/dev/null; then
	echo "plot: there is no gnuplot; no figure was drawn"
	finish
	exit
fi
XOFF_PLOTS=$src/plots
export XOFF_PLOTS

# draws DIR FIGURE [TEXT...] : as SVG that holds the texts, without a word of gnuplot's
draws()
{
	dir=$1 figure=$2
	shift 2
	ends 0 plot "$dir" "$figure"
	is "$figure of $dir: nothing on stderr: $(head -2 err)" [ ! -s err ]
	for text; do
		is "$figure of $dir: \"$text\"" grep -qF -- "$text" "$dir/$figure.svg"
	done
	is "$figure of $dir: no number that is none" sh -c "! grep -qi 'nan\|inf,' '$dir/$figure.svg'"
}

run incident/shared-priority-storm base storm --set run.until=6ms \
	--set 'record.series.q={"match":"leaf*:*","what":["queue","rate"],"every":"100us"}'
run deadlock/ring third-greedy ring
"$XOFF" run "$src/experiments/baseline/thousands-of-qps.json" --set run.until=3ms --set traffic.rpc.stop=2ms \
	--no-expect -q -o qps >/dev/null
draws storm fct-cdf "time from intended start to last byte [us]" db
draws storm slowdown-size "slowdown against the idle path"
draws storm pause-gantt "time [ms]" leaf0:9
draws storm pause-heat "of that time [%]" spine0:3
draws storm pause-share "share [%]"
draws storm headroom "headroom [KB]"
draws storm queue "queue [KB]" "rate [Gb/s]" "time [ms]"
draws ring pause-gantt "stopped to the end of the run" "cut: the run goes on to 50 ms"
draws ring pause-heat "cut: the run goes on to 50 ms"
draws ramp ecn-mark "ECN marking of s0:1/3: 20034 frames" "frames marked [%]" "Kmin 5000, Kmax 20000"
draws share ecn-mark "configured"
draws pi ecn-mark "a PI controller holds it at 100)"
is "no curve of a PI controller" sh -c '! grep -q configured pi/ecn-mark.svg'
draws share convergence "goodput [Gb/s]" "index" old new
draws qps qp-tail "queue pairs of the senders" P99.9 16384
ends 0 plot storm --png -o .
is "PNG on request" [ "$(head -c 8 fct-cdf.png | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ]
ends 1 plot ring ecn-mark
is "what it lacks is told" grep -qF 'add "what": ["marks"]' err
ends 2 plot qps fct-cdf
is "a folder of runs is no run" grep -q 'name one such as .*/base' err
"$XOFF" run "$src/experiments/lab/ecn-ramp.json" --no-expect -q -o ramps >/dev/null
ends 2 plot ramps
is "nor are all its figures drawn: which to name" grep -q 'nothing was drawn .*name it, such as .*/ramps/base' err
ends 2 plot storm qp-tail
is "a run is no folder of runs" grep -q 'name the folder that holds them' err
ends 2 plot storm pause-gant
is "the nearest name" grep -qF 'did you mean "pause-gantt"?' err
ends 2 plot "$src/plots"
is "a folder without a run" grep -q 'is no run directory' err
finish
