#!/bin/sh
# Every source is in its room's local.mk, and every file named there exists: a
# file left out is neither built nor shipped.
set -u
src=${XOFF_SRC-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$src" || exit 1
bad=0 files=0

complain()
{
	echo "$1"
	bad=$((bad + 1))
}

for room in sim models observe analyze scenario interop sweep cli bench tests; do
	have=$(find $room -name '*.[ch]' 2>/dev/null | LC_ALL=C sort)
	mk=$room/local.mk
	if [ ! -f $mk ]; then
		[ -z "$have" ] || complain "$room/ has sources and no local.mk"
		continue
	fi
	grep -q "^include $mk\$" Makefile.am || complain "Makefile.am does not include $mk"
	words=" $(sed 's/#.*//' $mk | tr -s '\\\t\n' ' ') "
	for f in $have; do
		files=$((files + 1))
		case $words in *" $f "*) continue ;; esac
		# tests/unit/check_foo.c is the default source of tests/unit/check_foo.
		case $f:$words in
		tests/*.c:*" ${f%.c} "* | bench/*.c:*" ${f%.c} "*) continue ;;
		esac
		complain "$f is not listed in $mk"
	done
	for f in $words; do
		case $f in
		$room/*.[ch] | $room/*.sh) [ -f "$f" ] || complain "$mk lists $f, which does not exist" ;;
		tests/*/check_*) [ -f "$f.c" ] || complain "$mk lists $f, but there is no $f.c" ;;
		esac
	done
done

if [ $bad != 0 ]; then
	echo "sources: $bad files amiss"
	exit 1
fi
echo "sources: $files files, all listed"
