# Headroom used at most against headroom held, by port (ports.csv).
load "common.gp"
rows = system("awk -F, 'NR==1 {for (i=1;i<=NF;i++) c[$i]=i} NR>1 && $c[\"headroom_limit_bytes\"]>0 \
{print $1\"/\"$2\",\"$c[\"headroom_peak_bytes\"]\",\"$c[\"headroom_limit_bytes\"]}' '".dir."/ports.csv' | sort -t, -k2,2nr | head -40")
if (strlen(rows) == 0) { print "headroom: no lossless port in this run"; exit status 3 }
set print $d
print rows
set print
set title "Headroom: most used, and held (the 40 fullest)"
set ylabel "bytes [KB]"
set yrange [0:*]
set style fill solid
set boxwidth 0.8
set xtics rotate by 60 right font ",9" noenhanced
set key outside top center horizontal
plot $d using 0:($3/1e3):xtic(1) with boxes lc rgb "#d0d0d0" title "held", \
	$d using 0:($2/1e3) with boxes lt 1 title "most used"
