#!/bin/sh
# Mistakes that need more than one command to be seen; single ones are in tests/invalid.
#
# usage: inputs.sh        ends with "inputs: N passed, M failed"
set -u
suite=inputs
. "$(dirname "$0")/../support/script.sh"

# refused TEXT WORDS... : xoff WORDS ends with 2 and says TEXT
refused()
{
	text=$1
	shift
	ends 2 "$@"
	is "\"$text\" in: $(head -3 err)" grep -qF -- "$text" err
}

# ------------------------------------------------------------------ sweep best
cat >two.json <<'END'
{
  "name": "two",
  "topology": {"star": {"hosts": 3, "host_link": {"rate": "100Gbps", "cable": "5m"}}},
  "classes": {"rdma": {"dscp": 3, "tc": 3, "priority": 3, "lossless": true}},
  "traffic": {"pull": {"incast": {"from": "h[1-2]", "to": "h0", "size": "10KB"}, "class": "rdma"}},
  "run": {"until": "1ms"},
  "sweep": {"run.seed": "1..2"},
  "variants": {"slow": {"topology": {"star": {"host_link": {"rate": "10Gbps"}}}}}
}
END
ends 0 sweep run two.json -q --variant all -o two.sqlite
refused 'no run has a metric "pfc.xof_frames"; did you mean "pfc.xoff_frames"?' \
	sweep best two.sqlite --minimize flows.fct_ps.p99 --where 'pfc.xof_frames < 1000'
refused 'flows.fct_ps.max is a time: 5 needs a unit; did you mean "5us"?' \
	sweep best two.sqlite --minimize flows.fct_ps.p99 --where 'flows.fct_ps.max < 5'
refused 'buffer.peak_bytes is a size' \
	sweep best two.sqlite --minimize flows.fct_ps.p99 --where 'buffer.peak_bytes < 1ms'
ends 0 sweep best two.sqlite --minimize flows.fct_ps.p99 --where 'flows.fct_ps.count > 0' --where 'ecn.marked_ratio < 5%'
is "the base has a name: $(head -1 out)" grep -q '^base  *flows.fct_ps.p99 ' out
is "a variant too" grep -q '^variant=slow ' out

refused '--minimize is for best, not for run' sweep run two.json --minimize flows.failed
refused 'FILE.svg' sweep best two.sqlite --minimize flows.fct_ps.p99 --heat heat.pdf
refused 'this sweep has no setting "varian"; did you mean "variant"?' sweep compare two.sqlite -m flows.failed --by varian
refused 'of those that begin so: "flows.fct_ps.' sweep compare two.sqlite -m flows.fct
refused 'did you mean 95%?' sweep compare two.sqlite -m flows.failed --confidence 95
refused 'two.json is no SQLite file' sweep merge two.json -o merged.sqlite
refused 'did you mean "two.sqlite"?' sweep merge two.sqlit -o merged.sqlite
is "nothing is written" [ ! -e merged.sqlite ]

# --------------------------------------------------------------------- explain
mkdir sweep topolgy
ends 0 explain sweep
is "a folder without a run hides no key" grep -q '^sweep$' out
refused 'topolgy holds no run of xoff' explain topolgy
refused 'did you mean the key "topology"?' explain topolgy
ends 0 run two.json -q -o kmin --variant base
refused 'options are about one' explain sweep --flow pull
refused '--json or --dot' explain kmin --json --dot
refused 'did you mean "s0"?' explain kmin --port s00
ends 0 explain kmin
is "a folder with one does" grep -q 'PAUSE\|no pause\|stopped' out

ends 0 explain preset cdf
for name in paper connectx patched pint sonic microsoft_tor websearch solar; do
	is "$name is listed" grep -qE "(one of|names): .*\\b$name\\b" out
done

# ---------------------------------------------------------------- import sonic
for d in leaf0 leaf1; do
	cat >$d.json <<-END
	{"DEVICE_METADATA": {"localhost": {"hostname": "$d"}},
	 "PORT": {"Ethernet0": {"speed": "100000"}, "Ethernet48": {"speed": "100000"}, "Ethernet52": {"speed": "100000"}}}
	END
done
cat >spine0.json <<'END'
{"DEVICE_METADATA": {"localhost": {"hostname": "spine0"}},
 "PORT": {"Ethernet0": {"speed": "100000"}, "Ethernet4": {"speed": "100000"}},
 "DEVICE_NEIGHBOR": {"Ethernet4": {"name": "leaf1", "port": "Ethernet48"}}}
