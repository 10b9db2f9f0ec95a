#!/bin/sh
# `xoff check', `xoff headroom' and `xoff thresholds': what they find and what not, and
# that each circle found can be closed: the experiment that --emit writes deadlocks.
#
# usage: check.sh        ends with "check: N passed, M failed"
set -u
suite=check
. "$(dirname "$0")/../support/script.sh"
deadlock=$src/experiments/deadlock

says()	# TEXT : in what was printed last
{
	is "\"$1\" is not in: $(head -5 out)" grep -qF -- "$1" out
}

fabric()	# TOPOLOGY
{
	cat <<END
{"schema": "xoff.experiment/1", "topology": {$1},
 "classes": {"rdma": {"dscp": 3, "tc": 3, "priority": 3, "lossless": true}},
 "switch": {"buffer": {"size": "4MB", "cell": "1B", "xoff": "60KB", "xon_offset": "3KB"}}}
END
}

# ---- who may wait on whom
ends 1 check deadlock "$deadlock/ring.json" --variant base
says 'a CIRCLE (4 groups'
says 'B:2/3 waits on C:2/3'
ends 0 check deadlock "$deadlock/ring.json" --variant up-down
says 'no circle'
ends 1 check deadlock "$deadlock/ring.json" --variant up-down --pairs all
ends 0 check deadlock "$deadlock/clos-bounce.json" --variant up-down
ends 0 check deadlock "$deadlock/flooding.json" --variant drop
ends 1 check deadlock "$deadlock/routing-loop.json" --variant base
says 'some route loops'
ends 1 check deadlock "$src/topologies/ring4-40g.json"

for t in '"leaf_spine": {"leaves": 8, "spines": 4, "hosts_per_leaf": 4}' '"fat_tree": {"k": 4}'; do
	fabric "$t" >fabric.json
	ends 0 check deadlock fabric.json
	says 'no circle'
	says 'every host to every other'
done
ends 0 check deadlock fabric.json --json
says '"priorities_needed": 1'

# ---- failures, and each circle closed
fabric '"leaf_spine": {"leaves": 16, "spines": 4, "hosts_per_leaf": 4}' >fabric.json
ends 0 check deadlock fabric.json --failures 2 --reroute global
says 'two links down, shortest paths anew: 2016 sets in 3 classes: no circle'
ends 0 check deadlock fabric.json --failures 1
ends 1 check deadlock fabric.json --failures 2 --reroute local --emit closed.json
says 'its run deadlocks at'
ends 0 run closed.json
# ... and none with tags that rise at a bounce, a second bounce going lossy
cat >tagged.json <<END
{"schema": "xoff.experiment/1", "include": ["fabric.json"],
 "classes": {"bounced": {"dscp": 2, "tc": 2, "priority": 2, "lossless": true}, "twice": {"dscp": 1, "tc": 1, "priority": 1},
  "cnp": {"dscp": 48, "tc": 7, "priority": 7, "strict": true}},
 "switches": {"leaf*": {"remap": {"tag": {"from": "spine*", "to": "spine*", "class": {"rdma": "bounced", "bounced": "twice"}}}}}}
END
ends 0 check deadlock tagged.json --failures 2
says 'two links down, local bounce: 2016 sets in 3 classes: no circle'
ends 0 check deadlock "$deadlock/whole-port.json" --variant base
ends 1 check deadlock "$deadlock/whole-port.json" --variant 802.3x --emit closed.json
says 'pauses of 802.3x stop whole ports'
says 'closed.json closes it: its run deadlocks at'
ends 0 run closed.json
ends 0 check deadlock "$deadlock/whole-port.json" --variant mixed
for x in ring clos-bounce flooding routing-loop; do
	ends 1 check deadlock "$deadlock/$x.json" --variant base --emit closed.json
	says 'closed.json closes it: its run deadlocks at'
	ends 0 run closed.json
done
for v in base two-classes servers-pause; do
	ends 1 check deadlock "$src/experiments/lab/dual-tor.json" --variant $v --emit closed.json
	says 'closed.json closes it: its run deadlocks at'
	says '2 priorities would have none'
	ends 0 run closed.json
