#!/bin/sh
# Prints build_id.h: which source, which compiler and which flags a binary is
# made from.  With --commit, prints the commit alone (a tarball ships it as
# commit-id).  There is no date in it: one source gives one text.
#
# usage: build_id.sh [--commit] SRCDIR     (CC, CFLAGS, VERSION from the Makefile)
set -eu

only_commit=
if [ "$1" = --commit ]; then
	only_commit=yes
	shift
fi
src=$1

commit=unknown
if [ -f "$src/commit-id" ]; then
	read -r commit <"$src/commit-id" || :
elif [ -e "$src/.git" ]; then
	commit=$(git -C "$src" describe --always --dirty --abbrev=12 --match 'v*' 2>/dev/null) ||
		commit=unknown
fi
: "${commit:=unknown}"

if [ -n "$only_commit" ]; then
	echo "$commit"
	exit
fi

# A C string literal of one line: no control characters, \ and " escaped.
quote()
{
	printf '"%s"' "$(printf '%s' "$1" | tr -s '[:space:][:cntrl:]' ' ' | sed 's/[\\"]/\\&/g; s/^ //; s/ $//')"
}

compiler=$($CC --version 2>/dev/null | sed -n 1p) || compiler=
cat <<END
/* Written by cli/build_id.sh; only cli/ includes it. */
#ifndef BUILD_ID_H
#define BUILD_ID_H
#define XOFF_VERSION $(quote "$VERSION")
#define XOFF_COMMIT $(quote "$commit")
#define XOFF_COMPILER $(quote "${compiler:-$CC}")
#define XOFF_CFLAGS $(quote "$CFLAGS")
#endif
END
