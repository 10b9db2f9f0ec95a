#!/bin/sh
# Input that is wrong, and the exact message, place and exit status it gets.
#
# A case is a folder here:
#
#   experiment.json   run as `xoff run experiment.json -o out', or
#   cmd               the arguments of xoff on one line, quoted as for a shell, or
#   cmd.sh            a shell script that runs "$XOFF" itself
#   error             what must come out on stderr, to the byte
#   exit              the exit status (2 where the file is absent)
#   setup             optional: a shell script that makes files too big to keep
#
# Each case runs in a copy of its folder, so paths in messages are relative to
# it.  Where the status is 2, nothing may have been written: neither out nor
# out.partial may exist, unless setup made them.
#
# usage: run.sh [CASE...]     ends with "invalid: N passed, M failed"
set -u
here=$(cd "$(dirname "$0")" && pwd)
XOFF=${XOFF-$here/../../build/xoff}
export XOFF
scratch=${XOFF_SCRATCH-$(mktemp -d)}
passed=0 failed=0
LC_ALL=C
export LC_ALL

fail()
{
	echo "$1: $2"
	ok=
}

run_case()
{
	name=$1 dir=$scratch/$1 ok=yes
	rm -rf "$dir"
	cp -R "$here/$name" "$dir" && chmod -R u+w "$dir" && cd "$dir" || exit 1
	want=2
	[ ! -f exit ] || read -r want <exit
	[ ! -f setup ] || sh ./setup || fail "$name" "its setup failed"
	before=$(ls -d out out.partial 2>/dev/null)

	if [ -f cmd.sh ]; then
		timeout 120 sh ./cmd.sh >../stdout 2>../stderr </dev/null
	elif [ -f cmd ]; then
		eval "set -- $(cat cmd)"
		timeout 120 "$XOFF" "$@" >../stdout 2>../stderr </dev/null
	else
		timeout 120 "$XOFF" run experiment.json -o out >../stdout 2>../stderr </dev/null
	fi
	got=$?

	[ $got = "$want" ] || fail "$name" "exit status $got, expected $want"
	diff -u error ../stderr >../diff || fail "$name" "stderr is not what $name/error says:
$(head -c 4000 ../diff)"
	if [ "$want" = 2 ] && [ "$(ls -d out out.partial 2>/dev/null)" != "$before" ]; then
		fail "$name" "it left something behind: $(ls -d out out.partial 2>/dev/null)"
	fi
	cd "$scratch" && rm -rf "$dir"
	if [ -n "$ok" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
}

[ -x "$XOFF" ] || {
	echo "invalid: no program at $XOFF; build first" >&2
	exit 1
}
mkdir -p "$scratch" || exit 1
if [ $# = 0 ]; then
	set -- $(cd "$here" && for d in */; do [ -f "$d/error" ] && echo "${d%/}"; done)
fi
if [ $# = 0 ]; then
	echo "invalid: no cases yet"
	exit 77
fi
for case; do
	run_case "$case"
done
[ -n "${XOFF_SCRATCH-}" ] || rm -rf "$scratch"
echo "invalid: $passed passed, $failed failed"
[ $failed = 0 ]
