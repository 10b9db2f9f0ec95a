#!/bin/sh
# Nothing moved: the digests in digests.tsv, computed again, twice each.
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

digest_of()	# experiment variant seed
{
	timeout 300 "$XOFF" run "$1" --variant "$2" --seed "$3" --json --quiet </dev/null |
		sed -n 's/.*"digest": *"\([0-9a-f]\{16\}\)".*/\1/p'
}

while IFS=$tab read -r experiment variant seed want why; do
	case $experiment in '' | '#'*) continue ;; esac
	ok=yes
	for turn in first second; do
		got=$(digest_of "$experiment" "$variant" "$seed")
		[ "$got" = "$want" ] && continue
		echo "$experiment, $variant, seed $seed: ${got:-no digest} in the $turn run, expected $want ($why)"
		ok=
	done
	if [ -n "$ok" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
done <"$here/digests.tsv"
echo "golden: $passed passed, $failed failed"
[ $failed = 0 ]
