# How flows come to share: the goodput of each over time, coloured by workload, and
# Jain's index over those that compete at an instant on the second axis
# (series/*-flows.csv: record.series with "what": ["flows"]).
#   J = (sum x)^2 / (n sum x^2)     Jain, Chiu, Hawe, DEC TR-301, 1984
load "common.gp"
files = system("ls '".dir."'/series/*-flows.csv 2>/dev/null | sed \"s/.*/'&'/\" | tr '\\n' ' '")
if (strlen(files) == 0) { print "convergence: no rates of flows recorded; add \"what\": [\"flows\"] to a record.series"; exit status 3 }
rows = "awk -F, '$1!=\"at_ps\"' ".files
names = system(rows." | cut -d, -f3 | sort -u | head -6")
if (words(names) == 0) { print "convergence: no flow lasted for two samples"; exit status 3 }
# One line a flow: a gap between them.
of(n) = "< ".rows." | sort -t, -k2,2 -k1,1n | awk -F, -v OFS=, -v w='".n."' '$3==w {if ($2!=f) {if (f) print \"\"; f=$2} print $1/1e9, $6/1e9}'"
jain = "< ".rows." | sort -t, -k1,1n | awk -F, -v OFS=, 'function out() {if (n>1 && q) print t/1e9, s*s/n/q; n=s=q=0} $1!=t {out(); t=$1} {n++; s+=$6; q+=$6*$6} END {out()}'"
set title "Goodput of each flow, and how fair it is"
set xlabel "time [ms]"
set ylabel "goodput [Gb/s]"
set y2label "Jain's index"
set yrange [0:*]
set y2range [0:1.05]
set y2tics 0.2
set border 11
set key outside top center horizontal
plot for [i=1:words(names)] of(word(names, i)) using 1:2 with lines lt i dt 1 lw 1.2 title word(names, i) noenhanced, \
	jain using 1:2 axes x1y2 with lines lt 7 dt 1 lw 2 title "Jain's index"
