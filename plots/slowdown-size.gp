# Slowdown against flow size: median and 99th percentile (nearest rank), one
# point a size where there are few sizes, else eight groups of equal count
# (flows.csv; what started after the warm-up and has ended).
load "common.gp"
warm = sprintf("%.0f", number("warmup_ps"))
table = system("awk -F, '".cols."$c[\"slowdown\"]!=\"\" && $c[\"start_ps\"]>=".warm." {print $7, $c[\"slowdown\"]}' '".dir."/flows.csv' | sort -n -k1,1 | awk \
'{s[NR]=$1; d[NR]=$2; if ($1!=last) {kinds++; last=$1} kind[NR]=kinds} \
END {for (i=1;i<=NR;i++) print (kinds<=12 ? kind[i] : int((i-1)*8/NR)), s[i], d[i]}' | sort -k1,1n -k3,3n | awk \
'function out() {if (n) {p=int(0.5*n+0.9999999); q=int(0.99*n+0.9999999); print size \",\" v[p] \",\" v[q]}} \
$1!=g {out(); n=0; size=0; g=$1} {v[++n]=$3; if ($2>size) size=$2} END {out()}'")
if (strlen(table) == 0) { print "slowdown-size: no flow has ended in this run"; exit status 3 }
open = system("awk -F, '".cols."$c[\"finish_ps\"]==\"\" && $c[\"start_ps\"]>=".warm." {n++} END {print n+0}' '".dir."/flows.csv'") + 0
set print $d
print table
set print
stats $d using 1 nooutput
set xrange [STATS_min/2:STATS_max*2]
set title "Slowdown by flow size".(open ? sprintf(" (%d flows that never ended are not in it)", open) : "")
set xlabel "flow size (of a group: its largest) [bytes]"
set ylabel "slowdown against the idle path"
set logscale xy
set yrange [0.9:*]
set format x "10^{%T}"
set format y "%g"
set key outside right
plot $d using 1:3 with linespoints lt 2 pt 5 title "99th percentile", $d using 1:2 with linespoints lt 1 pt 7 title "median"