END
# servers, one with ports like a switch's, and a leaf that is not imported
cat >good.csv <<'END'
leaf0,Ethernet48,spine0,Ethernet0,5m
leaf1,Ethernet48,spine0,Ethernet4,5m
leaf0,Ethernet0,h0,eth0,5m
leaf1,Ethernet0,h1,Ethernet0,5m
leaf0,Ethernet52,leaf3,Ethernet48,5m
END
sed 's/leaf1,Ethernet48/leaf9,Ethernet48/' good.csv >said.csv
sed 's/leaf0,Ethernet48/leaf9,Ethernet48/' good.csv >left.csv
ends 0 import sonic -q --cables good.csv leaf0.json leaf1.json spine0.json -o good.out
is "hosts of the list alone are hosts: $(cat err)" [ ! -s err ]
refused 'said.csv:2:1: error: there is no switch "leaf9" in these files, and DEVICE_NEIGHBOR of spine0 Ethernet4 says "leaf1"' \
	import sonic -q --cables said.csv leaf0.json leaf1.json spine0.json -o said.out
is "nothing is written" [ ! -e said.out ]
ends 0 import sonic -q --cables left.csv leaf0.json leaf1.json spine0.json -o left.out
is "a port that is left over: $(cat err)" grep -qF 'left.csv:1:1: warning: "leaf9" is no switch of these files and becomes a host; did you mean "leaf0", whose Ethernet48 has no cable?' err

sed 's/leaf1,Ethernet0,h1,Ethernet0/leaf9,Ethernet0,h1,eth0/' good.csv >both.csv
ends 0 import sonic -q --cables both.csv leaf0.json leaf1.json spine0.json -o both.out
is "a row of no switch: $(cat err)" grep -qF 'both.csv:4:1: warning: "leaf9" is no switch of these files and its cable is left out; did you mean "leaf1", whose Ethernet0 has no cable?' err

# a leaf that is not imported, at a port that leaf1 does not use
{ grep -v leaf1,Ethernet0 good.csv; echo leaf5,Ethernet0,h5,eth0,5m; echo leaf5,Ethernet48,spine1,Ethernet0,5m; } >edge.csv
ends 0 import sonic -q --cables edge.csv leaf0.json leaf1.json spine0.json -o edge.out
is "a switch that is left out is none: $(cat err)" [ ! -s err ]

# ------------------------------------------------- options that say nothing here
refused '--alpha says nothing without --pool' thresholds --rate 100Gbps --flows 16 --alpha 1/8
refused 'not both' thresholds --rate 100Gbps --flows 16 --pool 16MB --alpha 1/8 --xoff 100KB
refused 'not both' headroom --rate 100Gbps --cable 300m --delay 1us
refused 'it knows: spc1' headroom --rate 100Gbps --cable 5m --asic tomahawk
refused '--small 120% is above 100%' headroom --rate 100Gbps --cable 5m --small 120%
ends 0 headroom --rate 100Gbps --cable 5m --small 50%
refused 'kmin, 1MB, must be below kmax, 200KB' fluid --kmin 1MB
refused 'there is no folder nowhere' fluid --beside nowhere
refused '--plot draws FILE.svg or FILE.png' fluid --plot queue.pdf

# ---------------------------------------------------------- commands on a run
ends 0 run two.json -q -o flat --variant base
refused 'holds one run and is not a folder of several' export perfetto flat --variant base
refused 'two.json is a file; wanted a folder' export perfetto two.json
refused 'flat/summary.json is a file of the run' export perfetto flat -o flat/summary.json
ends 0 export perfetto flat -q -o flat/trace.json
ends 0 export perfetto flat -q -o flat/trace.json
refused 'there is no switch that matches s1; did you mean "s0"?' show pfc counters flat --switch s0 --switch s1
refused '--check-storm is for pfcwd stats, not for pfc counters' show pfc counters flat --check-storm
refused 'the experiment of that run is flat/resolved.json' run flat
refused 'flat/flows.csv is a file; the figures go into a folder' plot flat -o flat/flows.csv
sed 's/"run":/"record": {"series": {"up": {"match": "s0:0", "what": "pause", "every": "100us"}}}, &/' two.json >up.json
ends 0 run up.json -q -o up --variant base
refused 'no queue was sampled in up/series' fluid --beside up

ends 0 run two.json --variant base --set run.warmup=5ms
is "a warm-up that never ends: $(cat err)" grep -q 'the run ends at 1ms, before its warm-up of 5ms does' err
ends 0 run two.json --variant base --set run.warmup=5us
is "one that does" [ "$(grep -c warm-up err)" = 0 ]

# ------------------------------------------------------------------------ step
refused 'there is no "leaf0"; wanted NODE, NODE:PORT or NODE:PORT/PRIORITY, or a flow: NAME or SRC>DST; nodes are' \
	step two.json -c 'run until pause on leaf0'
refused 'did you mean "until"?' step two.json -c 'run untl pause'
refused 'a time cannot be negative' step two.json -c 'run until -5us'
refused 'there is no flow "pul"' step two.json -c 'show flows pul'
ends 0 step two.json -c 'show flows pull' -c 'show flows h1' -c 'show flows h1>h0'

# -------------------------------------------------------------------- man page
if command -v man >/dev/null; then
	"$XOFF" manual 1 | MANWIDTH=120 man -l - 2>/dev/null | tr -d '\b' >page
	is "tables stay apart from the text below" grep -q '^ *DIR is a directory left by xoff run' page
fi

finish
