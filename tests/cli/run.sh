#!/bin/sh
# What the commands promise: where results go, what is printed where, exit codes,
# and that two runs leave the same bytes.  Wrong input is for tests/invalid.
#
# usage: run.sh        ends with "cli: N passed, M failed"
set -u
suite=cli
. "$(dirname "$0")/../support/script.sh"

experiment()	# NAME KMIN EXPECT
{
	cat <<END
{
  "schema": "xoff.experiment/1",
  "name": "$1",
  "about": "Three senders share a port; $1.",
  "topology": {"star": {"hosts": 4, "host_link": {"rate": "100Gbps", "cable": "5m"}}},
  "classes": {
    "rdma": {"dscp": 3, "tc": 3, "priority": 3, "lossless": true},
    "cnp": {"dscp": 48, "tc": 6, "priority": 6, "strict": true}},
  "switch": {"ecn": {"rdma": {"kmin": "$2", "kmax": "400KB", "pmax": "5%"}}},
  "nic": {"cc": "dcqcn"},
  "traffic": {
    "pull": {"incast": {"from": "h[1-3]", "to": "h0", "size": "1MB"}, "class": "rdma"}},
  "run": {"until": "1ms"},
  "record": {"series": {"q": {"match": "s0:*", "every": "100us"}}},
  "variants": {"quiet": {"traffic": {"pull": {"incast": {"from": "h1"}}}}},
  "expect": [$3]
}
END
}

files()	{ (cd "$1" && find . -type f | sort | tr '\n' ' '); }
digest() { sed -n 's/.*"digest": "\([0-9a-f]*\)".*/\1/p' "$1"; }
whole="./deadlocks.csv ./events.csv ./flows.csv ./pauses.csv ./ports.csv ./queues.csv ./replay.json ./resolved.json ./series/q.csv ./stops.csv ./summary.json ./switches.csv ./watchdog.csv "

experiment share 100KB '"events > runs.quiet.events", "drops.lossless == 0"' >share.json
experiment other 100KB '"drops.lossless == 0"' >other.json
experiment broken 100KB '"drops.lossless == 0", "flows.fct_ps.p99 < 1us"' >broken.json

# ------------------------------------------------------------------ directories
ends 0 run share.json --quiet -o two
is "nothing on stderr with --quiet" [ ! -s err ]
is "the variants have a directory each" [ "$(files two/base)$(files two/quiet)" = "$whole$whole" ]
is "no other files: $(ls two)" [ "$(ls two | tr '\n' ' ')" = "base quiet summary.json " ]
is "no partial directory stays" [ ! -e two.partial ]
is "summary.json of all runs" [ "$(digest two/summary.json | wc -l)" = 2 ]
ends 0 run share.json --quiet --variant quiet -o one
is "one run alone lies flat in its directory" [ "$(files one)" = "$whole" ]
is "it is the same run" [ "$(digest one/summary.json)" = "$(digest two/quiet/summary.json)" ]
ends 0 run share.json other.json --quiet -o both
is "several experiments have a directory each" [ "$(ls both | tr '\n' ' ')" = "other share summary.json " ]
is "with a summary each" [ -f both/share/summary.json ]
ends 4 run share.json --quiet -o two
is "a run is not replaced" [ -f two/base/flows.csv ]
ends 0 run share.json --quiet --variant base -o two --force
is "--force replaces all of it" [ "$(files two)" = "$whole" ]
ends 0 run share.json --quiet -o slash/
is "a slash at the end does not matter" [ -f slash/base/flows.csv ]

# What a killed run leaves is known as one, and replaced; two at once are not.
sed 's/"until": "1ms"/"until": "1000s"/; s/"incast": {"from": "h\[1-3\]", "to": "h0", "size": "1MB"}/"stream": {"from": "h1", "to": "h0", "rate": "greedy"}/; /variants/d; /expect/d; /"every"/d' \
	share.json | sed 's/"run": {\(.*\)},/"run": {\1}/' >long.json
"$XOFF" run long.json --quiet -o killed >/dev/null 2>&1 &
run=$!
for i in $(seq 200); do
	[ -e killed.partial/resolved.json ] && break
	sleep 0.05
