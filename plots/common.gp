# Read by every figure.  `dir` is the run directory, `out` the file to write
# (.svg or .png); both come from `xoff plot` or from gnuplot -e.
if (!exists("dir")) dir = "."
if (!exists("out")) out = "figure.svg"
if (out[strlen(out)-3:] eq ".png") {
	set terminal pngcairo size 1000,600 font "sans,13" background rgb "white"
} else {
	set terminal svg size 1000,600 font "sans,15" background rgb "white" dynamic
}
set output out
set datafile separator ","
set datafile missing ""
# Okabe and Ito's colours: told apart by the colour-blind too.
set linetype 1 lc rgb "#0072b2" lw 2
set linetype 2 lc rgb "#d55e00" lw 2 dt 2
set linetype 3 lc rgb "#009e73" lw 2 dt 4
set linetype 4 lc rgb "#cc79a7" lw 2 dt 5
set linetype 5 lc rgb "#e69f00" lw 2
set linetype 6 lc rgb "#56b4e9" lw 2 dt 2
set linetype 7 lc rgb "#000000" lw 2 dt 4
set grid lt -1 dt 1 lw 0.5 lc rgb "#dddddd"
set border 3
set tics nomirror out
# Columns of a CSV file by name, in awk: put this first, then $c["fct_ps"].
cols = "NR==1 {for (i=1;i<=NF;i++) c[$i]=i; next} "
# A number of the run, from its summary.
number(key) = system("sed -n 's/.*\"".key."\": *\\([0-9][0-9]*\\).*/\\1/p' '".dir."/summary.json' | head -1") + 0
