#!/bin/sh
# Words that must not stand in the code, comments and strings left out:
# chance and clocks that are not the simulator's own, libm functions that
# differ between machines; and, comments included, marks of unfinished work.
set -u
src=${XOFF_SRC-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$src" || exit 1
LC_ALL=C
export LC_ALL

sources=$(find sim models observe analyze scenario interop sweep -name '*.[ch]' 2>/dev/null | sort)

# Comments and literals blanked, lines kept; then calls of the banned functions.
status=0
for f in $sources; do
	[ "$f" = sim/rng.c ] && continue
	clock='rand|srand|rand_r|random|srandom|drand48|lrand48|arc4random|getrandom|time|gettimeofday|clock|clock_gettime'
	libm=
	case $f in
	sim/* | models/*) libm='|pow|exp|exp2|expm1|log|log2|log10|log1p|sin|cos|tan|atan|atan2|cbrt|hypot|fma|tgamma|lgamma' ;;
	esac
	awk -v file="$f" -v banned="($clock$libm)" '
		{
			line = $0
			out = ""
			for (i = 1; i <= length(line); i++) {
				two = substr(line, i, 2)
				c = substr(line, i, 1)
				if (comment) {
					if (two == "*/") { comment = 0; i++ }
				} else if (quote != "") {
					if (c == "\\") i++
					else if (c == quote) quote = ""
				} else if (two == "/*") { comment = 1; i++; out = out " " }
				else if (two == "//") break
				else if (c == "\"" || c == "\047") quote = c
				else out = out c
			}
			quote = ""
			if (match(out, "(^|[^A-Za-z0-9_.>])" banned "[ \t]*\\(")) {
				word = substr(out, RSTART, RLENGTH)
				gsub(/[^A-Za-z0-9_]/, "", word)
				printf "%s:%d: %s(): a run knows no clock, no chance and no libm but its own (doc/design.md, law 3)\n", file, NR, word
				bad = 1
			}
		}
		END { exit bad }' "$f" || status=1
done

# Allocations that may fail without a word; sim/mem.h has the same that end the program.
quiet=$(grep -nE '\<(open_memstream|v?asprintf|strn?dup|malloc|realloc)\(' /dev/null $sources cli/*.c |
	grep -v '^sim/mem\.c:' | grep -vE '^[^:]*:[0-9]*:[[:space:]]*/?\*')
if [ -n "$quiet" ]; then
	echo "$quiet" | sed 's/$/   <- sim\/mem.h/'
	status=1
fi

marks=$(find sim models observe analyze scenario interop sweep cli bench tests plots replay experiments topologies \
	\( -name '*.[ch]' -o -name '*.sh' -o -name '*.mk' -o -name '*.json' -o -name '*.js' -o -name '*.gp' \) \
	! -path tests/lint/words.sh 2>/dev/null | sort |
	xargs grep -nE '\<(TODO|FIXME|XXX)\>|^(<<<<<<<|>>>>>>>) ' /dev/null)
if [ -n "$marks" ]; then
	echo "$marks" | sed 's/$/   <- finish it, or write an issue/'
	status=1
fi

[ $status = 0 ] && echo "words: none that is banned in $(echo "$sources" | wc -w) files"
exit $status
