# The seven longest queues over time (series/*.csv; ask for them with record.series).
load "common.gp"
files = system("ls '".dir."/series/'*.csv 2>/dev/null")
if (words(files) == 0) { print "queue: the run recorded no series; add record.series to the experiment"; exit status 3 }
ports = system("cat '".dir."/series/'*.csv | awk -F, '$1!=\"at_ps\" {k=$2\"/\"$3; if ($4>m[k]) m[k]=$4} END {for (k in m) if (m[k]>0) print m[k], k}' | sort -k1,1nr -k2,2V | head -7 | cut -d\" \" -f2 | sort -V")
set title "Egress queues"
set xlabel "time [ms]"
set ylabel "queue [KB]"
set yrange [0:*]
set key outside right
plot for [p in ports] "< cat '".dir."/series/'*.csv | awk -F, -v p='".p."' '$2\"/\"$3==p {print $1\",\"$4}'" \
	using ($1/1e9):($2/1e3) with lines title p noenhanced
