# Headroom used at most against headroom held, by port (ports.csv): the 40 ports
# that came nearest to their limit.
load "common.gp"
rows = system("awk -F, '".cols."$c[\"headroom_limit_bytes\"]>0 {p=$c[\"headroom_peak_bytes\"]; h=$c[\"headroom_limit_bytes\"]; \
print $1\"/\"$2\",\"p\",\"h\",\"p/h}' '".dir."/ports.csv' | sort -t, -k4,4gr -k1,1V | head -40")
if (strlen(rows) == 0) { print "headroom: no lossless port in this run"; exit status 3 }
set print $d
print rows
set print
set title "Headroom: most used, and held (the 40 that came nearest to it)"
set xlabel "port / priority"
set ylabel "headroom [KB]"
set yrange [0:*]
set style fill solid
set grid noxtics
set boxwidth 0.8
set xtics rotate by 60 right font ",9" noenhanced
set key outside top center horizontal
plot $d using 0:($3/1e3):xtic(1) with boxes lc rgb "#c8c8c8" title "held", \
	$d using 0:($2/1e3) with boxes lt 1 title "most used"
