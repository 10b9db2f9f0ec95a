# Cumulative distribution of flow completion times, by workload (flows.csv).
load "common.gp"
names = system("awk -F, 'NR>1 && $10!=\"\" {print $2}' '".dir."/flows.csv' | sort -u")
if (words(names) == 0) { print "fct-cdf: no flow has ended in this run"; exit status 3 }
set title "Flow completion time"
set xlabel "time from intended start to last byte [us]"
set ylabel "share of flows"
set logscale x
set yrange [0:1.02]
set key outside right
plot for [n in names] "< awk -F, -v w='".n."' '$2==w && $10!=\"\" {print $10/1e6}' '".dir."/flows.csv'" \
	using 1:(1.) smooth cnormal title n noenhanced
