#!/bin/sh
# Runs one test of `make check' (the Makefile calls it): gives it a scratch
# folder of its own in the build tree ($XOFF_SCRATCH), and ends it if it hangs.
#
# XOFF_CHECK=unit   only the unit tests and the lints; all else is skipped
# XOFF_CHECK=long   the tests read it themselves and try more seeds
set -u

for test; do :; done		# the last argument is the test, before it an interpreter

case ${XOFF_CHECK-}:$test in
unit:*tests/unit/* | unit:*tests/lint/*) ;;
unit:*)
	echo "skipped: XOFF_CHECK=unit"
	exit 77
	;;
esac

limit=600
[ "${XOFF_CHECK-}" = long ] && limit=3600

XOFF_SCRATCH=$XOFF_BUILD/tests/scratch/$(echo "${test##*tests/}" | tr / -)
export XOFF_SCRATCH
rm -rf "$XOFF_SCRATCH"
mkdir -p "$XOFF_SCRATCH"

timeout -k 10 "$limit" "$@" </dev/null
status=$?
[ $status = 124 ] && echo "ended after $limit s without a result"
[ $status = 0 ] && rm -rf "$XOFF_SCRATCH"
exit $status
