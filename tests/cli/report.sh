#!/bin/sh
# xoff report and the age of its page: a page knows of which sources it is, make embeds
# one of others only with a word, and the program then says so too.  What the page shows
# is tested by replay/test (make check-report).
#
# usage: report.sh            ends with "report: N passed, M failed"
set -u
suite=report
. "$(dirname "$0")/../support/script.sh"

mkdir replay empty
cp -R "$src/replay/src" "$src/replay/build.mjs" "$src/replay/package-lock.json" "$src/replay/sources.sh" replay
chmod -R u+w replay

sum()
{
	sh "$src/replay/sources.sh" "$@"
}

embed()	# PAGE : what make does, where there are no modules to build another with
{
	sh "$src/replay/embed.sh" replay empty "$@" >page.c 2>err
}

page_of()	# SUM
{
	printf '<html>\n<meta name="xoff-page-sources" content="%s">\n<!--XOFF-DATA-->\n' "$1" >page.html
}

now=$(sum replay)
is "the same files have the same sum" [ "$now" = "$(sum "$src/replay")" ]
page_of "$now"
is "a page has that of its sources" [ "$(sum replay page.html)" = "$now" ]
is "none has none" [ -z "$(sum replay nowhere.html)" ]
embed page.html
is "a page of these sources is put in without a word" [ ! -s err ]
is "and is not called old" grep -q '^const int report_page_stale = 0;$' page.c
is "all of it" [ "$(tr -cd '0-9,\n' <page.c | grep -c ,)" -gt 3 ]
embed
is "without a page: none" grep -q '^const size_t report_page_bytes = 0;$' page.c
is "which is not old" grep -q '^const int report_page_stale = 0;$' page.c

for file in src/waits.js src/style.css src/page.html build.mjs package-lock.json; do
	cp "replay/$file" kept
	echo ' ' >>"replay/$file"
	is "$file: another sum" [ "$(sum replay)" != "$now" ]
	embed page.html
	is "$file: make says that the page is not of it" grep -q 'is not of the sources in replay; .make report-page && make. builds it anew' err
	is "$file: and the program is told" grep -q '^const int report_page_stale = 1;$' page.c
	cp kept "replay/$file"
done

# The program that is tested has a page of these sources, or says that it has not.
"$XOFF" run "$src/experiments/deadlock/ring.json" --variant base -q --no-expect -o ring >/dev/null
if "$XOFF" report ring -o ring.html 2>err; then
	if [ "$(sum replay ring.html)" = "$now" ]; then
		is "nothing is said of its page's age" sh -c '! grep -q older err'
	else
		is "its page is old, and it says so" grep -q 'note: the page is older than this xoff' err
	fi
else
	is "it has no page, and says so" grep -q 'built without its page' err
fi

finish
