#!/bin/sh
# What `xoff explain DIR` finds in the experiments that have a known culprit: the
# incident, the storm, the slow receiver, and each deadlock with its circle and
# class; that its times add up to the pause log; and what its options do.
#
# usage: explain.sh        ends with "explain: N passed, M failed"
set -u
suite=explain
. "$(dirname "$0")/../support/script.sh"

# says TEXT : the last story holds it
says()
{
	is "explain $story: \"$1\"" grep -qF -- "$1" out
}

says_not()
{
	is "explain $story: no \"$1\"" sh -c '! grep -qF -- "$1" out' - "$1"
}

# explain WORDS... : the story goes to out
explain()
{
	story=$*
	"$XOFF" explain "$@" >out 2>err </dev/null
	got=$?
	is "explain $story: exit status $got: $(head -1 err)" [ $got = 0 ]
}

# wrong STATUS TEXT WORDS... : explain WORDS ends so and says TEXT
wrong()
{
	want=$1 text=$2
	shift 2
	"$XOFF" explain "$@" >out 2>err </dev/null
	got=$?
	is "explain $*: exit status $got, expected $want" [ $got = "$want" ]
	is "explain $*: \"$text\"" grep -qF -- "$text" err
}

run()	# FILE VARIANT DIR
{
	"$XOFF" run "$src/experiments/$1.json" --variant "$2" --no-expect -q -o "$3" >/dev/null ||
		is "$1 $2 runs" false
}

# Picoseconds that transmitters stood still, by the pause log and by the stops.
pause_log()	{ awk -F, 'NR > 1 { sum += $9 } END { printf "%.0f", sum }' "$1/pauses.csv"; }
stops()
{
	awk -F, -v end="$(sed -n 's/.*"simulated_ps": \([0-9]*\),/\1/p' "$1/summary.json")" \
		'NR > 1 { sum += ($4 == "" ? end : $4) - $3 } END { printf "%.0f", sum }' "$1/stops.csv"
}

# All of it goes back to roots, to the picosecond: by the story, by the sum of the
# roots, of their hops, and of who lost what.
adds_up()	# DIR
{
	log=$(pause_log "$1")
	explain "$1"
	says "attributed $log of $log ps stopped (pfc.paused_ps): all of it"
	is "$1: stops.csv agrees with pauses.csv" [ "$(stops "$1")" = "$log" ]
	explain "$1" --json
	is "$1: roots add up" [ "$(sum '^      "ps": ')" = "$log" ]
	is "$1: hops add up" [ "$(sum '{"depth": .*"ps": ')" = "$log" ]
	is "$1: what was lost adds up" \
		[ $(($(sum '"lost_ps": ') + $(sum '"others_ps": ') + $(sum '"nobody_ps": '))) = "$log" ]
	is "$1: edges add up" [ "$(sum '"waits_for": .*, "ps": ')" = "$log" ]
}

sum()	# PATTERN: of the numbers behind it in out
{
	sed -n "s/.*$1\([0-9]*\).*/\1/p; s/$1\([0-9]*\).*/\1/p" out |
		awk '{ sum += $1 } END { printf "%.0f", sum }'
}

run lab/slow-uplink base slow-uplink
explain slow-uplink
says "goes back to leaf0:4 (to spine0), priority 3"
says "more came to this port than it carries: 25Gbps of its 100Gbps from 1ms on, for a fault"
says "  victims       fast "
adds_up slow-uplink

# ------------------------------------------------------------------- the culprits
run incident/shared-priority-storm base incident
explain incident
says "CONTENTION: 98"
says "goes back to leaf3:6 (to h30), priority 3"
is "the burst brought it" grep -q '^  brought by    burst 9[0-9]' out
is "the database is a victim" sh -c "sed -n '/victims/,/culprits/p' out | grep -q 'db [0-9.]*ms'"
is "so is training" grep -q '^  victims .*train [0-9.]*ms' out
is "the burst is none" sh -c "! sed -n '/victims/,/culprits/p' out | sed '\$d' | grep -q burst"
says_not "DEADLOCK"
adds_up incident
explain incident --json
says '"class": "contention"'
explain incident --flow db
says "FLOW db lost"
says "for contention at leaf3:6 (to h30)"
explain incident --port spine0:3
says "PORT spine0:3 was stopped"
explain incident --port leaf3:6 --prio 3
says "goes back to leaf3:6"
explain incident --at 10ms
says "transmitters stand still"
says "by leaf3: waits for leaf3:6"

