#!/bin/sh
# xoff step: the run is the one of xoff run, event by event; what it says agrees
# with the files of that run; commands come from a pipe, a script, the command line
# and a terminal; a wrong one is told, with the nearest right one.
#
# usage: step.sh        ends with "step: N passed, M failed"
set -u
suite=step
. "$(dirname "$0")/../support/script.sh"

ring=$src/experiments/deadlock/ring.json
cat >share.json <<'END_OF_FILE'
{
  "schema": "xoff.experiment/1",
  "name": "share",
  "about": "Three senders share a port that marks, pauses and loses frames.",
  "topology": {"star": {"hosts": 4, "host_link": {"rate": "100Gbps", "cable": "5m"}}},
  "switch": {"buffer": {"xoff": "60KB"},
             "ecn": {"rdma": {"kmin": "20KB", "kmax": "200KB", "pmax": "20%"}}},
  "nic": {"cc": "dcqcn", "cnp_interval": "4us"},
  "traffic": {"pull": {"incast": {"from": "h[1-3]", "to": "h0", "size": "1MB"}, "class": "rdma"}},
  "faults": {"loss": {"drop": {"node": "h0", "every": 211, "count": 4}}},
  "run": {"until": "1ms"},
  "variants": {"quiet": {"traffic": {"pull": {"incast": {"from": "h1"}}}}}
}
END_OF_FILE

digest() { sed -n 's/.*"digest": "\([0-9a-f]*\)".*/\1/p' "$1"; }
over() { sed -n 's/.*the run is over .*digest \([0-9a-f]*\)$/\1/p' "$1" | tail -1; }
column() {	# FILE NAME : the sum of a column
	awk -F, -v n="$2" 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
		NR > 1 { s += $c[n] } END { print s + 0 }' "$1"
}
first() { awk -F, -v n="$2" 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } NR == 2 { print $c[n] }' "$1"; }
us() { awk -v ps="$1" 'BEGIN { t = sprintf("%.6f", ps / 1e6); sub(/0+$/, "", t); n = index(t, ".")
	while (length(t) - n < 3) t = t "0"; print t "us" }'; }

ends 0 run share.json --variant base --quiet -o share
ends 0 run "$ring" --variant third-greedy --no-expect --quiet -o ring

# ------------------------------------------------------------ the same run
ends 0 step share.json -c run
is "a run in one go has the digest of xoff run" [ "$(over out)" = "$(digest share/summary.json)" ]
ends 0 step share.json -c 'tell frame rate group refresh' -c 'next 5000' -c 'show queues' -c why \
	-c 'run until 400us' -c 'show groups' -c 'show flows' -c 'next 1000000'
is "and so has one event by event" [ "$(over out)" = "$(digest share/summary.json)" ]
ends 0 step "$ring" -V third-greedy -c 'run until deadlock' -c why -c 'run until +1us' -c run
is "and one that deadlocks" [ "$(over out)" = "$(digest ring/summary.json)" ]
ends 0 step share.json -V quiet --set run.until=100us --seed 3 -c run
cp out stepped
ends 0 run share.json --variant quiet --set run.until=100us --seed 3 --json --quiet
is "a variant, with other settings and seed" [ "$(over stepped)" = "$(digest out)" ]

# ------------------------------------------------------------ a link that is slow for a time
ends 0 step "$src/experiments/lab/slow-uplink.json" -V repaired -c 'run until fault' -c next -c 'show port leaf0:4' \
	-c 'run until 1.4ms' -c 'run until fault' -c next -c 'show port leaf0:4'
is "its rate is told" grep -q '^at 1000.000us leaf0 port 4: a fault begins: link slow, now 25Gbps$' out
is "and shown" grep -q '^leaf0:4  100Gbps (now 25Gbps, for a fault), up, to spine0:0$' out
is "and that it is whole again" grep -q '^at 1500.000us leaf0 port 4: a fault ends: link slow, back at 100Gbps$' out
is "and shown, too" grep -q '^leaf0:4  100Gbps, up, to spine0:0$' out

