# When each transmitter was stopped, by port (stops.csv or pauses.csv).
load "common.gp"
ports = system("awk -F, 'NR>1 {print $3}' '".dir."/pauses.csv' | sort -V -u | head -60")
n = words(ports)
if (n == 0) { print "pause-gantt: no pause in this run"; exit status 3 }
set title "Pauses by the port they stop"
set xlabel "time [ms]"
set yrange [n+0.5:0.5]
set ytics scale 0 font ",9" noenhanced
set for [i=1:n] ytics add (word(ports, i) i)
set style fill solid
unset key
row(p) = sum [i=1:n] (word(ports, i) eq p ? i : 0)
plot "< awk -F, 'NR>1 {print $3\",\"$4\",\"($5==\"\"?$4:$5)\",\"$2}' '".dir."/pauses.csv'" \
	using ($2/1e9):(row(strcol(1))):($2/1e9):($3/1e9):(row(strcol(1))-0.4):(row(strcol(1))+0.4) \
	with boxxyerror lc rgb "#d55e00" fs solid noborder
