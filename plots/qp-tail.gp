# The tail against the number of queue pairs: P50, P99 and P99.9 of the completion
# times of each workload that several runs of one folder have with different numbers
# of them (DIR/summary.json: an experiment with variants).  P99.9 needs 1000 flows.
load "common.gp"
rows = system("awk '/^ *\"by_name\": / {on=1; next} /^ *\"classes\": / {on=0} !on {next} \
/^          \"[^\"]*\": *\\{ *$/ {split($0, a, \"\\\"\"); w=a[2]} \
/^            \"qps\": / {q=$2+0} \
/^            \"fct_ps\": / && q {split($0, a, /\"(count|mean|p50|p99|p999|max)\": */); if (a[2]+0) \
print w\",\"q\",\"a[4]/1e6\",\"a[5]/1e6\",\"(a[2]+0>=1000?a[6]/1e6:\"\"); q=0}' '".dir."/summary.json' | sort -t, -k1,1 -k2,2n -u")
names = system("echo '".rows."' | awk -F, '$2!=\"\" && !s[$1,$2]++ {n[$1]++} END {for (w in n) if (n[w]>1) print w}' | sort | head -5")
if (words(names) == 0) { print "qp-tail: no workload of these runs has different numbers of queue pairs"; exit status 3 }
set print $d
print rows
set print
set title "Completion time against the number of queue pairs"
set xlabel "queue pairs of the senders"
set ylabel "time from intended start to last byte [us]"
set logscale x 2
set yrange [0:*]
set offsets graph 0.03, graph 0.03, graph 0.05, 0
# Where two numbers are too near for both labels, the first has it.
set xtics ()
counts = system("echo '".rows."' | awk -F, -v names='".names."' 'BEGIN {k=split(names, a, \"\\n\"); for (i=1;i<=k;i++) on[a[i]]=1} on[$1] {print $2}' | sort -nu | awk '$1>last*1.3 {print $1; last=$1}'")
set for [q in counts] xtics add (sprintf("%s", q) q+0)
set key outside right
label(n, p) = words(names) > 1 ? n." ".p : p
plot for [p=3:1:-1] for [i=1:words(names)] $d using (strcol(1) eq word(names, i) ? $2 : NaN):(column(2+p)) \
	with linespoints lt p pt 3+2*i title label(word(names, i), word("P50 P99 P99.9", p)) noenhanced