# ------------------------------------------------------------ verbs
cat >verbs.json <<'END_OF_FILE'
{
  "schema": "xoff.experiment/1",
  "name": "verbs",
  "about": "A READ, and SENDs that outrun the one receive buffer.",
  "topology": {"star": {"hosts": 2, "host_link": {"rate": "100Gbps", "cable": "5m"}}},
  "nic": {"recv_queue": 1, "recv_time": "100us"},
  "traffic": {
    "pull": {"flow": {"from": "h0", "to": "h1", "size": "10KB", "verb": "read"}, "class": "rdma"},
    "push": {"flow": {"from": "h0", "to": "h1", "size": "3KB", "count": 2, "verb": "send"}, "class": "rdma"}},
  "run": {"until": "2ms"}
}
END_OF_FILE
ends 0 step verbs.json -c 'tell frame' -c 'next 1000'
is "a READ request goes out" grep -q ' h0 port 0 sends to s0 port 0 a READ request, 78 bytes of h0>h1' out
is "its data comes back" grep -q ' h0 port 0 has received from s0 port 0 data, .* of h1>h0.* the last' out
is "an RNR NAK" grep -q ' h1 port 0 sends to s0 port 1 an RNR NAK, 66 bytes of h1>h0' out
is "and what it means" grep -q ' push h0>h1 finds no receive buffer: it waits 640.000us' out

# ------------------------------------------------ what it says is what there is
all() {		# KINDS : every event of these kinds, one a line
	ends 0 step share.json -c 'hush event' -c "tell $1" -c 'next 1000000'
	grep '^at ' out >events
	wc -l <events
}
is "every XOFF is told: $(all pause)" [ "$(wc -l <events)" = "$(column share/ports.csv xoff_frames)" ]
is "every XON" [ "$(all xon)" = "$(column share/ports.csv xon_frames)" ]
is "every stop" [ "$(all stop)" = "$(column share/ports.csv pauses)" ]
is "every mark" [ "$(all mark)" = "$(column share/ports.csv marked_frames)" ]
is "every message" [ "$(all done)" = 3 ]
is "every loss" [ "$(all drop)" = "$(column share/ports.csv drops_wire)" ]
is "the words of a loss" grep -q '^at .* h0 port 0 priority 3 loses a frame of .* bytes of pull h.>h0: lost on the wire$' events
losses=$(wc -l <events)
is "and after each somebody goes back: $(all resend)" [ "$losses" -gt 0 -a "$(wc -l <events)" -ge "$losses" ]
is "stops sum up to those of ports.csv" [ "$(column share/ports.csv paused_ps)" = "$(
	all go >/dev/null
	sed -n 's/.* goes on after \([0-9.]*\)us.*/\1/p' events | awk '{ s += $1 * 1e6 } END { printf "%.0f\n", s }')" ]
ends 0 step share.json -c 'run until pause'
cp out text
is "the first XOFF is that of pauses.csv: $(tail -1 text)" grep -q "^at $(us "$(first share/pauses.csv xoff_ps)") $(
	first share/pauses.csv sender | sed 's/:/ port /') priority 3 sends XOFF to h[1-3]: its priority group holds $(
	first share/pauses.csv held_bytes | sed 's/\([0-9]*\)\([0-9][0-9][0-9]\)$/\1,\2/') bytes, limit 60,000$" text
deadlock=$(sed -n 's/.*"first_ps": \([0-9]*\).*/\1/p' ring/summary.json | head -1)
ends 0 step "$ring" -V third-greedy -c 'run until deadlock' -c why -c 'show pauses'
is "the deadlock, when and which: $(sed -n 2p out)" grep -q \
	"^at $(us "$deadlock") a deadlock has formed: 4 queues wait in a circle: A:1/3 -> B:1/3 -> C:1/3 -> D:1/3 -> A:1/3$" out
