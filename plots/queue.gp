# The five longest egress queues over time, and the rates of the same ports
# (series/*.csv; ask for them with record.series).
load "common.gp"
files = system("grep -l '^at_ps,port,prio.*,\\(queue_bytes\\|tx_bps\\)' '".dir."'/series/*.csv 2>/dev/null | sed \"s/.*/'&'/\" | tr '\\n' ' '")
if (strlen(files) == 0) { print "queue: no series of queue or rate; add record.series to the experiment"; exit status 3 }
have(col) = int(system("cat ".files." | grep -c '^at_ps,.*,".col."'"))
# port/prio,ms,value of one column, of all files that have it
rows(col) = "awk -F, '$1==\"at_ps\" {q=0; for (i=4;i<=NF;i++) if ($i==\"".col."\") q=i; next} q {print $2\"/\"$3\",\"$1/1e9\",\"$q}' ".files
by = have("queue_bytes") ? "queue_bytes" : "tx_bps"
# Not those that stay under a twentieth of the longest.
ports = system(rows(by)." | awk -F, '$3>m[$1] {m[$1]=$3; if ($3>all) all=$3} END {for (k in m) if (m[k]>all/20) print m[k], k}' | sort -k1,1gr -k2,2V | head -5 | cut -d' ' -f2 | sort -V")
if (words(ports) == 0) { print "queue: nothing was ever queued at these ports"; exit status 3 }
# Where nothing changes any more, most of that is left out.
end = number("simulated_ps")/1e9
last = system(rows(by)." | awk -F, '$3!=v[$1] {v[$1]=$3; if ($2>t) t=$2} END {print t}'") + 0
until = last*1.3 < end ? last*1.3 : end
set xrange [0:until]
one(col, p) = "< ".rows(col)." | awk -F, -v p='".p."' '$1==p {print $2\",\"$3}' | sort -t, -k1,1g"
both = have("queue_bytes") && have("tx_bps")
set yrange [0:*]
set lmargin 11
set rmargin 20
set key outside right
if (both) set multiplot
if (both) { set size 1,0.52; set origin 0,0.48 }
if (have("queue_bytes")) {
	set title "Egress queues (the longest)".(until < end ? sprintf("; cut: the run goes on to %g ms", end) : "")
	set ylabel "queue [KB]"
	if (both) { set format x "" } else { set xlabel "time [ms]" }
	plot for [p in ports] one("queue_bytes", p) using 1:($2/1e3) with lines title p noenhanced
}
if (both) { set size 1,0.52; set origin 0,0; set format x "%g"; set key noautotitle }
if (have("tx_bps")) {
	set title "Rates of ".(both ? "the same ports" : "ports (the highest)")
	set ylabel "rate [Gb/s]"
	set xlabel "time [ms]"
	plot for [p in ports] one("tx_bps", p) using 1:($2/1e9) with lines title (both ? "" : p) noenhanced
}
if (both) unset multiplot
