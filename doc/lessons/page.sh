#!/bin/sh
# All lessons as one HTML page, for a class: opens by double click, needs nothing.
# It knows as much of Markdown as the lessons use.
#
# usage: page.sh >index.html
set -eu
cd "$(dirname "$0")"
LC_ALL=C
export LC_ALL

cat <<'END'
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Thirteen lessons on lossless networks</title>
<style>
:root { color-scheme: light dark; --line: #8886; --soft: #8882; --link: #0b57d0; }
@media (prefers-color-scheme: dark) { :root { --link: #8ab4f8; } }
body { font: 18px/1.55 system-ui, sans-serif; max-width: 54rem; margin: 0 auto; padding: 1rem 1.2rem 6rem; }
h1 { font-size: 1.7em; line-height: 1.25; margin: 0 0 .6em; }
h2 { font-size: 1.15em; margin: 1.6em 0 .4em; }
article { border-top: 3px solid var(--line); padding-top: 2.5rem; margin-top: 3.5rem; }
pre { font-size: .78em; line-height: 1.45; background: var(--soft); padding: .8em 1em; white-space: pre-wrap; overflow-wrap: anywhere; border-radius: 6px; }
p, li { max-width: 46rem; }
code { font-family: ui-monospace, monospace; font-size: .92em; }
pre code { font-size: 1em; }
pre b { font-weight: 700; }
table { border-collapse: collapse; } td, th { padding: .15em .8em .15em 0; text-align: left; vertical-align: top; }
a { color: var(--link); }
@media print { body { font-size: 12px; max-width: none; } article { break-before: page; border: 0; margin: 0; } }
</style>
</head>
<body>
<main>
END

for page in README.md [0-9][0-9]-*.md; do
	awk -v page="$page" '
	function close_block() {
		if (para != "") { print "<p>" inline(para) "</p>"; para = "" }
		if (item != "") { print "<li>" inline(item) "</li>"; item = "" }
		if (list != "") { print "</" list ">"; list = "" }
		if (table) { print "</table>"; table = 0 }
	}
	function escape(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); return s }
	function pair(s, mark, tag,    out, n) {	# mark...mark becomes <tag>...</tag>
		out = ""
		while ((n = index(s, mark)) > 0) {
			out = out substr(s, 1, n - 1) (open_tag ? "</" tag ">" : "<" tag ">")
			open_tag = !open_tag
			s = substr(s, n + length(mark))
		}
		open_tag = 0
		return out s
	}
	function words(s) { return pair(pair(s, "**", "strong"), "*", "em") }
	function inline(s,    parts, n, i, out, at, text, to) {
		s = escape(s)
		while (match(s, /\[[^]]*\]\([^)]*\)/)) {
			at = substr(s, RSTART, RLENGTH)
			text = at; sub(/^\[/, "", text); sub(/\].*/, "", text)
			to = at; sub(/^[^(]*\(/, "", to); sub(/\)$/, "", to)
			if (to ~ /^[0-9][0-9]-.*\.md$/) to = "#l" substr(to, 1, 2)
			s = substr(s, 1, RSTART - 1) "<a href=\"" to "\">" text "</a>" substr(s, RSTART + RLENGTH)
		}
		n = split(s, parts, "`")
		out = ""
		for (i = 1; i <= n; i++)
			out = out (i % 2 ? words(parts[i]) : "<code>" parts[i] "</code>")
		return out
	}
	BEGIN {
		id = page ~ /^[0-9]/ ? "l" substr(page, 1, 2) : "start"
		print "<article id=\"" id "\">"
	}
	/^```/ {
		if (!code) { close_block(); printf "<pre><code>" } else print "</code></pre>"
		code = !code
		next
	}
	code {
		print /^\$ / ? "<b>" escape($0) "</b>" : escape($0)
		next
	}
	/^$/ { close_block(); next }
	/^# / { close_block(); print "<h1>" inline(substr($0, 3)) "</h1>"; next }
	/^## / { close_block(); print "<h2>" inline(substr($0, 4)) "</h2>"; next }
	/^\|[-|]*$/ { next }
	/^\|/ {
		if (!table) { close_block(); print "<table>"; table = 1; cell = "th" } else cell = "td"
		s = $0
		sub(/^\| */, "", s); sub(/ *\|$/, "", s)
		n = split(s, c, / *\| */)
		printf "<tr>"
		for (i = 1; i <= n; i++) printf "<%s>%s</%s>", cell, inline(c[i]), cell
		print "</tr>"
		next
	}
	/^- / || /^[0-9]+\. / {
		kind = /^- / ? "ul" : "ol"
		if (list != kind) { close_block(); print "<" kind ">"; list = kind }
		if (item != "") print "<li>" inline(item) "</li>"
		sub(/^(-|[0-9]+\.) /, "")
		item = $0
		next
	}
	list != "" && /^ / { sub(/^ +/, ""); item = item " " $0; next }
	{
		if (list != "") close_block()
		para = para (para == "" ? "" : " ") $0
	}
	END {
		close_block()
		if (page ~ /^[0-9]/) print "<p><a href=\"#start\">All lessons</a></p>"
		print "</article>"
	}' "$page"
done
printf '</main>\n</body>\n</html>\n'