is "why: it stands" grep -q '^a deadlock stands: A:1/3 -> .* nothing to come can free it$' out
is "why: round the circle" grep -q '^  *[0-9,]* bytes wait for .:1/3: the circle closes$' out
is "four switches are stopped" [ "$(grep -c '^[A-D]:1/3 ' out)" = 4 ]

# Pauses of 802.3x stop whole ports: the tree goes on by the groups that are in XOFF, whatever their priority.
ends 0 step "$src/experiments/deadlock/whole-port.json" -V 802.3x -c 'run until pause' -c 'next 3' \
	-c 'run until deadlock' -c why -c 'show pauses'
is "an XOFF for another priority's sake" grep -q \
	'^at [0-9.]*us C port 0 priority 3 sends XOFF to hC: the whole port stops, for another priority; its group holds 0 bytes$' out
is "and its own" grep -q 'C port 0 priority 4 sends XOFF to hC: its priority group holds 100,000 bytes, limit 100,000$' out
is "why: by the group of another priority" grep -q '^B:1/4, stopped for .* by C:2: its group of priority 3 holds 109,000 bytes, limit 100,000$' out
is "why: round the circle of both" grep -q '^  *[0-9,]* bytes wait for C:1/3: the circle closes$' out
is "no XON is on its way" sh -c '! grep -q "XON is on its way" out'
is "pauses: by whom, and what it holds" grep -q '^A:1/4  *B:2/3 .* 104,000$' out
is "whatever its own group holds" [ "$(grep -c '^[A-D]:1/[34] .* 0$' out)" = 0 ]

# In a line of switches the tree goes from the victim to the root.
ends 0 step "$src/experiments/incident/shared-priority-storm.json" -c 'run until 2.5ms' -c 'why leaf2'
is "why: who is stopped" grep -q '^leaf2:8/3, stopped for [0-9.]*us by spine0:2: its group holds' out
is "why: by what, and for what" grep -q '^  [0-9,]* bytes wait for spine0:3/3, stopped for .* by leaf3:8' out
is "why: the root" grep -q '^    [0-9,]* bytes wait for leaf3:6/3, which sends: ROOT, its queue holds [0-9,]* bytes from 2 ports$' out
ends 0 step "$src/experiments/incident/shared-priority-storm.json" -V storm-unguarded \
	-c 'run until storm' -c 'run until +100us' -c why
is "a storm is told" grep -q '^at 5000.000us h30.* a fault begins: NIC pause storm$' out
is "and is the root" grep -q 'leaf3:6/3, stopped for .* by h30:0: ROOT, its NIC storms$' out

# -------------------------------------------------------------- commands
cat >script <<'END_OF_FILE'
# a comment, and an empty line

n
next 2   # three events in all
restart
n
run until event on h2
run until flow on h3>h0
show port s0:0
help
quit
this is not read
END_OF_FILE
ends 0 step share.json --script script
is "a script is printed as a session" [ "$(grep -c '^(t=' out)" = 9 ]
is "restart begins anew" [ "$(grep -A1 ') n$' out | grep '^at' | sort -u | wc -l)" = 1 ]
is "an event of a flow" grep -q '^at .* pull h3>h0 has arrived whole: 1,000,000 bytes in ' out
is "a port" grep -q '^s0:0  100.0Gbps, up, to h0:0$\|^s0:0  100Gbps, up, to h0:0$' out
is "help" grep -q '^  \* deadlock  a deadlock forms or is cleared$' out
"$XOFF" step share.json <script >out2
is "the same from a pipe" cmp out out2
for place in h2 h3:0 s0:2 s0:3/3; do
	words=$(echo "$place" | sed 's/^\([^:/]*\)$/\1 port [0-9]*/; s/:/ port /; s,/, priority ,')
	for kind in stop pause; do
		case $kind:$place in stop:s0* | pause:h*) continue ;; esac	# hosts stop, the switch pauses
		ends 0 step share.json -c "run until $kind on $place"
		is "a $kind on $place: $(tail -1 out)" grep -q "^at [0-9.]*us $words .*\(stops\|sends XOFF\)" out
	done