done
# the very streams that lock, with the cure: they do not
cured()	# FILE VARIANT CHANGES : of its witness
{
	ends 1 check deadlock "$src/experiments/$1.json" --variant "$2" --emit closed.json
	says 'closed.json closes it: its run deadlocks at'
	echo '{"schema": "xoff.experiment/1", "include": ["closed.json"], "expect": ["deadlock.found == false"]'"$3}" >cured.json
	ends 0 check deadlock cured.json
	ends 0 verify cured.json
}
cured deadlock/ring third-greedy ', "switches": {"A": {"remap": {"line": {"from": "D", "to": "B", "class": {"ring": "other"}}}}}'
cured deadlock/clos-bounce third-greedy ', "classes": {"up": {"dscp": 2, "tc": 2, "priority": 2, "lossless": true}},
	"switches": {"L*": {"remap": {"tag": {"from": "S*", "to": "S*", "class": {"rdma": "up"}}}}}'
cured deadlock/routing-loop two-above ', "classes": {"back": {"dscp": 1, "tc": 1, "priority": 1}},
	"switches": {"A": {"remap": {"tag": {"from": "B", "to": "B", "class": {"rdma": "back"}}}},
		"B": {"remap": {"tag": {"from": "A", "to": "A", "class": {"rdma": "back"}}}}}'
cured lab/dual-tor base ', "switches": {"T*": {"remap": {"up": {"from": "L*", "to": "L*", "class": {"rdma": "rdma-bounced"}}}}}'
ends 1 check deadlock "$deadlock/flooding.json" --variant base --emit closed.json
sed 's/"flood": true/"drop": true/; s/"deadlock.found == true"/"deadlock.found == false"/' closed.json >cured.json
ends 0 check deadlock cured.json
ends 0 verify cured.json
# each with its cure: none is found, and (xoff verify experiments) none locks
for x in deadlock/ring:dateline deadlock/clos-bounce:tags \
	 deadlock/routing-loop:two-above-tags deadlock/flooding:drop lab/dual-tor:remap \
	 lab/dual-tor:two-classes-remap lab/dual-tor:no-bounce; do
	ends 0 check deadlock "$src/experiments/${x%:*}.json" --variant "${x#*:}"
	says 'no circle'
done
ends 0 check deadlock "$src/experiments/lab/dual-tor.json" --variant two-classes-remap --pairs all
# a circle that changes priority at every switch: found, closed, and named when it stands
cat >mixed.json <<END
{"schema": "xoff.experiment/1", "name": "mixed",
 "topology": {"ring": {"switches": 4, "hosts_per_switch": 2, "host_link": {"rate": "40Gbps", "delay": "100ns"}, "fabric_link": {"rate": "40Gbps", "delay": "100ns"}}},
 "classes": {"rdma": {"dscp": 3, "tc": 3, "priority": 3, "lossless": true}, "two": {"dscp": 2, "tc": 2, "priority": 2, "lossless": true},
  "cnp": {"dscp": 48, "tc": 7, "priority": 7, "strict": true}},
 "switch": {"buffer": {"size": "4MB", "cell": "1B", "xoff": "60KB", "xon_offset": "3KB"}},
 "switches": {"s0,s2": {"remap": {"turn": {"from": "s*", "to": "s*", "class": {"rdma": "two"}}}},
  "s1,s3": {"remap": {"turn": {"from": "s*", "to": "s*", "class": {"two": "rdma"}}}}},
 "routes": {"at0": {"at": "s0", "to": "h[4-7]", "via": "s1"}, "at1": {"at": "s1", "to": "h[0,1,6,7]", "via": "s2"},
  "at2": {"at": "s2", "to": "h[0-3]", "via": "s3"}, "at3": {"at": "s3", "to": "h[2-5]", "via": "s0"}},
 "run": {"until": "1ms"}}
END
ends 1 check deadlock mixed.json --emit closed.json
says 's1:1/2 > s2:1/3 > s3:1/2 > s0:1/3 > s1:1/2'
says 'classes change at 4 switches'
says 'closed.json closes it: its run deadlocks at'
ends 0 run closed.json
says 's0:0/2 > s1:0/3 > s2:0/2 > s3:0/3 > s0:0/2 wait in a circle'
# frames that die before they go round: the circle of the routes is there, and cannot be closed
ends 1 check deadlock "$deadlock/ring.json" --variant base --set nic.ttl=2 --emit closed.json
says 'circle, not reproduced: the run of closed.json does not deadlock'
ends 0 run closed.json
rm -f closed.json
ends 0 check deadlock "$deadlock/ring.json" --variant up-down --emit closed.json
is 'an experiment was written for no circle' [ ! -e closed.json ]

