#!/bin/sh
# The lessons tell the truth: every line that a page of doc/lessons quotes comes out of
# the command above it, and so do the numbers of its prose; each exercise fails as it
# stands; key.md solves it, and what the key calls wrong is wrong; index.html is made of
# the pages as they are.
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

# Commands name files from the top folder, and write into the scratch one, where runs stay from page
# to page, as for who reads one after the other.
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
	rm -f out.[0-9]* misses
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
	today out.[0-9]* "$1" >page.new
	if [ -n "$refresh" ]; then
		cmp -s page.new "$1" || cp page.new "$1"
		: >misses
		today out.[0-9]* "$1" >page.new
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
	"$@" >out.text 2>&1
	got=$?
	name=${3##*/}
	{ echo "$@"; cat out.text; } >>"said.${name%.json}"
	[ $got = "$want" ] || grep -E '^FAIL|error' out.text
	[ $got = "$want" ]
}

# Numbers that a reader reckons: the page, the number, and how.
cat >reckoned <<END
01-incast 1,960 eight times 1 MB in packets of 4096 bytes
02-headroom 12,500 bytes: 100 Gb/s times 1 us
10-loop 32 4 Gb/s times 16 / 2
10-loop 48 6 Gb/s times 16 / 2
10-loop 24 6 Gb/s times 8 / 2
key 2.6 70 Gb/s times 300 us, in MB
key 40.8 6 times 6.8 Gb/s
key 6.67 40 Gb/s / 6
key 419 us: 65535 quanta of 512 bits at 40 Gb/s, and half of that
END

# Each number of two digits and more (zeros at its ends apart) in the text between the quotes is among
# those that the commands print or the lesson's files hold, rounded to as many places as it has; or it
# is reckoned.  A line that names another lesson may have numbers of any.  In key.md the text is that of one lesson, remarks behind commands included.
prose_holds()	# page, name of the lesson
{
	awk -v page="$1" -v lesson="$2" '
	function numbers(line, list,    n, s) {
		n = 0
		while (match(line, /[0-9][0-9,]*(\.[0-9]+)?/)) {
			s = substr(line, RSTART, RLENGTH)
			sub(/,$/, "", s)
			# names and files: h7, 4-gbps, 01-incast.json
			list[++n] = RSTART > 1 && substr(line, RSTART - 1, 1) ~ /[A-Za-z_\/-]/ ? "" : s
			if (substr(line, RSTART + RLENGTH) ~ /^[-A-Za-z0-9_]*\.(json|md)/ && FILENAME == page) list[n] = ""
			line = substr(line, RSTART + RLENGTH)
		}
		return n
	}
	FILENAME == "reckoned" { known[$1, $2] = 1; next }
	FILENAME != page {
		gsub(/[A-Za-z_\/-]+/, " ")
		own = FILENAME !~ /^said/ || FILENAME == "said." lesson
		for (i = numbers($0, list); i; i--) {
			gsub(/,/, "", list[i])
			others[list[i] + 0] = 1
			if (own) pool[list[i] + 0] = 1
		}
		next
	}
	page ~ /key.md$/ && /^## / { here = $2 + 0 == lesson + 0 }
	page ~ /key.md$/ && !here { next }
	/^```/ { inside = !inside; next }
	inside && !sub(/^xoff run .*#/, "") { next }
	{
		names = gsub(/[Ll]essons? [0-9]+(( and|,| to) [0-9]+)*/, "")
		for (i = numbers($0, list); i; i--) {
			digits = value = list[i]
			gsub(/,/, "", value)
			gsub(/[,.]/, "", digits)
			sub(/^0+/, "", digits)
			if (list[i] !~ /\./) sub(/0+$/, "", digits)
			if (length(digits) < 2 || (page ~ /key.md$/ ? ("key", list[i]) in known : (lesson, list[i]) in known))
				continue
			places = list[i] ~ /\./ ? length(list[i]) - index(list[i], ".") : 0
			found = 0
			for (x in others)
				if ((x in pool || names) && (x - value) ^ 2 <= 0.2501 * 100 ^ -places) { found = 1; break }
			if (!found) { print page ":" FNR ": " list[i] " does not come out: " $0; bad = 1 }
		}
	}
	END { exit bad }' reckoned said.* "experiments/lessons/$2.json" "doc/lessons/exercises/$2.json" "$1"
}

for lesson in experiments/lessons/[0-9][0-9]-*.json; do
	name=${lesson##*/}
	name=${name%.json}
	exercise=doc/lessons/exercises/$name.json
	is "$name: a page" [ -f "doc/lessons/$name.md" ]
	is "$name: the page names the lesson first" \
		[ "$(grep -m1 '^\$ xoff' "doc/lessons/$name.md")" = "\$ xoff run $lesson" ]
	is "$exercise fails as it stands" fails_as_it_stands "$exercise"
	xoff run "$exercise" >"said.$name" 2>&1
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
	name=${page##*/}
	[ "$name" = README.md ] || cat out.[0-9]* >>"said.${name%.md}"
done
for page in doc/lessons/[0-9][0-9]-*.md; do
	name=${page##*/}
	name=${name%.md}
	is "$page: the numbers of its prose" prose_holds "$page" "$name"
	is "key.md: the numbers of its prose on $name" prose_holds doc/lessons/key.md "$name"
done

[ -n "$refresh" ] && sh doc/lessons/page.sh >page.new && cp page.new doc/lessons/index.html
sh doc/lessons/page.sh >page.new
is "doc/lessons/index.html is that of these pages (--refresh makes it)" cmp -s page.new doc/lessons/index.html

finish
