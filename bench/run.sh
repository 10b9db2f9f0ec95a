#!/bin/sh
# Runs the benchmark beside the calibration program, in turn, on one core, and
# prints the ratio of packet-hops per second.  $1: folder of the programs.
set -e
dir=$1
pin=
command -v taskset >/dev/null && pin='taskset -c 0'
rate() { sed -n 's/.*packet_hops_per_s \([0-9]*\).*/\1/p'; }
for k in 8 16; do
	floor=$($pin "$dir/netfloor" $k)
	ours=$($pin "$dir/bench" permutation $k)
	floor2=$($pin "$dir/netfloor" $k)
	echo "netfloor           $floor"
	echo "$ours"
	printf '%s\n%s\n%s\n' "$floor" "$ours" "$floor2" | rate | tr '\n' ' ' |
		awk -v k=$k '{ f = ($1 + $3) / 2
			printf "K = %d: %.2f M packet-hops/s, %.2f of the calibration program (%.2f M)\n\n",
				k, $2 / 1e6, $2 / f, f / 1e6 }'
done
$pin "$dir/bench" websearch
$pin "$dir/bench" idle 1000000