done
ends 4 run share.json --quiet -o killed
is "says that another one is writing" grep -q 'another xoff is writing killed.partial' err
kill -KILL $run
wait $run 2>/dev/null
is "a killed run has no directory" [ ! -e killed ]
is "and what it left is marked" grep -q '"complete": false' killed.partial/summary.json
ends 0 run share.json -o killed
is "the next run takes its place" [ -f killed/base/flows.csv ]
is "and says so" grep -q 'note: killed.partial was left by a run that did not end' err

# ------------------------------------------------------------------ same bytes
ends 0 run share.json --quiet -o again
rm -rf two
ends 0 run share.json --quiet -o two
for d in two again; do
	find $d -name summary.json -exec sed -i '/"cost":/d' {} +
done
is "two runs leave the same bytes" diff -r two again
ends 0 run two/base/resolved.json --quiet --json
is "resolved.json gives the same run" [ "$(digest out)" = "$(digest two/base/summary.json)" ]
for queue in wheel heap; do
	ends 0 run share.json --queue $queue --variant base --json --quiet
	is "--queue $queue: same run" [ "$(digest out)" = "$(digest two/base/summary.json)" ]
done
ends 0 run share.json --json --quiet
sed '/"cost":/d' out >json
is "--json prints what summary.json holds" cmp json two/summary.json
ends 0 run --json --quiet --variant base --no-expect --seed 7 -- share.json
is "one digest" [ "$(digest out | wc -l)" = 1 ]
is "another seed is another run" [ "$(digest out)" != "$(digest two/base/summary.json)" ]
"$XOFF" run - --json --quiet <share.json >out
is "standard input" [ "$(digest out | head -1)" = "$(digest two/base/summary.json)" ]

# ------------------------------------------------------------------ what is said
ends 0 run share.json
is "rules with their values" grep -q '^ok   base: drops.lossless == 0 (0)$' out
ends 0 run share.json --variant base
is "a run that only a rule needs is told of" grep -q '^xoff run: note: quiet runs too' err
is "and not shown" [ "$(grep -c quiet out)" = "$(grep -c runs.quiet out)" ]
ends 1 run broken.json
is "a rule that fails, and why" grep -q '^FAIL base: flows.fct_ps.p99 < 1us (.*): ' out
ends 1 run broken.json --color=always
is "in colour where wanted" grep -q "$(printf '\033')" out
ends 0 run broken.json --no-expect
is "no rule with --no-expect" [ "$(grep -c '^FAIL' out)" = 0 ]
ends 0 run share.json --set expect=[] --set switch.buffer.xoff=50KB --set switch.buffer.headroom=3KB --variant base
is "a loss is the first line: $(head -1 out)" sh -c 'head -1 out | grep -q "^FINDING: a lossless class lost"'
is "a warning before the run" grep -q 'warning: .*headroom' err

# ... and the limit that the lost frames met, with its size
cat >lost.json <<'END'
{"schema": "xoff.experiment/1", "name": "lost", "run": {"until": "2ms"},
 "topology": {"star": {"hosts": 8, "host_link": {"rate": "100Gbps", "cable": "2000m"}}},
 "switch": {"buffer": {"size": "8MB", "cell": "208B", "shared_headroom": "900KB", "headroom": "310KB"}},
 "traffic": {"in": {"incast": {"class": "rdma", "from": "h[0-1]", "to": "h7", "size": "4MB"}}}}
END
ends 0 run lost.json
is "enough: $(head -1 out)" sh -c 'head -1 out | grep -q "^no lossless frame lost"'
for t in 'headroom=100KB|0/3, whose headroom is 100KB where the link needs 292.7KB$' \
	 'partitions=4|1/3, where its 1/4 of the shared headroom pool (225KB) had no room left$' \
	 'shared_headroom=200KB|/3, where the shared headroom pool (200KB) had no room left$' \
	 'port_headroom=100KB|/3, where the port_headroom (100KB) had no room left$' \
	 'descriptors=100|/3, where all 100 descriptors of the switch were in use$' \
	 'egress_lossless=100KB|s0:7/3, where the egress_lossless limit (100KB) had no room left$' \
	 'egress_pool=100KB|s0:7/3, where the egress_pool (100KB) had no room left$'; do
	ends 0 run lost.json --set "switch.buffer.${t%%|*}"
	is "lost with ${t%%|*}: $(head -1 out)" sh -c 'head -1 out | grep -q -e "$1"' - "${t#*|}"
