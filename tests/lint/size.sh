#!/bin/sh
# No .c over 500 lines: a longer one holds two ideas.  Functions of more than a
# screen (60 lines) are named, but do not fail.
set -u
src=${XOFF_SRC-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$src" || exit 1

find sim models observe analyze scenario interop sweep cli bench tests -name '*.c' 2>/dev/null |
LC_ALL=C sort |
awk '
{
	file = $0
	files++
	nr = 0
	while ((getline line < file) > 0) {
		nr++
		if (line ~ /^\{/)
			start = nr
		else if (line ~ /^\}/ && start) {
			if (nr - start - 1 > 60)
				printf "%s:%d: note: a function of %d lines\n", file, start, nr - start - 1
			start = 0
		}
	}
	close(file)
	if (nr > 500) {
		printf "%s: %d lines, the ceiling is 500\n", file, nr
		bad++
	}
}
END {
	if (bad)
		exit 1
	printf "size: %d files, none over 500 lines\n", files
}'
