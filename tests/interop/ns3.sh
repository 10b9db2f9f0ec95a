#!/bin/sh
# An experiment of the ns-3 RDMA simulators in: which file is which, what becomes of each key,
# and what its flows take.
#
# usage: ns3.sh        ends with "ns3: N passed, M failed"
set -u
suite=ns3
. "$(dirname "$0")/../support/script.sh"

says()	{ grep -q -e "$1" "$2"; }
wrong()	# MESSAGE WORDS... : import ns3 WORDS ends with 2, says so, and writes nothing
{
	text=$1
	shift
	ends 2 import ns3 "$@" -o never.json
	is "it says \"$text\": $(head -1 err)" [ "$(head -1 err)" = "$text" ]
	is "and writes nothing" [ ! -e never.json ]
}

# Two switches, 0 and 3, that a link of 400G joins; hosts 1, 2 and 4 at 100G.
mkdir -p sim/mix
cat >sim/mix/topology.txt <<'END'
5 2 4
0 3
0 1 100Gbps 0.001ms 0
0 2 100Gbps 1000ns 0
3 4 100Gb/s 1us 0.001
0 3 400Gbps 2us 0
what stands here is not read
END
cat >sim/mix/flow.txt <<'END'
3
1 2 3 100 1000 2
2 4 3 100 1000 2.000100
4 1 3 100 5000 2.0002
END
cat >sim/mix/config.txt <<'END'
ENABLE_QCN 1
PACKET_PAYLOAD_SIZE 1000 {bytes}
TOPOLOGY_FILE mix/topology.txt
FLOW_FILE mix/flow.txt
SIMULATOR_STOP_TIME 2.01
CC_MODE 1
ALPHA_RESUME_INTERVAL 1
RATE_DECREASE_INTERVAL 4
CLAMP_TARGET_RATE 0
RP_TIMER 300
EWMA_GAIN 0.00390625
FAST_RECOVERY_TIMES 1
RATE_AI 20Mb/s
RATE_HAI 0.2Gb/s
MIN_RATE 1000Mb/s
L2_BACK_TO_ZERO 0
HAS_WIN 0
ACK_HIGH_PRIO 1
LINK_DOWN 5000 0 3
KMAX_MAP 2 100000000000 1600 400000000000 6400
KMIN_MAP 2 100000000000 400 400000000000 1600
PMAX_MAP 2 100000000000 0.2 400000000000 0.2
BUFFER_SIZE 32
PAYLOAD 1000
END

# ------------------------------------------------------------------ what is read
cd sim || exit 1
ends 0 import ns3 mix/config.txt -o x.json
is "the totals: $(cat out)" says '^x.json: 2 switches, 3 hosts, 4 links, 3 flows$' out
is "a key that HPCC does not know is told" says '^ignored: PAYLOAD: no key of HPCC' err
is "so is what differs" says '^approximated: ECMP' err
is "the notes stand in the file" says '^//   approximated: ECMP' x.json
is "nodes keep their ids" says '"3": "switch"' x.json
is "ports are numbered as there" says '"a": "0:3", "b": "3:2", "rate": "400Gbps", "delay": "2us"' x.json
is "a fast port: alpha 1/2, 3 x 400G x 2 us" says '"3-3": {"alpha": "1/2", "headroom": "300000B"}' x.json
is "a NIC's: 1/8, 3 x 100G x 1 us" says '"1-2": {"alpha": "1/8", "headroom": "37500B"}' x.json
is "marks" says '"kmin": "400KB", "kmax": "1600KB", "pmax": "0.2"' x.json
is "alpha's gain" says '"dce_tcp_g": 1020' x.json
is "hyper increase" says '"rpg_hai_rate": "200Mbps"' x.json
is "ACKs" says '"ack_class": "control"' x.json
is "0.001 of packets of 8384 bits" says '"ber": "1.193e-07"' x.json
is "the link that goes down, 5 ms after 2 s" says '"down18": {' x.json
is "is that of 0 and 3" says '"a": "0", "b": "3", "at": "5ms"' x.json
is "the flows are the file itself" says '"list": {"file": "mix/flow.txt", "origin": "2s"}' x.json
is "until" says '"until": "10ms"' x.json