done
# what lies in a list is known only afterwards; the place and the nearest name are told then
experiment list 100KB '"deadlock.cycle.0 == x", "drops.lossless == 0"' >list.json
ends 1 run list.json
is "place of a rule that leads nowhere: $(grep ^FAIL out)" grep -q '^FAIL base: deadlock.cycle.0 == x (null): list.json:16:14: there is no "deadlock.cycle.0"' out
experiment wrong 100KB '"drops.losless == 0"' >wrong.json
ends 0 run wrong.json --no-expect

# A lost ACK belongs to no message: in its place an answer has a number of its own.
cat >answers.json <<'END_OF_FILE'
{"schema": "xoff.experiment/1", "name": "answers",
 "topology": {"star": {"hosts": 3, "host_link": {"rate": "100Gbps", "cable": "5m"}}},
 "classes": {"rdma": {"dscp": 3, "tc": 3, "priority": 3, "lossless": true}},
 "traffic": {"f": {"incast": {"from": "h[1-2]", "to": "h0", "size": "4MB"}, "class": "rdma"}},
 "faults": {"s": {"link_down": {"link": "h2-s0"}, "at": "100us", "for": "1ms"}},
 "run": {"until": "1ms"}}
END_OF_FILE
ends 0 run answers.json --quiet -o answers
is "data lost: $(cat answers/events.csv)" grep -q 'drop_wire,h2:0,3,f h2>h0,' answers/events.csv
is "an ACK lost" grep -q 'drop_wire,s0:2,3,,first of its kind here: 66 bytes$' answers/events.csv

# A receiver that is slow for several faults stays so: 4096 of 4178 bytes of 20G, not of 100G.
cat >slow.json <<'END_OF_FILE'
{"schema": "xoff.experiment/1", "name": "slow",
 "topology": {"star": {"hosts": 2, "host_link": {"rate": "100Gbps", "cable": "5m"}}},
 "classes": {"rdma": {"dscp": 3, "tc": 3, "priority": 3, "lossless": true}},
 "traffic": {"f": {"flow": {"from": "h1", "to": "h0", "size": "1GB"}, "class": "rdma"}},
 "faults": {"x": {"slow_receiver": {"host": "h0", "rate": "20Gbps"}},
   "y": {"slow_receiver": {"host": "h0", "rate": "10Gbps"}, "at": "100us", "for": "100us"},
   "z": {"slow_receiver": {"host": "h0", "rate": "50Gbps"}, "at": "500us", "for": "500us"}},
 "run": {"until": "3ms", "warmup": "1500us"},
 "expect": ["flows.goodput_bps in 19.5Gbps..19.7Gbps"]}
END_OF_FILE
ends 0 run slow.json --quiet

# what starts when the run is over
sed 's/"size": "4MB"/&, "start": "2ms"/; s/"traffic"/"faults": {"f": {"nic_storm": {"host": "h1", "class": "rdma"}, "at": "3ms"}}, &/' lost.json >late.json
ends 0 run late.json
is "traffic: $(cat err)" grep -q 'warning: traffic in starts at 2ms, and the run ends at 2ms: nothing comes of it$' err
is "a fault: $(cat err)" grep -q 'warning: fault f starts at 3ms, and the run ends at 2ms: nothing comes of it$' err
ends 0 check config late.json
is "in check too" grep -q 'it starts at 2ms, and the run ends at 2ms: nothing of it is sent' out
ends 0 run late.json --set run.until=4ms
is "none: $(cat err)" [ "$(grep -c warning: err)" = 0 ]
sed 's/"incast": {.*"start": "2ms"}}/"list": {"flows": ["h0,h1,64KB,10us", "h0,h1,64KB,2ms", "h1,h0,64KB,3ms"], "class": "rdma"}}/' late.json >list.json
ends 0 run list.json
is "of a list: $(cat err)" grep -q 'warning: traffic in: 2 of its 3 flows start when the run is over, at 2ms$' err
ends 0 check config list.json
is "in check" grep -q 'so many of its 3 flows start when the run is over, at 2ms' out
sed 's/h0,h1,64KB,10us/h0,h1,64KB,2s/' list.json >origin.json
ends 0 run origin.json
is "of all of it: $(cat err)" grep -q 'traffic in: 3 of its 3 flows start when .*, at 2ms; "origin" is the time of the list' err
ends 0 check config origin.json
is "in check, too" grep -q 'remedy: the "origin" of the list' out
sed '1s/{/{"variants": {"soon": {"run": {"until": "1ms"}}}, /; s/"until": "2ms"/"until": "4ms"/' late.json >soon.json
ends 0 run soon.json --variant soon
is "a variant that ends sooner than the base: $(cat err)" [ "$(grep -c warning: err)" = 0 ]
ends 0 run soon.json --set run.until=2ms --variant soon
is "both end sooner: $(cat err)" grep -q 'warning: traffic in' err

