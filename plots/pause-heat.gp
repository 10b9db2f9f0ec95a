# Heat map: the share of each 1/100 of the time for which a port was stopped; the 40
# that were stopped longest (stops.csv, summary.json).
load "common.gp"
run = number("simulated_ps")
last = system("awk -F, 'NR>1 {for (i=3;i<=4;i++) if ($i>m) m=$i} END {printf \"%.0f\", m}' '".dir."/stops.csv'") + 0
# Where nothing but standing stops follows, most of that is left out.
end = sprintf("%.0f", last*1.3 < run ? last*1.3 : run)
stops = "awk -F, 'NR>1 {print $1, $3, $4==\"\"?".end.":$4}' '".dir."/stops.csv'"
ports = system(stops." | awk '{t[$1]+=$3-$2} END {for (p in t) print t[p], p}' | sort -k1,1nr -k2,2V | head -40 | cut -d' ' -f2 | sort -V")
n = words(ports)
if (n == 0) { print "pause-heat: no pause in this run"; exit status 3 }
cells = "< ".stops." | awk -v OFS=, -v names='".ports."' -v end=".end." 'BEGIN {n=split(names, p); for (i=1;i<=n;i++) row[p[i]]=i; w=end/100} \
	$1 in row {for (b=int($2/w); b<100 && b*w<$3; b++) {lo=$2>b*w?$2:b*w; hi=$3<(b+1)*w?$3:(b+1)*w; s[row[$1],b]+=hi-lo}} \
	END {for (i=1;i<=n;i++) for (b=0;b<100;b++) print (b+0.5)*w/1e9, i, s[i,b]/w*100}'"
set title "How much of the time a port was stopped".(n == 40 ? " (the 40 longest)" : "").(end < run ? sprintf("; cut: the run goes on to %g ms", run/1e9) : "")
set xlabel "time [ms]"
set xrange [0:end/1e9]
set yrange [n+0.5:0.5]
unset grid
size = n > 25 ? ",9" : ",12"
set ytics scale 0 font size noenhanced
set for [i=1:n] ytics add (word(ports, i) i)
set cblabel "of that time [%]"
set cbrange [0:100]
set palette defined (0 "#f7fbff", 0.25 "#c6dbef", 0.5 "#6baed6", 0.75 "#2171b5", 1 "#08306b")
unset key
plot cells using 1:2:3 with image