# One packet of 1000 bytes is a frame of 1078, with its preamble 1086: over two links of 100G
# and 1 us 2 x (1086 x 80 ps + 1 us), over 100G, 400G and 100G (1086 x (80 + 20 + 80) ps + 4 us).
ends 0 run x.json -o x --quiet --set 'faults={}'
fct()	{ awk -F, -v src="$1" '$5 == src { print $8 " " $10 }' x/flows.csv; }
is "1 to 2: $(fct 1)" [ "$(fct 1)" = "0 2173760" ]
is "2 to 4: $(fct 2)" [ "$(fct 2)" = "100000000 4195480" ]
is "4 to 1 begins in time" says ',200000000,' x/flows.csv
ends 0 run x.json --quiet --json
is "with its faults it runs, too" says '"finished": 3' out

# From elsewhere, and as three files in any order.
cd ..
ends 0 import ns3 sim/mix/config.txt -o y.json -q
is "the config's folder is looked in" says '"file": "sim/mix/flow.txt"' y.json
is "no note with -q" [ ! -s err ]
ends 0 import ns3 sim/mix/flow.txt sim/mix/topology.txt --name pair -o pair.json
is "a pair has no congestion control" says '"none": {}' pair.json
is "and a name" says '"name": "pair"' pair.json
is "and an end: 10 ms after 2.0002 s" says '"until": "10.2ms"\|"until": "10200us"' pair.json
ends 0 run pair.json --quiet --json
is "it runs" says '"finished": 3' out
is "no note on groups" [ -z "$(grep group pair.json | grep approximated:.*another)" ]
sed '2s/ 3 / 5 /' sim/mix/flow.txt >groups.txt
ends 0 import ns3 groups.txt sim/mix/topology.txt -o groups.json
is "another group is told" says '^approximated: 1 flow of another priority group than 3' err
# ConWeave's flows have no port; ns3-datacenter's topology counts its ToRs
printf '1\n1 2 3 1000 2\n' >five.txt
sed '1s/.*/5 2 2 4/' sim/mix/topology.txt >four.txt
ends 0 import ns3 five.txt four.txt -o forms.json -q
ends 0 run forms.json --quiet --json
is "they run, too" says '"finished": 1' out
for mode in 3:hpcc 7:timely 8:dctcp 10:pint 0:none; do
	sed "s/^CC_MODE.*/CC_MODE ${mode%:*}/" sim/mix/config.txt >sim/mix/cc.txt
	ends 0 import ns3 sim/mix/cc.txt -o cc.json -q
	is "CC_MODE $mode" says "\"${mode#*:}\"" cc.json
	ends 0 run cc.json --quiet
done
is "a CC_MODE that nothing has is told" sh -c '"$0" import ns3 sim/mix/cc.txt -o cc.json 2>&1 | grep -q "^kept: CC_MODE 0 is none of 1 (DCQCN)"' "$XOFF"
sed 's/^SIMULATOR_STOP_TIME.*/SIMULATOR_STOP_TIME 1.5/' sim/mix/config.txt >sim/mix/early.txt
ends 0 import ns3 sim/mix/early.txt -o early.json
is "an end before the flows is told" says '^kept: SIMULATOR_STOP_TIME, 1.5 s, ends the run before the last flow begins, at 2' err
# 70 switches in one row
awk 'BEGIN { print "72 70 71"; for (i = 2; i < 72; i++) printf "%d ", i; print ""; print "0 2 100Gbps 1us 0"
	for (i = 2; i < 71; i++) print i, i + 1, "100Gbps 1us 0"; print "71 1 100Gbps 1us 0" }' >line.txt
printf '1\n0 1 3 100 1000 2\n' >one.txt
ends 0 import ns3 line.txt one.txt -o line.json -q
is "a long row of switches: $(cat out)" says '70 switches, 2 hosts' out
ends 0 run line.json --quiet --json --set nic.ttl=100
is "which a frame crosses" says '"finished": 1' out

