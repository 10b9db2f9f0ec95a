#!/bin/sh
# Adds up the tests that ran last and ends with a line "N passed, M failed".
#
# usage: summary.sh LOG...    (`make check-summary' names the logs)
#
# A Check program counts its tests ("100%: Checks: 12, Failures: 0, Errors: 0"),
# a runner its cases ("invalid: 41 passed, 0 failed"); any other test counts as
# one.  A test that failed counts as a failure even if it never got to count.
set -u
passed=0 failed=0 skipped=0 broken=

for log; do
	trs=${log%.log}.trs
	result=$(sed -n 's/^:test-result: //p' "$trs" 2>/dev/null | sed -n 1p)
	case $result in
	SKIP*)
		skipped=$((skipped + 1))
		continue
		;;
	PASS*) bad=0 ;;
	*) bad=1 ;;
	esac
	counts=$(awk '
		/^[0-9]+%: Checks: [0-9]+, Failures: [0-9]+, Errors: [0-9]+$/ {
			gsub(/[^0-9 ]/, " ")
			p += $2 - $3 - $4; f += $3 + $4; seen = 1
		}
		/^[a-z]+: [0-9]+ passed, [0-9]+ failed$/ { p += $2; f += $4; seen = 1 }
		END { if (seen) print p + 0, f + 0 }' "$log" 2>/dev/null)
	p=${counts% *} f=${counts#* }
	if [ -z "$counts" ]; then
		p=$((1 - bad)) f=$bad
	elif [ "$bad" = 1 ] && [ "$f" = 0 ]; then
		f=1
	fi
	passed=$((passed + p))
	failed=$((failed + f))
	[ "$f" = 0 ] || broken="$broken $log"
done

for log in $broken; do
	echo "failed: see ${PWD##*/}/$log"
done
[ "$skipped" = 0 ] || echo "$skipped test programs skipped (their logs say why)"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