done
ends 0 step share.json
is "nothing to do is no mistake" [ ! -s out ]

wrong() {	# COMMAND MESSAGE
	ends 2 step share.json -c "$1" -c 'show now'
	is "$1: $(cat err)" grep -qF "xoff step: error: --command:1: $2" err
	is "$1: nothing after it" [ "$(grep -c 'events' out)" = 0 ]
}
wrong 'nxet' 'unknown command "nxet"; did you mean "next"?'
wrong 'run until paus' 'unknown kind of event "paus"; did you mean "pause"?'
wrong 'run until 12' '12 needs a unit; did you mean "12us"?'
wrong 'run until pause on h22' 'there is no "h22"; did you mean "h2"?'
wrong 'run until pause on s0:9' 'there is no "s0:9"; wanted NODE, NODE:PORT or NODE:PORT/PRIORITY'
wrong 'run until pause at h2' 'wanted `run until KIND on NAME'
wrong 'show quues' 'unknown thing to show "quues"; did you mean "queues"?'
wrong 'show port s0' 'show port wants a port, such as '
wrong 'why leaf' 'there is no "leaf"'
wrong 'next zero' 'next wants a number'
wrong 'tell pauses' 'unknown kind of event "pauses"; did you mean "pause"?'
ends 2 step share.json -c 'run until 10us' -c 'run until 5us'
is "the past" grep -q 'error: --command:2: 5us is past; .restart. begins anew$' err
ends 2 step share.json -V quite -c n
is "a variant" grep -q 'did you mean "quiet"?' err
ends 2 step share.json --script scirpt
is "a script" grep -q 'cannot read scirpt: .*; did you mean "script"?' err
ends 2 step shar.json -c n
is "a file" grep -q 'did you mean "share.json"?' err

# ---------------------------------------------------------------- Ctrl-C
sed 's/"until": "1ms"/"until": "1000s"/; s/"incast": {"from": "h\[1-3\]", "to": "h0", "size": "1MB"}/"stream": {"from": "h1", "to": "h0", "rate": "greedy"}/; /variants/d; s/"1000s"},/"1000s"}/' \
	share.json >long.json
: >out
"$XOFF" step long.json -c run -c 'show now' >out 2>err &
run=$!
for i in $(seq 200); do
	[ -s out ] && break
	sleep 0.05
done
sleep 0.2
kill -INT $run
wait $run
# a shell without job control starts what is in the background deaf to SIGINT;
# xoff listens all the same
is "interrupted without a terminal: status 130" [ $? = 130 ]
is "and says where" grep -q '^interrupted at ' out
# at a terminal the stretch ends, and the session goes on
if command -v script >/dev/null; then
	mkfifo keys
	script -qec "'$XOFF' step long.json" /dev/null <keys >typed 2>&1 &
	exec 8>keys
	seen() { for _ in $(seq 300); do grep -q "$1" typed && return; sleep 0.05; done; return 1; }
	is "a prompt" seen '(t=0.000us)'
	printf 'rnu\r' >&8
	is "a wrong command does no harm" seen 'did you mean "run"'
	printf 'run\r' >&8
	is "a progress line" seen 'events/s'
	printf '\003' >&8
	is "Ctrl-C ends the stretch" seen 'interrupted at [0-9.]*us'
	printf 'show now\r' >&8
	is "and gives the prompt" seen 'digest so far'
	printf '\003' >&8
	printf 'run until +1us\r' >&8
	is "Ctrl-C at the prompt does nothing" seen 'it is [0-9.]*us'
	printf 'quit\r' >&8
	exec 8>&-
	wait
fi

finish
