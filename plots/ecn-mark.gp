# The share of frames that were marked, by the queue length they met, with the
# configured curve over it, or pi_ref where a PI controller marks (series/*-marks.csv:
# record.series with "what": ["marks"]).
# Bars: 95 % binomial intervals after Wilson (JASA 22, 1927).  Queues of one curve
# are taken together: of several curves, the one with most marks.
load "common.gp"
files = system("ls '".dir."'/series/*-marks.csv 2>/dev/null | sed \"s/.*/'&'/\" | tr '\\n' ' '")
if (strlen(files) == 0) { print "ecn-mark: no marks recorded; add \"what\": [\"marks\"] to a record.series"; exit status 3 }
best = system("awk -F, '$1!=\"port\" {k=$9\",\"$10\",\"$11\",\"$12; m[k]+=$6+$5/1e12} END {for (k in m) print m[k]\",\"k}' ".files." | sort -t, -k1,1gr | head -1")
if (strlen(best) == 0) { print "ecn-mark: no frame met a marking curve at these ports"; exit status 3 }
number(s) = strlen(s) ? s + 0.0 : 0
kmin = number(system("echo '".best."' | cut -d, -f2"))
kmax = number(system("echo '".best."' | cut -d, -f3"))
pmax = number(system("echo '".best."' | cut -d, -f4"))
# A PI controller marks no length with a probability of its own: no curve, but its pi_ref.
held = number(system("echo '".best."' | cut -d, -f5"))
if (held > 0) { kmax = 1e300 }
set print $d
print system("awk -F, -v OFS=, -v k=".sprintf("'%s'", best[strstrt(best, ",")+1:])." '$9\",\"$10\",\"$11\",\"$12==k {key=$3; n[key]+=$5; m[key]+=$6; q[key]+=$5*$8} \
END {z=1.96; for (i in n) {p=m[i]/n[i]; d=1+z*z/n[i]; c=(p+z*z/2/n[i])/d; h=z*sqrt(p*(1-p)/n[i]+z*z/4/n[i]/n[i])/d; \
print q[i]/n[i], p*100, (c>h?c-h:0)*100, (c+h<1?c+h:1)*100, n[i]}}' ".files." | sort -t, -k1,1g")
set print
queues = system("awk -F, -v k=".sprintf("'%s'", best[strstrt(best, ",")+1:])." '$9\",\"$10\",\"$11\",\"$12==k {print $1\"/\"$2}' ".files." | sort -Vu")
stats $d using 1:5 nooutput
frames = STATS_sum_y
far = STATS_max_x * 1.15
stats $d using ($1 > kmax || $5 < 50 ? NaN : $4) nooutput
low = STATS_records ? STATS_max : 0
low = low > pmax*100 || far < kmax ? low : pmax*100
low = low > 0 ? low : 1
curve(q) = held > 0 ? NaN : q <= kmin ? 0 : q > kmax ? 100 : pmax*100*(q-kmin)/(kmax-kmin)
heading = sprintf("ECN marking of %s: %.0f frames", words(queues) == 1 ? queues : sprintf("%d queues", words(queues)), frames)
set xrange [0:far/1e3]
set samples 2000
set lmargin 11
set key top left
# Above Kmax all are marked: a panel of its own, so that the ramp can be read.
split = far > kmax && low < 50
if (split) {
	set multiplot
	set size 1,0.3
	set origin 0,0.7
	set bmargin 0.5
	set title heading noenhanced
	set border 2
	set xtics format ""
	set yrange [50:104]
	set ytics 50,25
	plot curve(x*1e3) with lines lt 2 dt 1 title "configured", \
		$d using ($1/1e3):2:3:4 with yerrorbars lt 1 pt 7 ps 0.9 title "marked, with 95 % interval"
	set size 1,0.72
	set origin 0,0
	set bmargin
	set tmargin 0.5
	unset title
	unset key
	set border 3
	set xtics format "%g"
	set ytics autofreq
	set ylabel "frames marked [%]"
} else {
	set title heading noenhanced
	set ylabel "frames marked [%]"
}
top = far > kmax && !split ? 100 : low
set yrange [-0.02*top : top*1.1]
set xlabel held > 0 ? sprintf("queue length that a frame met [KB]  (a PI controller holds it at %g)", held/1e3) : \
	sprintf("queue length that a frame met [KB]  (Kmin %g, Kmax %g)", kmin/1e3, kmax/1e3)
if (held > 0) set arrow from held/1e3, graph 0 to held/1e3, graph 1 nohead lt 2 dt 2
plot curve(x*1e3) with lines lt 2 dt 1 title (held > 0 ? "" : "configured"), \
	$d using ($1/1e3):2:3:4 with yerrorbars lt 1 pt 7 ps 0.9 title "marked, with 95 % interval"
if (split) unset multiplot