# a cause has times of its own: the storm is on from its fault to the end, and nothing comes to the
# port any more that it stops (the fault is at 5 ms; the watchdog ends its stops at 7.6 ms)
run incident/shared-priority-storm storm-watchdog-everywhere guarded
explain guarded
says "  from 5ms to the end: it sent XOFF whatever happened"
is "the stops of the storm end before" grep -q '^  stops  *that go back to it: from 4\.9[0-9]*ms to 7\.6ms$' out
is "contention ends with the storm" grep -q '^  from 2\.0[0-9]*ms to 5\.00[0-9]ms: more came to this port than' out
explain guarded --json
is "in JSON too" sh -c "sed -n '/\"nic_storm\"/,/own_ps/p' out | tr -d ' \\n' | grep -q '\"last_ps\":76[0-9]*,\"cause_first_ps\":5000000000,\"cause_last_ps\":50000000000,'"

run incident/nic-storm base storm
explain storm
says "NIC STORM: 100.0% of the stopped time"
says "goes back to h0 (at leaf0:0), priority 3"
says "a stall, not a deadlock"
says "write "
says_not "DEADLOCK at"
adds_up storm
explain storm --json
says '"class": "nic_storm"'

run incident/slow-receiver base slow
explain slow
is "the receiver comes first" sh -c "grep -m1 'goes back to' out | grep -q '^SLOW RECEIVER.*goes back to h0'"
is "its victim" grep -q '^  victims       victim ' out
adds_up slow

# ------------------------------------------------------------------- the deadlocks
run deadlock/ring third-greedy ring
explain ring
says "IN-LOOP DEADLOCK at 438"
says "4 queues wait in a circle, priority 3, to the end of the run"
says "  A:1 cannot send to B: B:2 has kept it stopped since"
says "  B:1 cannot send to C: C:2"
says "  C:1 cannot send to D: D:2"
says "  D:1 cannot send to A: A:2"
says "Nothing in the future can free them"
says "contention at B:1 (to C), which is part of it"
adds_up ring
explain ring --at deadlock
says "A:1/3 since"
says "root: the deadlock of"
explain ring --dot
is "a graph" grep -q '^digraph waits {$' out
is "with the circle in it" grep -q '"B:1/3" -> "C:1/3"' out

run deadlock/clos-bounce third-greedy clos
explain clos
says "IN-LOOP DEADLOCK"
says "  L1:11 cannot send to S1"
says "  S1:3 cannot send to L3"
says "  L3:12 cannot send to S2"
says "  S2:1 cannot send to L1"
adds_up clos

run deadlock/flooding base flooding
explain flooding
says "DEADLOCK FED FROM OUTSIDE"
says "  La:1 cannot send to T1"
says "  T0:20 cannot send to La"
says "contention at T1:5 (to S5), which is no part of it"
adds_up flooding
explain flooding --json
says '"class": "deadlock_fed_from_outside"'

run deadlock/whole-port 802.3x whole-port
explain whole-port
says "4 queues wait in a circle, priorities 3, 4, to the end of the run"
says "  A:1 cannot send to B: B:2/3 has kept it stopped since "
says ", all for B:1"
adds_up whole-port

for variant in two-above four-above; do
	run deadlock/routing-loop $variant loop-$variant
	explain loop-$variant
	says "IN-LOOP DEADLOCK"
	says "contention at A:1 (to B), which is part of it"
	adds_up loop-$variant
done

# 802.3x pauses that a fault sends are in the pause log, of each priority they stop
cat >global.json <<END
{"schema": "xoff.experiment/1", "name": "global",
 "topology": {"star": {"hosts": 2, "host_link": {"rate": "100Gbps", "cable": "5m"}}},
 "switch": {"pfc": {"mode": "global"}}, "nic": {"pfc": {"mode": "global"}},
 "faults": {"storm": {"pause_frames": {"host": "h1", "class": "rdma", "quanta": 65535, "period": "100us", "frame": "global"}, "at": "1us", "for": "500us"}},
 "traffic": {"s": {"stream": {"from": "h0", "to": "h1", "frame": "1000B", "rate": "50Gbps"}, "class": "rdma"}},
 "run": {"until": "2ms"}}
END
"$XOFF" run global.json -q -o global >/dev/null
log=$(pause_log global)
explain global
says "attributed $log of $log ps stopped (pfc.paused_ps): all of it"
says "goes back to h1 (at s0:1), priority 3"
is "a stop has its pause" [ "$(stops global)" = "$log" ]

