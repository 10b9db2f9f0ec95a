#!/bin/sh
# The one rule: a room uses only rooms to its left (doc/design.md, section 2).
#
#   sim <- models <- observe, analyze, scenario <- interop, sweep <- cli
#   inside models: cc, wire, record <- switch, host <- the rest of models
#
# Read off the #include lines.  models/cc/*.c include cc.h and sim/ only (and
# their own header; the registry knows them all).  Jansson is for scenario/,
# interop/ and cli/; GSL for analyze/ and sweep/; tests/ and bench/ are free.
set -u
src=${XOFF_SRC-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$src" || exit 1

find sim models observe analyze scenario interop sweep cli -name '*.[ch]' 2>/dev/null |
LC_ALL=C sort |
awk '
function room_of(path,    part, n) {
	n = split(path, part, "/")
	if (part[1] == "models") {
		if (n > 2)
			return part[1] "/" part[2]
		if (part[2] ~ /^record\.[ch]$/)
			return "models/record"
	}
	return part[1]
}
function exists(path,    line, r) {
	r = (getline line < path) >= 0
	close(path)
	return r
}
function complain(text) {
	printf "%s:%d: %s\n", file, nr, text
	bad++
}
function check(target,    t, base) {
	if (target == "build_id.h" && !exists(target)) {
		if (room != "cli")
			complain("build_id.h is for cli/ alone")
		return
	}
	if (target ~ /(^|\/)\.\.?\//) {
		complain("\"" target "\": name it from the top folder")
		return
	}
	if (!exists(target)) {
		if (exists(dir target))
			target = dir target
		else {
			complain("\"" target "\" is neither in the top folder nor beside the file")
			return
		}
	}
	t = room_of(target)
	if (room == "models/cc" && t == "models/cc") {
		base = file
		sub(/\.[ch]$/, ".h", base)
		if (target != "models/cc/cc.h" && target != base && file !~ /registry\.c$/)
			complain("\"" target "\": an algorithm includes cc.h and sim/ only")
		return
	}
	if (t == room || index(" " may[room] " ", " " t " "))
		return
	complain(room "/ must not use \"" target "\"; it may use: " (may[room] == "" ? "nothing of ours" : may[room]))
}
BEGIN {
	may["sim"] = ""
	may["models/record"] = "sim"
	may["models/cc"] = "sim"
	may["models/wire"] = "sim models/record"
	may["models/switch"] = "sim models/record models/cc models/wire"
	may["models/host"] = may["models/switch"]
	may["models"] = may["models/switch"] " models/switch models/host"
	may["observe"] = may["analyze"] = may["scenario"] = may["models"] " models"
	may["interop"] = may["sweep"] = may["observe"] " observe analyze scenario"
	may["cli"] = may["interop"] " interop sweep"
	external["jansson.h"] = "scenario interop cli"
	external["gsl/"] = "analyze sweep"
	external["check.h"] = ""
}
{
	file = $0
	room = room_of(file)
	dir = file
	sub(/[^\/]*$/, "", dir)
	if (!(room in may)) {
		printf "%s: no such room in tests/lint/layers.sh\n", file
		bad++
		next
	}
	files++
	nr = 0
	while ((getline line < file) > 0) {
		nr++
		if (line !~ /^[ \t]*#[ \t]*include/)
			continue
		if (match(line, /"[^"]*"/))
			check(substr(line, RSTART + 1, RLENGTH - 2))
		else if (match(line, /<[^>]*>/)) {
			name = substr(line, RSTART + 1, RLENGTH - 2)
			for (e in external)
				if (index(name, e) == 1 && !index(" " external[e] " ", " " room " "))
					complain("<" name "> is not for " room "/")
		}
	}
	close(file)
}
END {
	if (bad) {
		printf "layers: %d violations\n", bad
		exit 1
	}
	printf "layers: %d files keep to their rooms\n", files
}'
