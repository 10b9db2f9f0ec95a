#!/bin/sh
# `xoff sweep` from the grid to the verdict: points, results that are known, merging,
# the best setting, and the comparison of variants seed by seed.
#
# usage: sweep.sh        ends with "sweep: N passed, M failed"
set -u
suite=sweep
. "$(dirname "$0")/../support/script.sh"

cat >two.json <<'EOF'
{
  "schema": "xoff.experiment/1",
  "name": "two",
  "topology": {"star": {"hosts": 3, "host_link": {"rate": "100Gbps", "delay": "1us"}}},
  "classes": {"rdma": {"dscp": 3, "tc": 3, "priority": 3, "lossless": true}},
  "nic": {"mtu": "1024B", "cc": "none"},
  "traffic": {"web": {"poisson": {"hosts": "h*", "load": 0.3, "cdf": [["1KB", 0], ["100KB", 1]]},
      "stop": "200us", "class": "rdma"}},
  "run": {"until": "2ms", "seed": 1},
  "sweep": {"traffic.web.poisson.load": [0.2, 0.6], "run.seed": "1..3"},
  "variants": {"slow": {"topology": {"star": {"host_link": {"delay": "9us"}}}}}
}
EOF

says()
{
	is "$what: \"$1\" in: $(head -30 out)" grep -qE -- "$1" out
}

what="points"
ends 0 sweep list two.json
is "six points" [ "$(wc -l <out)" = 6 ]
ends 0 sweep list two.json --count --only 1,3-4
is "of a list" [ "$(cat out)" = 3 ]

what="run"
ends 0 sweep run two.json -q -j 2 --variant all -o all.sqlite --shard 1/2
says '3 points run, 0 known before, 0 failed'
ends 0 sweep run two.json -q -j 2 --variant all -o all.sqlite
says '3 points run, 3 known before, 0 failed'
ends 0 sweep run two.json -q -j 2 -o base.sqlite
says 'base.sqlite: 6 points run'
ends 2 sweep run two.json -q --variant fast -o no.sqlite
is "nearest variant" grep -q 'no variant "fast"' err

what="merge"
ends 0 sweep merge base.sqlite all.sqlite -o sum.sqlite

what="best"
ends 0 sweep best all.sqlite --minimize flows.fct_ps.p99
is "the base at the lower load is best: $(head -1 out)" sh -c 'head -1 out | grep -q "^traffic.web.poisson.load=0.2 *flows"'

# 16 us more of two links make every flow slower on every seed.
what="compare"
ends 0 sweep compare all.sqlite -m flows.fct_ps.p50
says '^traffic.web.poisson.load=0.2  flows.fct_ps.p50$'
says '^  base .*us \+- .*\(3\)$'
says '^  slow .*\(3\)   ratio [0-9.]+ \([0-9.]+ \.\. [0-9.]+\)   more$'
says '^  least: base$'
ends 0 sweep compare all.sqlite -m flows.fct_ps.p50 --differences --against slow
says '^  base .* difference -1[0-9.]*us \(-[0-9.]*us \.\. -[0-9.]*us\)   less$'
ends 0 sweep compare all.sqlite -m 'flows.fct_ps.p*' --format markdown
says '^\| traffic.web.poisson.load=0.2 \| p50 \| p99 \| p999 \|$'
says '^\| slow \| .* ↑ \|'
ends 0 sweep compare all.sqlite -m 'flows.by_size.*.slowdown.count' --format csv
is "a row for each: 2 loads, 5 sizes, 2 variants" [ "$(wc -l <out)" = 21 ]
says '^traffic.web.poisson.load=0.2,flows.by_size.upto_10KB.slowdown.count,slow,3,[0-9.]+,[0-9.]+,3,ratio,1,1,1,0$'
ends 0 sweep compare base.sqlite -m flows.fct_ps.p50
says '^  0.6 .*   more$'
ends 0 sweep compare all.sqlite -m flows.fct_ps.p50 --by traffic.web.poisson.load
says '^variant=slow|^ variant=slow'
# The same arrivals for each variant, at each seed.
ends 0 sweep compare all.sqlite -m flows.started --format csv
is "as many flows" [ "$(grep -c ',ratio,1,1,1,0$' out)" = 4 ]

what="wrong"
ends 2 sweep compare all.sqlite
ends 2 sweep compare all.sqlite -m flows.fct_ps.p5
is "nearest metric" grep -q 'did you mean "flows.fct_ps.p50"?' err
ends 2 sweep compare all.sqlite -m flows.fct_ps.p50 --against slwo
is "nearest arm" grep -q 'did you mean "slow"?' err
ends 2 sweep compare all.sqlite -m flows.fct_ps.p50 --confidence 100%
ends 2 sweep compare none.sqlite -m flows.fct_ps.p50
ends 2 sweep frobnicate all.sqlite
if command -v gnuplot >/dev/null; then
	ends 0 sweep compare all.sqlite -m 'flows.by_size.*.slowdown.p99' --figure f.svg
	is "a figure" grep -q '</svg>' f.svg
fi
finish
