#!/bin/sh
# Prints a C file that holds the page of `xoff report': embed.sh PAGE, or none
# when PAGE is not there (the command then says so).
set -eu
echo '/* Written by replay/embed.sh. */'
echo '#include "cli/report_page.h"'
if [ -n "${1-}" ] && [ -s "$1" ]; then
	echo 'const unsigned char report_page[] = {'
	od -An -v -tu1 "$1" | sed 's/  */,/g; s/^,//; s/$/,/'
	echo '};'
	echo 'const size_t report_page_bytes = sizeof report_page;'
else
	echo 'const unsigned char report_page[] = { 0 };'
	echo 'const size_t report_page_bytes = 0;'
fi