# ---- headroom
ends 0 check headroom fabric.json
says 'headroom: enough'
ends 1 check headroom fabric.json --set switch.buffer.headroom=20KB
says 'LOSS POSSIBLE'
says 'lossless frames can be lost'
# a dynamic limit: 8 frames of 4174 B and the one that crosses; a standing one: 8
cat >dynamic.json <<END
{"schema": "xoff.experiment/1", "name": "dynamic", "run": {"until": "1us"},
 "topology": {"star": {"hosts": 3, "host_link": {"rate": "100Gbps", "cable": "5m"}}},
 "switch": {"buffer": {"size": "16MiB", "cell": "1B", "alpha": "1/8", "headroom": "36000B"}}}
END
ends 0 check headroom dynamic.json
says 'crosses it is in the headroom too: 37566B'
ends 0 check headroom dynamic.json --set switch.buffer.headroom=37566B
is 'a note without need: see out' [ "$(grep -c 'note:' out)" = 0 ]
ends 0 check headroom dynamic.json --set switch.buffer.xoff=100KB
is 'a note of a standing limit: see out' [ "$(grep -c 'note:' out)" = 0 ]
ends 0 check headroom fabric.json --prove leaf0:4
says 'the need of full frames '
is '"exact" means two things' [ "$(grep -c exact out)" = 0 ]
is 'the proof lost something: see out' [ "$(grep -c 'lost 0$' out)" = 3 ]
ends 1 check headroom fabric.json --prove leaf0:4 --set switch.buffer.headroom=20KB
ends 2 check headroom fabric.json --prove leaf0:99

# a partition has its part of a shared headroom pool alone: 225 KB are less than one group needs
cat >part.json <<'END'
{"schema": "xoff.experiment/1", "name": "part", "run": {"until": "2ms"},
 "topology": {"star": {"hosts": 8, "host_link": {"rate": "100Gbps", "cable": "2000m"}}},
 "switch": {"buffer": {"size": "8MB", "cell": "208B", "shared_headroom": "900KB", "headroom": "310KB"}},
 "traffic": {"in": {"incast": {"class": "rdma", "from": "h[0-1]", "to": "h7", "size": "4MB"}}}}
END
ends 0 check headroom part.json
says '3 of 8 groups at the largest need'
ends 0 run part.json
says 'no lossless frame lost'
ends 1 check headroom part.json --set switch.buffer.partitions=4
says 'FINDING: headroom: s0 partition 0 (and 3 more) [225KB]'
says 'its 1/4 of the shared headroom pool (ports 0 to 1), 225000B, is less than the need of one group, 292656B'
says 'headroom: 8 of 8 lossless (port, priority) have too little'
ends 1 check headroom part.json --set switch.buffer.partitions=4 --prove s0:3
says 'with its headroom of 225000B the worst case loses'
ends 0 run part.json --set switch.buffer.partitions=4
is "the run warns: $(cat err)" grep -q 'warning: s0: partition 0 of the shared headroom pool (and 3 more partitions) is too small: one group needs 292656B, it has 225000B$' err
says 'FINDING: a lossless class lost'

# 100G, 300 m, MTU 9216: 2 * 300 * 5 ns = 37500 B, 394 quanta, 9234 + 20, 84 (IEEE: 81308)
ends 1 check headroom fabric.json --set switch.buffer.port_headroom=20KB
says '1 lossless priorities need 33392B'
ends 0 check headroom fabric.json --set switch.buffer.headroom=160000B
says '160000B bear a response of the peer of'
ends 0 headroom --rate 100Gbps --cable 300m --mtu 9216
says '72054'
says '81308B'
ends 0 headroom --rate 100Gbps --cable 5m --mtu 9216 --have 160000 --json
says '"propagation_bytes": 625'
ends 1 headroom --rate 100Gbps --cable 300m --mtu 9216 --have 50KB
says 'NOT ENOUGH'
# The tables that NVIDIA ships for the SN2700 and the SN5640 (pg_profile_lookup.ini of
# sonic-buildimage), all 51 rows: chip, metres of cable, then Gb/s:xoff in bytes.
while read -r asic metres row; do
	for entry in $row; do
		"$XOFF" headroom --rate "${entry%%:*}Gbps" --cable "${metres}m" --mtu 9216 --asic "$asic" --json >out
		is "$asic, $metres m: $entry, not $(grep nvidia_xoff out)" grep -q "\"nvidia_xoff_bytes\": ${entry#*:}," out
	done
