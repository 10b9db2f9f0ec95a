# Cumulative distribution of flow completion times, by workload (flows.csv).  As
# in the summary: what started after the warm-up, and of a request and its response
# the whole.  What has not ended counts too: its curve stays below 1.
load "common.gp"
warm = sprintf("%.0f", number("warmup_ps"))
names = system("awk -F, '".cols."$c[\"fct_ps\"]!=\"\" {print $2}' '".dir."/flows.csv' | sort -u")
if (words(names) == 0) { print "fct-cdf: no flow has ended in this run"; exit status 3 }
# First line the number of flows, negative; then the times; a request stands aside for
# its response.
times(n) = "awk -F, -v w='".n."' -v warm=".warm." '".cols."$2!=w {next} {t=$c[\"transaction_ps\"]; if (t!=\"\") both=1} \
	$c[\"start_ps\"]-(t==\"\"?0:t-$c[\"fct_ps\"])<warm {next} {n++; later[n]=$3>0; fct[n]=t!=\"\"?t:$c[\"fct_ps\"]} \
	END {for (i=1;i<=n;i++) {all+=both?!later[i]:1; if (fct[i]!=\"\" && (!both || later[i])) print fct[i]/1e6} print -all}' '".dir."/flows.csv'"
steps(n) = "< ".times(n)." | sort -g | awk -v OFS=, 'NR==1 {total=-$1; next} {v[++n]=$1} END {if (n) print v[1], 0; \
	if (total<n) total=n; for (i=1;i<=n;i++) if (i==n || v[i+1]!=v[i]) print v[i], i/total}'"
set title "Flow completion time: share of the flows that ended within it"
set xlabel "time from intended start to last byte [us]"
set ylabel "share of flows"
set logscale x
set format x "%g"
set yrange [0:1.02]
set key outside right
plot for [n in names] steps(n) using 1:2 with steps title n noenhanced