# 802.3x of a switch's own: each class is stopped for what the other one did
cat >whole.json <<END
{"schema": "xoff.experiment/1", "name": "whole",
 "topology": {"leaf_spine": {"leaves": 2, "spines": 1, "hosts_per_leaf": 4,
   "host_link": {"rate": "100Gbps", "cable": "5m"}, "fabric_link": {"rate": "400Gbps", "cable": "5m"}}},
 "switch": {"pfc": {"mode": "global"}}, "nic": {"pfc": {"mode": "global"}, "cc": {"none": {}}},
 "classes": {"rdma": {"dscp": 26, "tc": 3, "priority": 3, "lossless": true},
   "bulk": {"dscp": 0, "tc": 0, "priority": 0}},
 "traffic": {"in": {"incast": {"from": ["h4", "h5", "h6", "h7"], "to": "h0", "size": "4MB"}, "class": "rdma"},
   "s": {"stream": {"from": "h5", "to": "h1", "frame": "1000B", "rate": "10Gbps"}, "class": "bulk"}},
 "run": {"until": "3ms"}}
END
"$XOFF" run whole.json -q -o whole >/dev/null
explain whole
says "CONTENTION: 100.0% of the stopped time"
says "goes back to leaf0:0 (to h0), priority 3"
says "  victims       s "
says "leaf0 stopped spine0:0: "
adds_up whole

# ---------------------------------------------------------------------- what if
explain loop-two-above --what-if
says "WHAT IF: the same run with one thing changed"
is "as it was" grep -q '^  as it was  *3\.066ms ' out
is "the other way avoids it" grep -q '^  B to hB the shortest way, not by A  *none ' out
is "the watchdog ends it" grep -q '^  a watchdog on all ports, .* dropped$' out
explain loop-two-above --what-if --json
says '"what_if": ['
explain storm --what-if
is "a NIC watchdog" grep -q '^  NICs stop a storm of theirs after' out
"$XOFF" run "$src/experiments/deadlock/whole-port.json" --variant mixed --no-expect -q >out 2>&1
is "a loss where the ends speak of pauses differently" \
	grep -q 'is what the link needs: the peer obeys pauses of the other kind only (pfc.mode: priority, global)$' out
run lab/slow-uplink base lanes
explain lanes --what-if
is "a slow link, whole" grep -q '^  the link leaf0-spine0 at its whole rate  *0ps ' out
# A cure by the curve must take the place of a PI controller: with it, it changed nothing.
cat >pi.json <<'EOF'
{"schema": "xoff.experiment/1", "name": "pi",
 "topology": {"star": {"hosts": 5, "host_link": {"rate": "100Gbps", "cable": "5m"}}},
 "classes": {"rdma": {"dscp": 3, "tc": 3, "priority": 3, "lossless": true}},
 "switch": {"buffer": {"size": "4MB", "xoff": "150KB"}, "ecn": {"rdma": {"pi_ref": "100KB"}}},
 "nic": {"cc": "dcqcn"},
 "traffic": {"burst": {"incast": {"from": "h[0-3]", "to": "h4", "size": "2MB"}, "class": "rdma"}},
 "run": {"until": "3ms"}}
EOF
"$XOFF" run pi.json -q -o pi >/dev/null
explain pi --what-if
is "marks by the curve, not by the PI controller, change the run" awk '/ as it was / { was = $4 }
	/ marks \(ECN\) from 30KB on/ { cured = $(NF - 1) } END { exit was !~ /ms/ || cured !~ /us/ }' out
explain ring --what-if --budget 1
says "as it was"

# ------------------------------------------------------------------ what is asked
run deadlock/ring up-down quiet
explain quiet
says "no transmitter was ever stopped"
run lab/rnr-timer base rnr
explain rnr
says "no transmitter was ever stopped"
says "44.16ms for receive buffers (RNR timers): that is no pause"
explain quiet --json
says '"class": "quiet"'
"$XOFF" run "$src/experiments/deadlock/routing-loop.json" --no-expect -q -o all >/dev/null
explain all --variant two-above
says "routing-loop two-above"
explain all
says "routing-loop base"
wrong 2 'there are: base, ' all --variant nobody
mkdir nothing
wrong 2 'holds no run of xoff' nothing
wrong 2 'a priority is 0 to 7' ring --prio 8
wrong 2 'no such flow ever waited' ring --flow nobody
wrong 2 'no port (NODE:PORT) or node' ring --port nowhere:1
wrong 2 'the run ended at' ring --at 1s
wrong 2 'there was no deadlock' slow --at deadlock
rm -f slow/stops.csv
wrong 2 'cannot read slow/stops.csv' slow
sed 's/,flows$//' ring/pauses.csv >old && mv old ring/pauses.csv
wrong 2 'run the experiment again' ring
echo 'hA:0,3' >>storm/pauses.csv
wrong 2 'storm/pauses.csv:' storm

finish
