#!/bin/sh
# The tests of the page, with node's own runner: run-tests.sh XOFF MODULES
#
# The logic needs node alone; the page needs a program that has it, Chromium and
# the modules of package.json.  77: nothing could be run.
set -u
here=$(cd "$(dirname "$0")" && pwd)
XOFF=${1-${XOFF-}}
REPLAY_MODULES=${2-${REPLAY_MODULES-$here/../node_modules}}
CHROMIUM=${CHROMIUM-$(command -v chromium || command -v chromium-browser || :)}

command -v node >/dev/null || {
	echo 'check-report: skipped, there is no node'
	exit 77
}
if [ -n "$XOFF" ] && "$XOFF" report /nowhere 2>&1 | grep -q 'without its page'; then
	echo "check-report: $XOFF has no page; only the logic is tested"
	XOFF=
fi
[ -n "$CHROMIUM" ] || echo 'check-report: there is no Chromium; only the logic is tested'
export XOFF REPLAY_MODULES CHROMIUM
exec node --test --test-concurrency=1 "$here"/*.test.mjs
