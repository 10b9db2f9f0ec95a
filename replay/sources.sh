#!/bin/sh
# Prints a sum of what the page of `xoff report' is made of: sources.sh SRC, this folder;
# sources.sh SRC PAGE prints that which a built page carries, or nothing.
#
# The two differ when the page is older than its sources (or newer).
set -eu
LC_ALL=C
export LC_ALL
if [ $# = 2 ]; then
	[ ! -s "$2" ] || sed -n 's/.*<meta name="xoff-page-sources" content="\([0-9-]*\)">.*/\1/p' "$2"
	exit
fi
cd "$1"
cat build.mjs package-lock.json src/*.css src/*.html src/*.js | cksum | tr ' ' -
