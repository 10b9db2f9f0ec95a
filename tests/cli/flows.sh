#!/bin/sh
# Traffic of one's own, as its user meets it: flow sizes from a file, the flows.csv of a run as
# the list of another, lists too long to stand in resolved.json.
#
# usage: flows.sh        ends with "flows: N passed, M failed"
set -u
suite=flows
. "$(dirname "$0")/../support/script.sh"

digest() { sed -n 's/.*"digest": "\([0-9a-f]*\)".*/\1/p' "$1"; }

# ------------------------------------------------------------ sizes, and a replay
mkdir -p in/sizes
printf '0 0\n4000 22.93\n64000 93.53\n2000000 100\n' >in/sizes/mine.txt
cat >in/drawn.json <<'END'
{"schema": "xoff.experiment/1", "name": "drawn",
 "topology": {"leaf_spine": {"leaves": 3, "spines": 3, "hosts_per_leaf": 3,
   "host_link": {"rate": "100Gbps", "cable": "5m"}, "fabric_link": {"rate": "40Gbps", "cable": "40m"}}},
 "switch": {"buffer": {"size": "2MiB", "alpha": "1/8"}, "ecn": {"rdma": {"kmin": "30KB", "kmax": "120KB", "pmax": "10%"}}},
 "nic": {"cc": "dcqcn"},
 "traffic": {
   "web": {"poisson": {"hosts": "h*", "cdf": {"file": "sizes/mine.txt"}, "load": "40%"}, "class": "rdma", "stop": "300us"},
   "db": {"incast": {"from": "h[1-5]", "to": "h0", "size": "200KB"}, "class": "rdma", "start": "50us"}},
 "run": {"until": "2ms", "seed": 3}}
END
ends 0 run in/drawn.json --quiet -o drawn
is "the flows met congestion" grep -Eq '"xoff_frames": [1-9]' drawn/summary.json
is "the points stand in resolved.json" grep -q '"64000B", 0.9353' drawn/resolved.json
rm in/sizes/mine.txt
ends 0 run drawn/resolved.json --quiet --json
is "which needs no file" [ "$(digest out)" = "$(digest drawn/summary.json)" ]

# Poisson's flows as a list of the same name, one workload of a file of two.
cat >in/replayed.json <<'END'
{"include": "drawn.json", "name": "replayed",
 "traffic": {"web": {"poisson": null, "stop": null, "list": {"file": "../drawn/flows.csv", "workload": "web"}}}}
END
ends 0 run in/replayed.json --quiet -o replayed
is "a list of what Poisson drew is the same run" [ "$(digest replayed/summary.json)" = "$(digest drawn/summary.json)" ]
is "flow by flow" cmp -s drawn/flows.csv replayed/flows.csv
ends 0 run replayed/resolved.json --quiet --json
is "resolved.json holds the flows" [ "$(digest out)" = "$(digest drawn/summary.json)" ]
ends 0 run in/replayed.json --quiet -o mixed --set run.seed=4
is "with another seed the flows are the same" \
	[ "$(cut -d, -f2,5-8 mixed/flows.csv | sort)" = "$(cut -d, -f2,5-8 drawn/flows.csv | sort)" ]
is "but not their ways" [ "$(digest mixed/summary.json)" != "$(digest drawn/summary.json)" ]

# The rows may stand in any order.
(head -1 drawn/flows.csv && sed 1d drawn/flows.csv | sort -r) >in/shuffled.csv
ends 0 run in/replayed.json --quiet --json --set traffic.web.list.file=in/shuffled.csv
is "the order of rows does not count" [ "$(digest out)" = "$(digest drawn/summary.json)" ]

# ------------------------------------------------------------------- sweeps of files
printf '970 0\n970 1\n' >in/sizes/one.txt
printf '1940 0\n1940 1\n' >in/sizes/two.txt
cat >in/swept.json <<'END'
{"include": "drawn.json", "name": "swept", "traffic": {"db": null}, "run": {"until": "300us"},
 "sweep": {"traffic.web.poisson.cdf.file": ["sizes/one.txt", "sizes/two.txt"]}}
END
ends 0 sweep run in/swept.json --out swept.sqlite
ends 0 sweep list in/swept.json
is "files of a sweep lie beside it: $(cat out)" grep -q 'in/sizes/two.txt' out
sed 's#"sweep".*#"sweep": {"traffic.web.poisson.cdf": ["solar", {"file": "sizes/one.txt"}]}}#' in/swept.json >in/whole.json
ends 0 sweep run in/whole.json --out whole.sqlite

# ------------------------------------------------------------------- long lists
awk 'BEGIN {print "from,to,size_bytes,start_ns"; for (i = 0; i < 1001; i++)
	printf "h%d,h%d,%d,%d\n", i % 8, i % 7 == i % 8 ? 8 : i % 7, 1 + i * 37 % 5000, i * 100}' >in/long.csv
cat >in/long.json <<'END'
{"include": "drawn.json", "name": "long", "switch": {"buffer": {"xoff": "3KB"}}, "topology": {"leaf_spine": {"fabric_link": {"rate": "10Gbps"}}},
 "traffic": {"web": {"poisson": null, "list": {"file": "long.csv"}}}, "variants": {"again": {}}}
END
printf '0 0\n100 1\n' >in/sizes/mine.txt
ends 0 run in/long.json --quiet -o long
is "a long list lies beside resolved.json" [ "$(wc -l <long/base/flows/web.csv)" = 1002 ]
is "in each run's folder" [ -f long/again/flows/web.csv ]
mv in/long.csv in/gone.csv
mv long moved
ends 0 run moved/base/resolved.json --quiet --json
is "and is found from there" [ "$(digest out)" = "$(digest moved/base/summary.json)" ]
ends 0 explain moved/base --what-if
is "what-if finds it, too" grep -q '^  without db  *[0-9.]*ms ' out
cd moved/base || exit 1
"$XOFF" explain . --what-if >../../out 2>&1
is "from there as well" grep -q '^  without db  *[0-9.]*ms ' ../../out
cd ../..
ends 0 check deadlock moved/base/resolved.json

finish
