#!/bin/sh
# Fills the tables of doc/results.md from the results of a sweep.
#
#   results.sh PAGE RESULTS.sqlite        what `make results' ends with
#
# In the page, a line <!-- compare ARGUMENTS --> stands before what `xoff sweep compare
# RESULTS ARGUMENTS' prints, and <!-- end --> after it.  Nothing else of the page changes.  $XOFF is the program.
set -eu
page=$1 results=$2
XOFF=${XOFF-xoff}
new=$page.new

copy=1
while IFS= read -r line; do
	case $line in
	"<!-- end -->")
		copy=1 ;;
	esac
	[ $copy = 1 ] && printf '%s\n' "$line"
	case $line in
	"<!-- compare "*" -->")
		words=${line#<!-- compare }
		set -f
		# shellcheck disable=SC2086
		"$XOFF" sweep compare "$results" ${words% -->} </dev/null
		set +f
		copy=0 ;;
	esac
done <"$page" >"$new"
[ $copy = 1 ] || {
	echo "$page: a <!-- compare --> has no <!-- end -->" >&2
	exit 1
}
mv -f "$new" "$page"
