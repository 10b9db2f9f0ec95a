# Share of the run for which each port was stopped (ports.csv, summary.json).
load "common.gp"
total = number("simulated_ps")
rows = system("awk -F, '".cols."$c[\"paused_ps\"]>0 {print $1\"/\"$2\",\"$c[\"paused_ps\"]}' '".dir."/ports.csv' | sort -t, -k2,2nr | head -40")
if (strlen(rows) == 0) { print "pause-share: no port was paused in this run"; exit status 3 }
set print $d
print rows
set print
set title "Share of the run for which a port was paused (the 40 most)"
set xlabel "port / priority"
set ylabel "share [%]"
set yrange [0:*]
set style fill solid
set grid noxtics
set boxwidth 0.8
set xtics rotate by 60 right font ",9" noenhanced
unset key
plot $d using 0:($2/total*100):xtic(1) with boxes lt 1