# what --help offers to change does change the run, and what nothing sets is told
ends 0 --help
change=$(sed -n 's/^  xoff run ring\.json \(--set [^ ]*\) .*/\1/p' out)
ring=$src/experiments/deadlock/ring.json
ends 0 run "$ring" --variant base --json --no-expect
digest out >unchanged
# shellcheck disable=SC2086	# two words
ends 0 run "$ring" --variant base $change --json --no-expect
is "what --help offers changes nothing: $change" [ "$(digest out)" != "$(cat unchanged)" ]
ends 0 explain nic.cc
is "the default of cc: $(sed -n 2p out)" grep -q 'default: none' out

# null removes in every run; a variant that removes the same is content
sed 's/"incast": {"from": "h1"}/"class": "rdma"/; s/"quiet": {/"alone": {"traffic": {"pull": null}}, "bad": {"faults": {"f": {"nic_storm": {"host": "h1", "class": "rdma"}, "at": "1us"}}}, &/' other.json >nulls.json
ends 0 run nulls.json --set traffic.pull=null --variant base --variant alone --json
is "nothing is sent in either" [ "$(grep -c "^        \"started\": 0," out)" = 2 ]
ends 0 run nulls.json --set faults.f=null --variant bad
ends 2 run nulls.json --set faults.g=null --variant bad
is "and what no run has cannot go" grep -q 'no fault "g" to remove' err

# ------------------------------------------------------------------ progress
# A signal that comes before xoff listens must not end it.
: >err
trap '' USR1
"$XOFF" run long.json >/dev/null 2>err &
run=$!
trap - USR1
for i in $(seq 200); do
	kill -USR1 $run 2>/dev/null
	sleep 0.05
	[ -s err ] && break
done
kill -KILL $run
wait $run 2>/dev/null
is "a line on SIGUSR1: $(head -1 err)" grep -qE \
	'^share/base \[1/1\]  [0-9.]+/1000\.0s \([0-9]+%\)  ([0-9.]+M events/s  )?(ETA [0-9]+:[0-9][0-9]  )?XOFF [0-9]+  lossless lost 0$' err
if command -v script >/dev/null; then
	script -qec "stty cols 50; '$XOFF' run long.json --set run.until=1s" /dev/null </dev/null >typed 2>&1 &
	run=$!
	for i in $(seq 200); do
		[ "$(tr '\r' '\n' <typed | grep -c events/s)" -ge 2 ] && break
		sleep 0.05
	done
	kill $run 2>/dev/null
	wait $run 2>/dev/null
	is "at a terminal, no wider than it" [ "$(tr '\r' '\n' <typed | sed -n 's/\x1b.*//; /events/p' | wc -L)" -le 49 ]
	is "and there is one" [ "$(tr '\r' '\n' <typed | grep -c events/s)" -ge 2 ]
fi

