#!/bin/sh
# Numbers in the heads of experiments that say where they come from are what runs give.
#
#	//     XOFFs      0     74    465       = pfc.xoff_frames of n2 base n64
#	//     last    82.6  653.9 2612.7 us    = flows.fct_ps.max us of n2 base n64
#
# As many numbers as there are variants stand before the "="; each must be the metric
# (in the unit named, if any), rounded to the digits written.
#
# usage: heads.sh          ends with "heads: N passed, M failed"
suite=heads
. "$(dirname "$0")/../support/script.sh"

# Prints an experiment that includes FILE and has no rules but those numbers.
rules()	# file
{
	awk -v file="$1" '
	/^\/\/ .* = [a-z_]+\.[^ ]+ ([A-Za-z]+ )?of / {
		cut = index($0, " = ")
		n = split(substr($0, 1, cut - 1), word, " ")
		have = 0
		for (i = 1; i <= n; i++) if (word[i] ~ /^[0-9]+(\.[0-9]+)?$/) number[++have] = word[i]
		n = split(substr($0, cut + 3), word, " ")
		unit = word[2] == "of" ? "" : word[2]
		first = unit == "" ? 3 : 4
		for (i = first; i <= n; i++) {
			x = number[have - n + i]
			digits = index(x, ".") ? length(x) - index(x, ".") : 0
			half = 0.5 / 10 ^ digits
			rule = sprintf("\"%s in %.*f%s..%.*f%s\"", word[1], digits + 1, x < half ? 0 : x - half, unit,
				digits + 1, x + half, unit)
			if (x == "") rule = "\"a number for each variant\""	# no rule: refused
			all[word[i]] = all[word[i]] (all[word[i]] == "" ? "" : ", ") rule
		}
	}
	END {
		printf "{\"include\": [\"%s\"], \"expect\": [%s], \"variants\": {", file, all["base"]
		for (v in all) if (v != "base") { printf "%s\"%s\": {\"expect\": [%s]}", comma, v, all[v]; comma = ", " }
		print "}}"
		for (v in all) print v >"variants"
	}' "$1"
}

for file in "$src"/experiments/*/*.json; do
	grep -q '^// .* = [a-z_]*\.[^ ]* .*of ' "$file" || continue
	: >variants
	rules "$file" >marked.json
	set --
	while read -r v; do set -- "$@" -V "$v"; done <variants
	"$XOFF" run marked.json -q "$@" >out 2>&1 </dev/null
	got=$?
	is "${file##*/}: $(grep -v '^ok' out | grep -i 'fail\|error' | head -5)" [ $got = 0 ]
done
is "some heads have marked numbers" [ "$passed" -ge 3 ]
finish
