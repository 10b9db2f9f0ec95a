# When each transmitter stood still, by port (stops.csv).  A stop that lasts to the
# end of the run has a colour of its own.
load "common.gp"
end = number("simulated_ps")
stops = "awk -F, '".cols."{print $1, $3, $4}' '".dir."/stops.csv'"
ports = system("awk -F, 'NR>1 {print $1}' '".dir."/stops.csv' | sort -u | sort -V | head -60")
n = words(ports)
if (n == 0) { print "pause-gantt: no pause in this run"; exit status 3 }
# Where nothing but standing stops follows, most of that is left out.
last = system(stops." | awk '{for (i=2;i<=NF;i++) if ($i>m) m=$i} END {printf \"%.0f\", m}'") + 0
until = last*1.3 < end ? last*1.3 : end
set title "When a port was stopped".(until < end ? sprintf(" (cut: the run goes on to %g ms)", end/1e9) : "")
set xlabel "time [ms]"
set xrange [0:until/1e9]
set yrange [n+0.5:0.5]
size = n > 25 ? ",9" : ",12"
set ytics scale 0 font size noenhanced
set for [i=1:n] ytics add (word(ports, i) i)
set style fill solid
set key outside top center horizontal
row(p) = sum [i=1:n] (word(ports, i) eq p ? i : 0)
bars(over) = "< ".stops." | awk -v OFS=, -v over=".over." -v to=".sprintf("%.0f", until)." '(NF==3)==over {print $1, $2, NF==3?$3:to}'"
style = "using ($2/1e9):(row(strcol(1))):($2/1e9):($3/1e9):(row(strcol(1))-0.4):(row(strcol(1))+0.4) with boxxyerror fs solid noborder"
for_ever = int(system(stops." | grep -vc ' [0-9]* [0-9]'"))
ended = int(system(stops." | grep -c ' [0-9]* [0-9]'"))
command = ended ? "bars(1) ".style." lc rgb '#56b4e9' title 'stopped'" : ""
if (for_ever) command = command.(ended ? ", " : "")."bars(0) ".style." lc rgb '#d55e00' title 'stopped to the end of the run'"
eval "plot ".command
