#!/bin/sh
# A capture of a switch port, decoded by tshark, against that port's row of
# ports.csv: pauses, CNPs, CE marks, retransmissions, and not one malformed frame.
command -v tshark >/dev/null || { echo "pcap: tshark is not here"; exit 77; }
set -e
dir=$XOFF_SCRATCH/pcap
rm -rf "$dir" "$dir.partial"
cat >"$XOFF_SCRATCH/pcap.json" <<'JSON'
{
  "schema": "xoff.experiment/1", "name": "pcap", "about": "Pauses, marks, CNPs and losses through one port.",
  "topology": {"star": {"hosts": 5, "host_link": {"rate": "100Gbps", "cable": "5m"}}},
  "switch": {"buffer": {"xoff": "60KB"}, "ecn": {"rdma": {"kmin": "20KB", "kmax": "200KB", "pmax": "20%"}}},
  "nic": {"cc": "dcqcn", "mtu": "1024B", "cnp_interval": "4us"},
  "traffic": {"in": {"incast": {"from": "h[0-3]", "to": "h4", "size": "500KB"}, "class": "rdma"}},
  "faults": {"loss": {"drop": {"node": "h4", "every": 211, "count": 4}}},
  "run": {"until": "300us"}
}
JSON
"$XOFF" run "$XOFF_SCRATCH/pcap.json" -o "$dir" --pcap s0:0 --pcap s0:4 --quiet >/dev/null
cap=$dir/capture.pcapng
passed=0
failed=0
count() { tshark -r "$cap" -Y "$1" 2>/dev/null | wc -l; }
column() {	# port prio name
	awk -F, -v p="$1" -v q="$2" -v n="$3" 'NR==1 { for (i = 1; i <= NF; i++) c[$i] = i }
		NR>1 && $1 == p && ($2 == q || q == "all") { s += $c[n] } END { print s + 0 }' "$dir/ports.csv"
}
same() {	# what, found, wanted
	if [ "$2" -eq "$3" ]; then
		passed=$((passed + 1))
	else
		echo "FAIL: $1: the capture has $2, ports.csv $3"
		failed=$((failed + 1))
	fi
}
at() { echo "frame.interface_name == \"$1\" && frame.packet_flags_direction == $2"; }
same "malformed frames" "$(count _ws.malformed)" 0
# queue pairs 0 and 1 are management's: not even the run's first two are taken for those
same "management datagrams" "$(count "infiniband.mad || infiniband.bth.destqp < 2")" 0
same "frames to queue pairs" "$(count "infiniband.bth.destqp >= 0x100")" "$(count infiniband.bth)"
for port in s0:0 s0:4; do
	out=$(at $port 2)
	in=$(at $port 1)
	same "$port: pauses sent" "$(count "$out && macc.opcode == 0x0101")" \
		$(($(column $port 3 xoff_frames) + $(column $port 3 refresh_frames) + $(column $port 3 xon_frames)))
	same "$port: frames sent" "$(count "$out && ip")" "$(column $port all tx_frames)"
	same "$port: frames received" "$(count "$in && ip")" "$(column $port all rx_frames)"
done
same "CE marks" "$(count "$(at s0:4 2) && ip.dsfield.ecn == 3")" "$(column s0:4 3 marked_frames)"
same "CNPs" "$(count "$(at s0:4 1) && infiniband.bth.opcode == 129")" "$(column s0:4 6 rx_frames)"
again=$(awk -F, 'NR>1 { s += $16 } END { print s / 1024 }' "$dir/flows.csv")
[ "${again%.*}" -gt 0 ] || { echo "FAIL: nothing was sent again"; failed=$((failed + 1)); }
same "retransmissions" "$(count "$(at s0:4 2) && frame.comment contains \"sent again\"")" "${again%.*}"

# A READ, SENDs that find no receive buffer: opcodes 12 to 16 and 0 to 4, and RNR NAKs.
dir=$XOFF_SCRATCH/pcap-verbs
rm -rf "$dir" "$dir.partial"
cat >"$XOFF_SCRATCH/pcap-verbs.json" <<'JSON'
{
  "schema": "xoff.experiment/1", "name": "pcap-verbs", "about": "A READ and SENDs through one port.",
  "topology": {"star": {"hosts": 2, "host_link": {"rate": "100Gbps", "cable": "5m"}}},
  "nic": {"mtu": "1024B", "recv_queue": 1, "recv_time": "100us", "rnr_timer": 2},
  "traffic": {"pull": {"flow": {"from": "h0", "to": "h1", "size": "10KB", "verb": "read"}, "class": "rdma"},
    "push": {"flow": {"from": "h0", "to": "h1", "size": "3000B", "count": 4, "verb": "send"}, "class": "rdma"}},
  "run": {"until": "2ms"}
}
JSON
"$XOFF" run "$XOFF_SCRATCH/pcap-verbs.json" -o "$dir" --pcap s0:1 --quiet >/dev/null
cap=$dir/capture.pcapng
op() { count "frame.interface_name == \"s0:1\" && infiniband.bth.opcode == $1"; }
same "malformed frames of verbs" "$(count _ws.malformed)" 0
same "READ requests" "$(op 12)" 1
same "READ responses, first" "$(op 13)" 1
same "READ responses, middle" "$(op 14)" 8
same "READ responses, last" "$(op 15)" 1
naks=$(awk -F, 'NR==1 { for (i = 1; i <= NF; i++) c[$i] = i } NR>1 { s += $c["rnr_naks"] } END { print s + 0 }' "$dir/flows.csv")
[ "$naks" -gt 0 ] || { echo "FAIL: no receiver was not ready"; failed=$((failed + 1)); }
same "RNR NAKs" "$(count "infiniband.aeth.syndrome.opcode == 1 && infiniband.bth.opcode == 17")" "$naks"
same "SENDs, first" "$(op 0)" $((4 + naks))
same "SENDs, last" "$(op 2)" $((4 + naks))
echo "pcap: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
