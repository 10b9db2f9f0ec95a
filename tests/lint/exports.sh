#!/bin/sh
# What the archives export.  A file exports only its own prefix: mmu.c exports
# mmu and mmu_*.  A module too long for one file is split as mmu.c, mmu_pool.c;
# where mmu.h stands beside it, mmu_pool.c may export mmu_* too.
#
# And no object holds anything that can change: no symbol in .data, .bss or
# common.  The one exception is the thread-local context of sim/assert.c.
set -u
src=${XOFF_SRC-$(cd "$(dirname "$0")/../.." && pwd)}
build=${XOFF_BUILD-$src/build}

if [ -n "${XOFF_SANITIZE-}" ] || grep -q '^XOFF_LDFLAGS = .*-fsanitize' "$build/Makefile"; then
	echo "exports: skipped, the sanitizers add symbols of their own"
	exit 77
fi

objects=0 bad=0
list=$(mktemp) || exit 1
trap 'rm -f "$list"' EXIT

for c in $(cd "$src" && find sim models observe analyze scenario interop sweep cli -name '*.c' 2>/dev/null |
	LC_ALL=C sort); do
	o=$build/${c%.c}.o
	[ -f "$o" ] || continue		# sources.sh tells of files that are not built
	objects=$((objects + 1))
	dir=${c%/*} base=${c##*/}
	base=${base%.c}
	module=$base
	while :; do			# a_b_c: a_b if a_b.h is there, or a if a.h is
		case $module in
		*_*) module=${module%_*} ;;
		*)
			module=
			break
			;;
		esac
		[ -f "$src/$dir/$module.h" ] && break
	done

	nm -g --defined-only "$o" | awk -v file="$c" -v base="$base" -v module="$module" '
		NF == 3 {
			name = $3
			if (name == base || index(name, base "_") == 1)
				next
			if (module != "" && index(name, module "_") == 1)
				next
			if (file == "cli/main.c" && name == "main")
				next
			printf "%s exports %s: not its own prefix\n", file, name
		}' >>"$list"

	# Only the program itself (its signal handler) may keep state of its own.
	case $c in cli/*) continue ;; esac
	objdump -t "$o" | awk -v file="$c" '
		/\t/ {
			split($0, half, "\t")
			flags = substr(half[1], length(half[1]) < 18 ? 1 : 18, 7)
			n = split(half[1], word, " ")
			section = word[n]
			split(half[2], tail, " ")
			name = tail[2]
			if (flags ~ /d/ || name == section)
				next
			if (section !~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ || section ~ /^\.data\.rel\.ro/)
				next
			if (file == "sim/assert.c" && section ~ /^\.t(data|bss)/)
				next
			printf "%s: %s lives in %s: state hangs on what owns it, never on a file\n", file, name, section
		}' >>"$list"
done

if [ "$objects" = 0 ]; then
	echo "exports: no objects in $build; build first" >&2
	exit 1
fi
if [ -s "$list" ]; then
	cat "$list"
	echo "exports: $(wc -l <"$list") violations"
	exit 1
fi
echo "exports: $objects objects export their own prefix and hold no state"
