#!/bin/sh
# Each allocation and each output operation of a run with all outputs fails once, and
# the disk fills up at each.  Whatever it is: a clear error, exit status 4, and no folder
# that looks like a whole run.  (An allocation that can be done without, as a library's
# own fallback: status 0, and the very files of a run without failure.)
#
# The same of the commands that write one file: it is whole, or not there.  (An experiment
# of `check --emit' is written anew until one deadlocks: a former one may be there, whole.)
#
# Some points in `make check', all with XOFF_CHECK=long; AT=memory:17 tries that one
# alone and says more.  Failing once: tests/inject/shim.c.
set -u
suite=inject
. "$(dirname "$0")/../support/script.sh"
shim=${XOFF_BUILD-$src/build}/tests/inject/shim.so
[ -z "${XOFF_SANITIZE-}" ] || { echo "skipped: the sanitizers' allocator cannot be replaced"; exit 77; }
[ -z "${XOFF_COVERAGE-}" ] || { echo "skipped: what counts the lines does not bear a failing malloc"; exit 77; }
[ -f "$shim" ] || { echo "skipped: $shim is not there"; exit 77; }

# A list too long to stand in resolved.json, of flows that begin after the run.
cp "$here/all-outputs.json" . && awk 'BEGIN { print "from,to,size,start"
	for (i = 0; i < 1001; i++) print "h1,h2,1KB,1s" }' >list.csv

# run INJECT : with that failure; its status
run()
{
	rm -rf out out.partial
	LD_PRELOAD=$shim XOFF_INJECT=$1 "$XOFF" run all-outputs.json --quiet -o out \
		--pcap 's0:1' --json >json 2>err </dev/null
}

# The files but for what a clock says.
digest()
{
	(cd "$1" && find . -type f | LC_ALL=C sort | while read -r f; do
		echo "$f"
		sed '/"cost"/,/}/d' "$f"
	done) | cksum
}

# A folder may be there only if it says itself that it is not whole, or lacks nothing
# but its name.
looks_whole()
{
	[ -e out ] || { [ -f out.partial/summary.json ] &&
		! grep -q '"complete": false' out.partial/summary.json &&
		[ "$(digest out.partial)" != "$good" ]; }
}

try()
{
	run "$1"
	got=$?
	case $got in
	0) is "$1: status 0, other files than without a failure" [ "$(digest out)" = "$good" ] ;;
	4)
		is "$1: no message" grep -q '^xoff.*: error: .' err
		if looks_whole; then
			is "$1: status 4, and a folder that looks whole: $(head -n 1 err)" false
		fi
		;;
	*) is "$1: status $got, expected 4: $(head -n 2 err)" false ;;
	esac
	[ -z "${AT-}" ] || { echo "status $got"; cat err; ls -d out* 2>/dev/null; }
}

runs()
{
	"$XOFF" run "$1" --no-expect --quiet >out.txt 2>&1
}

# one_file WORDS... : xoff WORDS -> the file `one'
one_file()
{
	LD_PRELOAD=$shim XOFF_INJECT=none XOFF_INJECT_COUNT=$scratch/count "$XOFF" "$@" >out.txt 2>err
	wanted=$?
	is "xoff $1: status $wanted and no file: $(head -n 1 err)" [ -s one ]
	whole=$(cksum <one)
	read -r ignored writes <count
	k=1
	while [ $k -le "$writes" ]; do
		for plus in '' +; do
			rm -f one
			LD_PRELOAD=$shim XOFF_INJECT=output:$k$plus "$XOFF" "$@" >out.txt 2>err
			is "xoff $1, output:$k$plus: no status 4" [ $? = 4 ]
			is "xoff $1, output:$k$plus: no message" grep -q 'error: .' err
			[ ! -e one ] || [ "$(cksum <one)" = "$whole" ] ||
				is "xoff $1, output:$k$plus: a part of a file" runs one
		done
		k=$((k + 1 + writes / points))
	done
}

points=60
[ "${XOFF_CHECK-}" = long ] && points=1000000
XOFF_INJECT_COUNT=$scratch/count
export XOFF_INJECT_COUNT
run none
is "a run without failure: $(head -n 2 err)" [ $? = 0 ]
[ -s count ] || { echo "skipped: this C library's functions cannot be replaced"; exit 77; }
read -r memory output <count
unset XOFF_INJECT_COUNT
good=$(digest out)
is "the run has few allocations, or they are not seen: $memory" [ "$memory" -gt 300 ]
is "the run has few output operations, or they are not seen: $output" [ "$output" -gt 40 ]

if [ -n "${AT-}" ]; then
	try "$AT"
else
	for kind in memory: output: full:; do
		case $kind in memory:) n=$memory ;; *) n=$output ;; esac
		step=$((n / points + 1)) k=1 plus= point=$kind
		[ $kind = full: ] && plus=+ point=output:
		while [ $k -le "$n" ]; do
			try "$point$k$plus"
			k=$((k + step))
		done
	done
	run none
	rm -rf good
	mv out good
	one_file import sonic "$here/../interop/t0.json" --hosts -q -o one
	one_file import ns3 "$here/../fuzz/ns3/topology.txt" "$here/../fuzz/ns3/flows.txt" -q -o one
	one_file check deadlock "$src/experiments/deadlock/ring.json" --variant base --emit one
	"$XOFF" report good -o one >/dev/null 2>&1 && one_file report good/base -q -o one
	echo "$memory allocations, $output output operations"
fi
finish