# ------------------------------------------------------------------ verify, list
mkdir -p tree/deep && cp share.json tree/b.json && cp other.json tree/deep/a.json && cp broken.json tree/c.json
echo '{"schema": "somebody.else/1"}' >tree/x.json
cp -R two tree/results
ends 1 verify tree --junit verdicts.xml -j 3
cp out three
is "the last line" [ "$(tail -1 out)" = "4 passed, 1 failed" ]
is "a line a rule" grep -q '^ok   share/base: events > runs.quiet.events ([0-9]*)$' out
is "in order of names" [ "$(sed -n 's/^[okFAIL ]* \(.*\)\/base:.*/\1/p' out | uniq | tr '\n' ' ')" = "share broken other " ]
is "five cases in JUnit" [ "$(grep -c '<testcase ' verdicts.xml)" = 5 ]
is "one failure in JUnit" [ "$(grep -c '<failure ' verdicts.xml)" = 1 ]
ends 1 verify tree -j 1
is "the same with one at a time" cmp out three
sed 's/"name": "share"/"name": "share", "slow": true/' share.json >tree/b.json
ends 1 verify tree
is "slow ones are left out" [ "$(tail -1 out)" = "2 passed, 1 failed" ]
ends 1 verify tree --slow
is "unless wanted" [ "$(tail -1 out)" = "4 passed, 1 failed" ]
ends 0 verify other.json
ends 0 list tree
is "list: four lines an experiment" [ "$(grep -c '^    Three senders share a port' out)" = 3 ]
is "list: variants" grep -q '^    variants: quiet$' out

# ------------------------------------------------------------------ help
ends 0 schema
is "a schema" grep -q 'json-schema.org/draft-07' out
ends 0 --version
is "version, compiler, flags" [ "$(grep -cE '^(xoff|commit|compiler|flags|libraries) ' out)" = 5 ]
ends 0 help
for command in $(sed -n '/^commands/,/^$/s/^  \([a-z]*\) .*/\1/p' out); do
	ends 0 help $command
	cp out help.txt
	[ $command = help ] && continue
	ends 0 $command --help
	is "help $command and $command --help agree" cmp out help.txt
done
ends 0 explain kmin
is "explain a setting" grep -q '^switch.ecn.CLASS.kmin ' out
ends 0 explain flows.by_name.pull.fct_ps.p99
is "explain a path of a rule" grep -q 'nearest rank' out
is "and what it is a percentile of" grep -q '^summary.json: flows.fct_ps$' out
ends 0 explain flows.by_name.pull.goodput_bps
is "goodput by name: over the time it had work" grep -q 'last delivery where all of it is done' out
is "and not that of all" [ "$(grep -c '^summary.json: ' out)" = 1 ]
ends 0 explain classes.rdma.goodput_bps
is "of a class" grep -q '^summary.json: classes.NAME.goodput_bps$' out
# one flow of 1 MB in a run of 10 ms: 800 Mbps over the run, and no lossless group
cat >idle.json <<END
{"schema": "xoff.experiment/1", "name": "idle",
 "topology": {"star": {"hosts": 2, "host_link": {"rate": "100Gbps", "cable": "5m"}}},
 "classes": {"rdma": {"dscp": 26, "tc": 3, "priority": 3, "lossless": true}, "web": {"dscp": 0, "tc": 0, "priority": 0}},
 "traffic": {"w": {"flow": {"from": "h0", "to": "h1", "size": "1MB"}, "class": "web"}}, "run": {"until": "10ms"}}
END
ends 0 run idle.json --quiet
is "the goodput of all says over what" grep -q '^FLOWS .* goodput 800Mbps, whole run$' out
is "that of a name is while it sends" grep -q '^  w  *goodput 9[0-9.]*Gbps' out
is "bytes of a lossy class are no lossless group's" grep -q '^note: no pause: no lossless priority group held a byte$' out
for csv in deadlocks events flows pauses ports series/q stops; do
	for column in $(head -1 two/base/$csv.csv | tr ',' ' '); do
		ends 0 explain "$column"
	done
done
# names of nodes, traffic and classes are not ours to explain
for field in $(sed 's/"expect".*//' two/base/summary.json | grep -o '"[a-z_0-9]*":' | tr -d '":' |
	sort -u | grep -vE '^(h[0-9]|s0|pull|q|rdma|cnp|runs|schema)$'); do
	ends 0 explain "$field"
done
"$XOFF" list tree >/dev/full 2>err
is "a full disk under stdout" [ $? = 4 ]

finish
