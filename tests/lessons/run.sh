#!/bin/sh
# The lessons tell the truth: every line that a page of doc/lessons quotes comes out of
# the command above it; each exercise fails as it stands; key.md solves it, and what the
# key calls wrong is wrong; index.html is made of the pages as they are.
#
# A quote is a block between ``` lines: commands that begin with "$ xoff", and lines of
# what they print, in any selection.  In key.md a command stands alone; "# no" after it
# says that it is no solution.
#
# usage: run.sh               ends with "lessons: N passed, M failed"
#        run.sh --refresh     writes today's numbers into the quotes, and index.html
set -u
suite=lessons
. "$(dirname "$0")/../support/script.sh"
refresh=
[ "${1-}" = --refresh ] && refresh=yes

# Commands name files from the top folder, and write out/ into the scratch one.
for folder in doc experiments topologies; do
	ln -sfn "$src/$folder" "$folder"
done

xoff()
{
	timeout 120 "$XOFF" "$@" </dev/null
}

# Prints the page with each quoted line as it comes out today; what does not come out at
# all stays.  Differences go to misses.  Lines are the same if they differ in blanks only,
# and akin if they differ in numbers and units as well.
today()	# page
{
	awk -v misses=misses '
	function same(s) { gsub(/ +/, " ", s); sub(/ $/, "", s); return s }
	function akin(s) {
		gsub(/[0-9][0-9,.]*/, "#", s)
		gsub(/#([KMGT]?bps|[KMGT]i?B|[numpk]?s|B)/, "#", s)
		return same(s)
	}
	FILENAME ~ /^out\./ {
		k = substr(FILENAME, 5)
		exact[k, same($0)] = 1
		if ((k, akin($0)) in like) like[k, akin($0)] = ""	# two of them: which?
		else like[k, akin($0)] = $0
		next
	}
	/^```/ { inside = !inside; if (inside) { block++; seen = 0 } print; next }
	inside && /^\$ xoff/ { seen = 1; print; next }
	inside && seen && !((block, same($0)) in exact) {
		print FNR ": " $0 >misses
		if (like[block, akin($0)] != "") { print like[block, akin($0)]; next }
	}
	{ print }' "$@"
}

run_blocks()	# page: what the commands of its block K print goes to out.K
{
	rm -rf out out.* misses
	awk '/^```/ { inside = !inside; if (inside) block++; next }
		inside && /^\$ xoff/ { print block, substr($0, 3) }' "$1" >commands
	while read -r block command; do
		# Notes and warnings are part of what one sees.
		eval "$command" >>"out.$block" 2>&1
	done <commands
}

quotes_hold()	# page
{
	run_blocks "$1"
	: >misses
	today out.* "$1" >page.new
	if [ -n "$refresh" ]; then
		cmp -s page.new "$1" || cp page.new "$1"
		: >misses
		today out.* "$1" >page.new
	fi
	[ -s misses ] && {
		echo "$1 quotes what does not come out (--refresh writes today's numbers):"
		cat misses
	}
	[ ! -s misses ]
}

fails_as_it_stands()	# exercise: status 1 is a rule that failed, 2 would be a broken file
{
	xoff verify --quiet "$1" >out.text 2>&1
	[ $? = 1 ]
}

key_says()	# status, words of a command
{
	want=$1
	shift
	"$@" --quiet >out.text 2>&1
	got=$?
	[ $got = "$want" ] || grep -E '^FAIL|error' out.text
	[ $got = "$want" ]
}

for lesson in experiments/lessons/[0-9][0-9]-*.json; do
	name=${lesson##*/}
	name=${name%.json}
	exercise=doc/lessons/exercises/$name.json
	is "$name: a page" [ -f "doc/lessons/$name.md" ]
	is "$name: the page names the lesson first" \
		[ "$(grep -m1 '^\$ xoff' "doc/lessons/$name.md")" = "\$ xoff run $lesson" ]
	is "$exercise fails as it stands" fails_as_it_stands "$exercise"
	is "$name: a solution in key.md" grep -q "^xoff run $exercise [^#]*\$" doc/lessons/key.md
done

grep '^xoff run ' doc/lessons/key.md >solutions
while read -r line; do
	command=${line%%#*} status=0
	case $line in *'# no'*) status=1 ;; esac
	# shellcheck disable=SC2086
	is "key.md: status $status of: $line" key_says $status $command
done <solutions

for page in doc/lessons/README.md doc/lessons/[0-9][0-9]-*.md; do
	is "$page: its quotes" quotes_hold "$page"
done

[ -n "$refresh" ] && sh doc/lessons/page.sh >page.new && cp page.new doc/lessons/index.html
sh doc/lessons/page.sh >page.new
is "doc/lessons/index.html is that of these pages (--refresh makes it)" cmp -s page.new doc/lessons/index.html

finish
