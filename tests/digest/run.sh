#!/bin/sh
# One digest whatever the compiler and the optimiser (doc/design.md, law 3): the
# kernel and the models, built by others than built the tree, run the same random
# fabrics.  XOFF_CHECK=long takes more of both.
#
# usage: run.sh        ends with "digest: N passed, M failed"
set -u
src=${XOFF_SRC-$(cd "$(dirname "$0")/../.." && pwd)}
build=${XOFF_BUILD-$src/build}
scratch=${XOFF_SCRATCH-$(mktemp -d)}
flags="-std=c11 -ffp-contract=off -fno-fast-math -D_GNU_SOURCE= -w"
variants="gcc:-O0 clang:-O2" seeds=200
[ "${XOFF_CHECK-}" = long ] && variants="gcc:-O0 gcc:-O2 gcc:-O3 clang:-O0 clang:-O2 clang:-O3" seeds=3000

if [ -n "${XOFF_SANITIZE-}${XOFF_COVERAGE-}" ]; then
	echo "digest: skipped, the compilers are what counts here"
	exit 77
fi
[ -f "$build/libmodels.a" ] || {
	echo "digest: nothing is built in $build" >&2
	exit 1
}

cd "$src" || exit 1
own="tests/digest/digests.c tests/support/bed.c tests/support/chance.c tests/support/chance_list.c tests/support/chance_make.c tests/support/chance_wild.c"
all=$(find sim models -name '*.c' | LC_ALL=C sort)

make_one()	# compiler option: builds and runs in a folder of its own
{
	dir=$scratch/$1$2
	mkdir -p "$dir/o"
	# shellcheck disable=SC2086
	(cd "$dir/o" && for f in $own $all; do
		"$1" $2 $flags "-I$src" -c -o "$(echo "$f" | tr / _).o" "$src/$f" || exit 1
	done && "$1" -o ../digests ./*.o -lm) >"$dir/log" 2>&1 &&
		"$dir/digests" "$seeds" >"$dir/out" 2>>"$dir/log"
}

mkdir -p "$scratch/tree"
# shellcheck disable=SC2086
gcc -O2 $flags "-I$src" -o "$scratch/tree/digests" $own "$build/libmodels.a" "$build/libsim.a" -lm &&
	"$scratch/tree/digests" "$seeds" >"$scratch/tree/out" || exit 1

jobs='' passed=0 failed=0
for v in $variants; do
	command -v "${v%%:*}" >/dev/null || {
		echo "digest: there is no ${v%%:*} here"
		continue
	}
	make_one "${v%%:*}" "${v#*:}" &
	jobs="$jobs $v:$!"
done
for j in $jobs; do
	v=${j%:*}
	dir=$scratch/${v%%:*}${v#*:}
	if wait "${j##*:}" && cmp -s "$scratch/tree/out" "$dir/out"; then
		passed=$((passed + 1))
		continue
	fi
	failed=$((failed + 1))
	echo "digest: ${v%%:*} ${v#*:} differs from the build tree:"
	diff "$scratch/tree/out" "$dir/out" | head -5
	head -20 "$dir/log"
done
echo "digest: $passed passed, $failed failed"
[ $failed = 0 ]
