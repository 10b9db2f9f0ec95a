#!/bin/sh
# The incident's busiest ms at two switch ports, decoded by tshark: not one malformed
# frame, and what it counts is what ports.csv counts in that ms (the row of a run to its
# end less that of a run to its beginning).  The same capture compressed is the same.
#
# usage: pcap_incident.sh        ends with "pcap-incident: N passed, M failed"
set -u
suite=pcap-incident
. "$(dirname "$0")/../support/script.sh"
incident=$src/experiments/incident/shared-priority-storm.json

run()	# DIR UNTIL WORDS... : the base, with an ECN that marks in that ms
{
	dir=$1 until=$2
	shift 2
	ends 0 run "$incident" --variant base --no-expect --quiet --set run.until="$until" \
		--set switch.ecn.rdma.kmin=400KB -o "$dir" "$@"
}
window="--pcap leaf0:8 --pcap leaf0:2 --pcap leaf3:6 --pcap-window 2ms..4ms"
run before 2ms
# shellcheck disable=SC2086
run whole 3ms $window
# shellcheck disable=SC2086
run packed 3ms $window --pcap-zst
is "one file, compressed" [ "$(ls packed | grep capture)" = capture.pcapng.zst ]
is "much smaller" [ $(($(wc -c <packed/capture.pcapng.zst) * 20)) -lt "$(wc -c <whole/capture.pcapng)" ]
if command -v zstd >/dev/null; then
	is "the same frames" sh -c 'zstd -qdc packed/capture.pcapng.zst | cmp - whole/capture.pcapng'
fi
# shellcheck disable=SC2086
run again 3ms $window --pcap-zst
is "the same bytes again" cmp packed/capture.pcapng.zst again/capture.pcapng.zst
ends 2 run "$incident" -o nothing --pcap-zst
is "--pcap-zst alone: $(cat err)" grep -q 'error: --pcap-zst needs --pcap PORT$' err

command -v tshark >/dev/null || { finish; exit; }

count() { tshark -r "${2-whole/capture.pcapng}" -Y "$1" 2>/dev/null | wc -l; }
# One line a frame: port, direction (1 in, 2 out), IP?, MAC control, quanta, verb, ECN, comment.
tshark -r whole/capture.pcapng -T fields -E separator='|' -e frame.interface_name \
	-e frame.packet_flags_direction -e ip.version -e macc.opcode -e macc.cbfc.pause_time.c3 \
	-e infiniband.bth.opcode -e ip.dsfield.ecn -e frame.comment >frames 2>/dev/null
frames()	# PORT DIRECTION CONDITION : how many
{
	awk -F'|' -v port="$1" -v way="$2" "\$1 == port && \$2 ~ way \"\$\" && ($3) { n++ } END { print n + 0 }" frames
}
counted()	# PORT PRIO COLUMN : in the ms
{
	for dir in whole before; do
		awk -F, -v p="$1" -v q="$2" -v n="$3" 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
			NR > 1 && $1 == p && ($2 == q || q == "all") { s += $c[n] } END { print s + 0 }' $dir/ports.csv
	done | { read -r end; read -r start; echo $((end - start)); }
}
same()	# WHAT FOUND WANTED
{
	is "$1: the capture has $2, ports.csv $3" [ "$2" -eq "$3" ]
}
is "each port is an interface with its speed and far end" sh -c 'capinfos whole/capture.pcapng | tr -s " \n" " " |
	grep -q "Name = leaf0:2 Description = to h2:0 .*Speed = 100000000000 .*Name = leaf0:8 Description = to spine0:0 .*Speed = 400000000000"'
is "the comment on an XOFF says why" sh -c 'grep "^leaf0:2|[0x]*2|" frames | grep "|XOFF" |
	head -1 | grep -qE "\|XOFF priority 3, [0-9]+ bytes held, limit [0-9]+$"'
same "malformed frames" "$(count _ws.malformed)" 0
same "warnings and errors of the dissectors" "$(count '_ws.expert.severity >= "Warning"')" 0
for port in leaf0:8 leaf0:2 leaf3:6; do
	same "$port: frames sent" "$(frames $port 2 '$3')" "$(counted $port all tx_frames)"
	same "$port: frames received" "$(frames $port 1 '$3')" "$(counted $port all rx_frames)"
	same "$port: pauses sent" "$(frames $port 2 '$4 == "0x0101"')" \
		$(($(counted $port 3 xoff_frames) + $(counted $port 3 refresh_frames) + $(counted $port 3 xon_frames)))
	same "$port: XOFF received" "$(frames $port 1 '$4 == "0x0101" && $5 > 0')" "$(counted $port 3 xoff_received_frames)"
	same "$port: CNPs received" "$(frames $port 1 '$6 == 129')" "$(counted $port 6 rx_frames)"
	same "$port: sent again" "$(frames $port 2 '$8 ~ /sent again/')" 0
done
# what comes to leaf0 from its own hosts has not been marked before
same "leaf0:8: CE marks" "$(frames leaf0:8 2 '$7 == 3')" "$(counted leaf0:8 3 marked_frames)"
is "there are marks, pauses sent and received, and CNPs" [ "$(counted leaf0:8 3 marked_frames)" -gt 0 \
	-a "$(counted leaf0:2 3 xoff_frames)" -gt 0 -a "$(counted leaf0:8 3 xoff_received_frames)" -gt 0 \
	-a "$(counted leaf3:6 6 rx_frames)" -gt 0 ]
same "the compressed one, opened as it is" "$(count ip packed/capture.pcapng.zst)" "$(count ip)"

finish
