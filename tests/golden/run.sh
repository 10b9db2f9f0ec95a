#!/bin/sh
# Nothing moved: the digests in digests.tsv, computed again: once as it is, once
# with the heap for the event queue and all files written.
#
# A row: experiment (from the top folder), variant, seed, digest, and the reason
# it last changed, with tabs between; # starts a comment.  A digest that differs
# does not say that the model is wrong: show by other means that the new
# behaviour is right, then write the new digest and the reason.
#
# usage: run.sh        ends with "golden: N passed, M failed"
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
XOFF=${XOFF-$top/build/xoff}
passed=0 failed=0 tab=$(printf '\t')

[ -x "$XOFF" ] || {
	echo "golden: no program at $XOFF; build first" >&2
	exit 1
}
[ -f "$here/digests.tsv" ] || {
	echo "golden: no digests yet"
	exit 77
}
cd "$top" || exit 1

work=${XOFF_SCRATCH-$(mktemp -d)}/golden

digest_of()	# experiment variant seed option...
{
	file=$1 variant=$2 seed=$3
	shift 3
	timeout 300 "$XOFF" run "$file" --variant "$variant" --seed "$seed" --json --quiet "$@" </dev/null |
		sed -n 's/.*"digest": *"\([0-9a-f]\{16\}\)".*/\1/p'
}

differs()	# how
{
	echo "$experiment, $variant, seed $seed: ${got:-no digest} $1, expected $want ($why)"
	ok=
}

while IFS=$tab read -r experiment variant seed want why; do
	case $experiment in '' | '#'*) continue ;; esac
	ok=yes
	got=$(digest_of "$experiment" "$variant" "$seed")
	[ "$got" = "$want" ] || differs "as it is"
	got=$(digest_of "$experiment" "$variant" "$seed" --queue heap -o "$work" --force)
	[ "$got" = "$want" ] || differs "with the heap and all files"
	if [ -n "$ok" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
done <"$here/digests.tsv"
echo "golden: $passed passed, $failed failed"
[ $failed = 0 ]
