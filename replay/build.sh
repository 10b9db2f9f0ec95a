#!/bin/sh
# Builds the page of `xoff report': build.sh SRC OUT
#
# SRC is this folder (read only), OUT one in the build tree: the modules that
# package-lock.json names go to OUT/node_modules (from npm's registry, unless they
# are there), the page to OUT/dist/report.html.
set -eu
src=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)

fail()
{
	echo "report-page: $*" >&2
	exit 1
}

command -v node >/dev/null && command -v npm >/dev/null ||
	fail 'needs node (18 or newer) and npm; Debian: apt-get install nodejs npm'
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 18 ] ||
	fail "node $(node --version) is too old; 18 or newer is needed"

if ! cmp -s "$src/package-lock.json" "$out/node_modules/.installed" 2>/dev/null; then
	if [ "$src" != "$out" ]; then
		cp "$src/package.json" "$src/package-lock.json" "$out/"
		chmod u+w "$out/package.json" "$out/package-lock.json"
	fi
	(cd "$out" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error \
		--fetch-retries=1 --fetch-retry-maxtimeout=5000 --fetch-timeout=30000) ||
		fail 'npm could not fetch what package-lock.json names'
	cp "$src/package-lock.json" "$out/node_modules/.installed"
	chmod u+w "$out/node_modules/.installed"
fi
REPLAY_MODULES=$out/node_modules node "$src/build.mjs" "$out/dist/report.html"
