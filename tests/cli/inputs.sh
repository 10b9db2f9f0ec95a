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

# -------------------------------------------------------------------- man page
if command -v man >/dev/null; then
	"$XOFF" manual 1 | MANWIDTH=120 man -l - 2>/dev/null | tr -d '\b' >page
	is "tables stay apart from the text below" grep -q '^ *DIR is a directory left by xoff run' page
fi

finish
