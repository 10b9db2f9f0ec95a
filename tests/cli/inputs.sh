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

# --------------------------------------------------------------------- explain
mkdir sweep topolgy
ends 0 explain sweep
is "a folder without a run hides no key" grep -q '^sweep$' out
refused 'topolgy holds no run of xoff' explain topolgy
refused 'did you mean the key "topology"?' explain topolgy
ends 0 run two.json -q -o kmin --variant base
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

# -------------------------------------------------------------------- man page
if command -v man >/dev/null; then
	"$XOFF" manual 1 | MANWIDTH=120 man -l - 2>/dev/null | tr -d '\b' >page
	is "tables stay apart from the text below" grep -q '^ *DIR is a directory left by xoff run' page
fi

finish