# --------------------------------------------------------------------- what is wrong
echo '{"a": 1}' >not.txt
wrong 'not.txt:1:1: error: this is no file of an ns-3 RDMA simulator: a config (KEY VALUE), a topology ("nodes switches links" first) or a flow file (the number of flows first)' not.txt
sed 's/^TOPOLOGY_FILE.*/TOPOLOGY_FILE sim\/mix\/topologi.txt/' sim/mix/config.txt >gone.txt
wrong 'sim/mix/topologi.txt: error: cannot read: No such file or directory; did you mean "sim/mix/topology.txt"?' gone.txt
for t in 's/^PACKET_PAYLOAD_SIZE.*/PACKET_PAYLOAD_SIZE 99999/|PACKET_PAYLOAD_SIZE 99999: Xoff takes 256 to 9000 bytes' \
	's/^\(PMAX_MAP.*\) [0-9.]*$/\1 1.2/|PMAX_MAP: 1.2 is no probability' \
	's/^\(KMIN_MAP.*\) [0-9]*$/\1 99999/|KMIN_MAP has 99999 KB for [0-9]* bps, and KMAX_MAP less: '; do
	sed "${t%%|*}" sim/mix/config.txt >sim/mix/odd.txt
	ends 2 import ns3 sim/mix/odd.txt -o odd.json
	is "${t#*|}: $(cat err)" grep -q "^sim/mix/odd.txt: error: ${t#*|}" err
done
wrong 'error: no file is a topology, and no config names one' sim/mix/flow.txt
wrong 'error: no file is a flow file, and no config names one' sim/mix/topology.txt
wrong 'five.txt:1:1: error: there is one of this kind already: sim/mix/flow.txt' sim/mix/flow.txt five.txt
wrong 'nowhere.txt: error: cannot read: No such file or directory' nowhere.txt
bad()	{ sed "$1" "sim/mix/$2" >bad.txt; }
bad 's/^5 2 4/5 2 9/' topology.txt
wrong 'bad.txt:7:1: error: a node must be a number without sign or exponent, not "what"' bad.txt five.txt
sed '1s/4$/5/; 7s/.*/3 4/' sim/mix/topology.txt >bad.txt
wrong 'bad.txt:7:1: error: a link is "node node rate delay error-rate"; this row has 2 columns' bad.txt five.txt
sed '1s/4$/5/; 7d' sim/mix/topology.txt >bad.txt
wrong 'bad.txt:7:1: error: the first row promises 5 links; here the file ends after 4' bad.txt five.txt
bad 's/^0 3$/0 5/' topology.txt
wrong 'bad.txt:2:3: error: there is no node 5; the first row promises 5, from 0' bad.txt five.txt
bad 's/^0 3$/0 0/' topology.txt
wrong 'bad.txt:2:3: error: switch 0 is there twice' bad.txt five.txt
bad 's/100Gb.s/100Gbs/' topology.txt
wrong 'bad.txt:3:5: error: "100Gbs" is no rate, such as 100Gbps' bad.txt five.txt
bad 's/1000ns/1000/' topology.txt
wrong 'bad.txt:4:13: error: "1000" is no delay, such as 1000ns' bad.txt five.txt
bad 's/0.001$/2/' topology.txt
wrong 'bad.txt:5:17: error: "2" is no error rate from 0 to 1' bad.txt five.txt
bad '4d' flow.txt
wrong 'bad.txt:4:1: error: the first row promises 3 flows; here the file ends after 2' sim/mix/topology.txt bad.txt
bad 's/^RP_TIMER.*/RP_TIMER soon/' config.txt
wrong 'bad.txt:10:10: error: RP_TIMER wants a decimal number, not "soon"' bad.txt sim/mix/topology.txt five.txt
bad 's/^MIN_RATE.*/MIN_RATE 1000Mbs/' config.txt
wrong 'bad.txt:15:10: error: MIN_RATE wants a rate, such as 50Mb/s, not "1000Mbs"' bad.txt sim/mix/topology.txt five.txt
bad 's/^KMIN_MAP.*/KMIN_MAP 2 100000000000 400/' config.txt
wrong 'bad.txt:21:1: error: KMIN_MAP wants 5 values; this row has 3' bad.txt sim/mix/topology.txt five.txt
bad 's/^LINK_DOWN.*/LINK_DOWN 1 1 2/' config.txt
wrong 'bad.txt: error: LINK_DOWN: there is no link between 1 and 2' bad.txt sim/mix/topology.txt five.txt
wrong 'xoff import: error: --hosts is for sonic only' five.txt --hosts

finish
