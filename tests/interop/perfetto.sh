#!/bin/sh
# A run as a trace for Perfetto, held against the files it was made of: strict JSON, in
# order, nothing negative, slices that nest (trace_slices.c); every pause of pauses.csv
# and every stop of stops.csv is there, to the picosecond; stops add up to paused_ps.
#
# usage: perfetto.sh        ends with "perfetto: N passed, M failed"
set -u
suite=perfetto
. "$(dirname "$0")/../support/script.sh"
slices=${XOFF_BUILD-$src/build}/tests/interop/trace_slices
[ -x "$slices" ] || { echo "perfetto: no $slices" >&2; exit 1; }

# CSV columns by name: column FILE NAME...  (values joined by |)
columns()
{
	awk -F, -v names="$2" 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; n = split(names, want, " ") }
		NR > 1 { for (k = 1; k <= n; k++) printf "%s%s", $c[want[k]], k < n ? "|" : "\n" }' "$1"
}

# What the slices of a track should be: PORT|PRIO|FROM|UNTIL lines in, slices out.
as_slices()	# TRACK NAME END_PS
{
	awk -F'|' -v track="$1" -v name="$2" -v last="$3" '{
		n = match($1, /:[0-9]+$/)
		printf "%s|port %s priority %s %s|%s|%s|%.0f\n", substr($1, 1, n - 1), substr($1, n + 1), $2,
			track, name, $3, ($4 == "" ? last : $4) - $3 }' | sort
}

check()		# DIR : the trace of the run there
{
	dir=$1
	ends 0 export perfetto "$dir" -o trace.json --quiet --all
	is "$dir: nothing on stderr with --quiet" [ ! -s err ]
	"$slices" trace.json >found 2>why
	is "$dir: a valid trace: $(head -3 why)" [ $? = 0 ]
	end=$(sed -n 's/.*"simulated_ps": \([0-9]*\).*/\1/p' "$dir/summary.json" | head -1)
	columns "$dir/pauses.csv" "sender prio xoff_ps xon_ps" | as_slices "XOFF sent" XOFF "$end" >wanted
	sed 's/|XOFF (storm)|/|XOFF|/' found | grep ' XOFF sent|XOFF|' | sort >have
	is "$dir: every pause of pauses.csv: $(diff wanted have | head -3)" cmp -s wanted have
	is "$dir: there are some" [ -s wanted ]
	columns "$dir/stops.csv" "port prio from_ps until_ps" | as_slices stopped stopped "$end" >wanted
	grep ' stopped|stopped|' found | sort >have
	is "$dir: every stop of stops.csv: $(diff wanted have | head -3)" cmp -s wanted have
	# totals, a port and priority a line
	awk -F'|' '{ split($2, w, " "); s[$1 ":" w[2] "|" w[4]] += $5 }
		END { for (k in s) printf "%s|%.0f\n", k, s[k] }' have | sort >have_sums
	columns "$dir/ports.csv" "port prio paused_ps" | grep -v '|0$' | sort >wanted_sums
	is "$dir: stops add up to paused_ps: $(diff wanted_sums have_sums | head -3)" cmp -s wanted_sums have_sums
	# what is not a span is an instant: each once
	spans=$(columns "$dir/events.csv" event | grep -cE '^(fault|fault_end|watchdog_storm|watchdog_restore)$')
	is "$dir: instants" [ "$(sed -n 's/^all|instants|//p' found)" = $(($(columns "$dir/events.csv" event | wc -l) - spans)) ]
	# counters never lie above the peaks (of queues, switches' only are kept) and rates
	columns "$dir/ports.csv" "port prio queue_peak_bytes group_peak_bytes rate_bps" >peaks
	awk -F'|' 'NR == FNR { queue[$1 "|" $2] = $3; group[$1 "|" $2] = $4; rate[$1 "|" $2] = $5; next }
		$2 == "max" { split($3, w, " "); k = $1 ":" w[2] "|" w[4]; n++
			if ((w[5] == "queue" && $1 !~ /^h/ && $4 > queue[k]) || (w[5] == "group" && $4 > group[k]) ||
			    (w[5] == "above" && $4 > group[k]) || (w[5] == "rate" && $4 * 1e6 > rate[k]))
				print $0 }
		END { if (!n) print "no counters" }' peaks found >high
	is "$dir: counters keep to the peaks: $(head -3 high)" [ ! -s high ]
}

ends 0 run "$src/experiments/deadlock/ring.json" --variant third-greedy --no-expect --quiet -o ring
check ring
is "the deadlock, on its four ports" [ "$(grep -c '|port 1 priority 3 deadlock|in the circle|' found)" = 4 ]
is "and as a whole" grep -q '^deadlock-ring|deadlock|deadlock|4[0-9]*|' found

ends 0 run "$src/experiments/lab/slow-uplink.json" --variant repaired --no-expect --set run.until=2ms \
	--set run.warmup=0ms --quiet -o lanes
check lanes
is "a slow link, as long as it was: from 1 ms to 1.5" [ "$(grep -c '|link slow: 25Gbps|1000000000|500000000$' found)" = 2 ]

ends 0 run "$src/experiments/incident/shared-priority-storm.json" --variant storm-watchdog --no-expect \
	--set run.until=12ms --quiet -o storm
check storm
is "the storm of the NIC" grep -q '|faults 1|NIC pause storm|5000000000|' found
is "the storm that the watchdog saw" grep -q '^leaf3|port 6 priority 3 watchdog|storm|' found

# --------------------------------------------------------------- the command
ends 0 export perfetto storm -o few.json
is "a note with the number of events" grep -q '^xoff export: note: few.json: [0-9]* events; open it at ui.perfetto.dev$' err
is "fewer counters without --all" [ "$(wc -c <few.json)" -lt "$(wc -c <trace.json)" ]
ends 0 export perfetto storm -o few.json.gz
is ".gz is compressed" [ "$(gzip -dc few.json.gz | cksum)" = "$(cksum <few.json)" ]
ends 0 export perfetto storm -o -
is "- is standard output" cmp out few.json
ends 0 export perfetto storm -o again.json
is "the same bytes again" cmp again.json few.json
ends 2 export perfeto storm
is "a format: $(cat err)" grep -q 'did you mean "perfetto"?' err
ends 2 export perfetto strom
is "a folder: $(cat err)" grep -q 'did you mean "storm"?' err
ends 2 export perfetto ring --variant base
ends 4 export perfetto ring -o nowhere/trace.json
is "nothing half written" [ -z "$(find . -name '*.partial')" ]
sed '3s/,[0-9]*,/,x,/' ring/stops.csv >stops && cp stops ring/stops.csv
ends 2 export perfetto ring -o wrong.json
is "a broken file: $(cat err)" grep -q 'stops.csv:3' err
is "writes nothing" [ ! -e wrong.json ]

finish
