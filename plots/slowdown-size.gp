# Slowdown against flow size: median and 99th percentile (nearest rank), one
# point a size where there are few sizes, else eight groups of equal count
# (flows.csv).
load "common.gp"
table = system("awk -F, 'NR>1 && $13!=\"\" {print $7, $13}' '".dir."/flows.csv' | sort -n -k1,1 | awk \
'{s[NR]=$1; d[NR]=$2; if ($1!=last) {kinds++; last=$1} kind[NR]=kinds} \
END {for (i=1;i<=NR;i++) print (kinds<=12 ? kind[i] : int((i-1)*8/NR)), s[i], d[i]}' | sort -k1,1n -k3,3n | awk \
'function out() {if (n) {p=int(0.5*n+0.9999999); q=int(0.99*n+0.9999999); print size \",\" v[p] \",\" v[q]}} \
$1!=g {out(); n=0; size=0; g=$1} {v[++n]=$3; if ($2>size) size=$2} END {out()}'")
if (strlen(table) == 0) { print "slowdown-size: no flow has ended in this run"; exit status 3 }
set print $d
print table
set print
set title "Slowdown by flow size"
set xlabel "flow size (of a group: its largest) [bytes]"
set ylabel "slowdown against the idle path"
set logscale xy
set format x "10^{%T}"
set key outside right
plot $d using 1:2 with linespoints lt 1 pt 7 title "median", $d using 1:3 with linespoints lt 2 pt 5 title "99th percentile"