done <<'END'
spc1 5 10:29696 25:29696 40:29696 50:29696 100:30720
spc1 40 10:29696 25:31744 40:32768 50:33792 100:38912
spc1 300 10:36864 25:48128 40:59392 50:66560 100:104448
spc5 5 10:20480 25:21504 50:26624 100:44032 200:50176 400:86016
spc5 30 10:20480 25:22528 50:27648 100:48128 200:57344 400:99328
spc5 40 10:20480 25:22528 50:28672 100:49152 200:60416 400:104448
spc5 250 10:23552 25:29696 50:43008 100:76800 200:116736 400:217088
spc5 300 10:23552 25:30720 50:46080 100:83968 200:130048 400:243712
spc5 1000 10:33792 25:54272 50:93184 100:177152 200:317440 400:619520
END
ends 2 headroom --rate 100Gbps --cable 5m --asic tomahawk
is "the ASICs that there are: $(cat err)" grep -q 'no ASIC "tomahawk"; it knows: spc1 spc2 spc3 spc4 spc5$' err
ends 2 headroom --rate 100Gbps
ends 2 headroom --rate 100Gs --cable 1m

# 40G, 10 flows, 5/200 KB, 1 %: 122.6 KB at the fixed point
ends 0 thresholds --rate 40Gbps --flows 10 --kmin 5KB --kmax 200KB --pmax 1%
says '122623B  yours'
ends 0 thresholds --rate 40Gbps --flows 64 --kmin 5KB --kmax 200KB --pmax 1% --json
says '"queue_bytes": null'
ends 2 thresholds --rate 40Gbps --flows 10 --kmin 5KB

# ---- config
ends 1 check config "$src/experiments/incident/mtu-mismatch.json" --variant base
says 'FINDING: mtu: router [1500B]'
ends 0 check config "$src/experiments/incident/mtu-mismatch.json" --variant jumbo
ends 1 check config "$src/experiments/incident/priority-map-mismatch.json" --variant base
says 'DSCP 26'
ends 0 check config "$src/experiments/incident/priority-map-mismatch.json" --variant mended-switch

# who sends packets that are too large, not just any host, and never to itself
for t in 'h1 to h2, which pass it, have up to 4156B|"f": {"flow": {"from": "h1", "to": "h2", "size": "1MB"}}' \
	 'h2 to h1, which pass it, have|"f": {"flow": {"from": "h1", "to": "h2", "size": "1MB", "verb": "read"}}' \
	 'h3 to h1, which passes it, has packets of 1582B|"f": {"stream": {"from": "h3", "to": "h1", "frame": "1600B"}}' \
	 'h0 to h1, were they sent, would pass it, and have up to 4156B|'; do
	cat >mtu.json <<END
{"schema": "xoff.experiment/1", "name": "mtu", "run": {"until": "1ms"}, "switch": {"mtu": "1500B"},
 "topology": {"star": {"hosts": 4, "host_link": {"rate": "100Gbps", "cable": "5m"}}},
 "traffic": {$(printf %s "${t#*|}" | sed 's/}}$/}, "class": "rdma"}/')}}
END
	ends 1 check config mtu.json
	says "${t%%|*}"
done

# ---- usage
ends 2 check dedlock fabric.json
ends 2 check fabric.json --failures 3
ends 2 check fabric.json --variant nobody
ends 2 check nowhere.json

# A PI controller whose integral (10 us x 5000) takes longer than the run: pi_ref hardly matters in it.
ends 0 check config "$src/experiments/papers/pi-marking.json" --variant base
is "none in a second" sh -c '! grep -q "^  note: ecn" out'
ends 0 check config "$src/experiments/papers/pi-marking.json" --variant base --set run.until=49ms --set run.warmup=0ms
is "in 49 ms: $(grep -A1 ecn out)" grep -q 'proportional part after 50ms .* and the run ends at 49ms: pi_ref hardly matters$' out
finish
