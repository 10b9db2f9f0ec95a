#!/bin/sh
# Prints a C file that holds the page of `xoff report': embed.sh SRC OUT PAGE, or none
# when PAGE is not there (the command then says so).
#
# SRC is this folder, OUT one in the build tree.  A page that is not of these sources
# is built anew, as OUT/dist/report.html, where node and the modules are; where they are
# not it is put into the program as it is, a note says so, and so does the command.
set -eu
src=$1 out=$2 page=${3-} stale=0

sources=$(sh "$src/sources.sh" "$src")
if [ -n "$page" ] && [ -s "$page" ] && [ "$(sh "$src/sources.sh" "$src" "$page")" != "$sources" ]; then
	if command -v node >/dev/null && cmp -s "$src/package-lock.json" "$out/node_modules/.installed" &&
		sh "$src/build.sh" "$src" "$out" >&2; then
		page=$out/dist/report.html
	else
		stale=1
		echo "report-page: $page is not of the sources in $src;" \
			"\`make report-page && make' builds it anew (needs node and npm)" >&2
	fi
fi
echo '/* Written by replay/embed.sh. */'
echo '#include "cli/report_page.h"'
if [ -n "$page" ] && [ -s "$page" ]; then
	echo 'const unsigned char report_page[] = {'
	od -An -v -tu1 "$page" | sed 's/  */,/g; s/^,//; s/$/,/'
	echo '};'
	echo 'const size_t report_page_bytes = sizeof report_page;'
else
	echo 'const unsigned char report_page[] = { 0 };'
	echo 'const size_t report_page_bytes = 0;'
fi
echo "const int report_page_stale = $stale;"
