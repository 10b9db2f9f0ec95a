#!/bin/sh
# SONiC configurations in, SONiC's layouts out: a top-of-rack switch read back as it
# stands in its file; the forms that a configuration may have; 64 leaves and 16
# spines of 64 ports.
#
# usage: run.sh        ends with "interop: N passed, M failed"
set -u
suite=interop
. "$(dirname "$0")/../support/script.sh"

says()	{ grep -q -e "$1" "$2"; }
plain()	{ grep -v '^//' "$1"; }
same()	{ plain "$1" >one; plain "$2" >other; cmp -s one other; }

# ------------------------------------------------------ one switch, read back
ends 0 import sonic "$here/t0.json" --hosts -o t0.json
is "32 ports have a host each: $(cat out)" says '1 switch, 32 hosts, 32 links; lossless priorities 3,4$' out
is "unknown tables are ignored by name" says '^ignored: tables: BGP_NEIGHBOR, VLAN' err
is "fields too" says '^ignored: WRED_PROFILE: red_min_threshold' err
is "the notes stand in the file" says '^//   ignored: tables: BGP_NEIGHBOR, VLAN' t0.json

is "the pool of a Tomahawk is divided" says '"partitions": 4' t0.json

ends 0 check config t0.json
is "marks that nobody heeds" says 'no sender reacts to ECN marks: nic.cc is none' out
is "ECN against PFC is not reckoned by partition: see out" says 'at most 2 groups of a partition fill at once, and that has 8 lossless ports' out

cat >load.json <<'END'
{"schema": "xoff.experiment/1", "name": "t0-load", "include": ["t0.json"],
 "traffic": {"burst": {"incast": {"from": "server[1-8]", "to": "server0", "size": "1MB"}, "class": "tc3"}},
 "run": {"until": "2ms"}}
END
ends 0 run load.json -o run --quiet

for view in pfcwd ecn; do
	ends 0 show $view config run
	is "$view config is not as it should be" diff out "$here/t0.$view-config"
done
ends 0 show pfcwd config t0.json
is "an experiment shows its settings too" cmp -s out "$here/t0.pfcwd-config"

ends 0 show buffer profiles run
block()	{ awk -v name="$1" '$0 == name { on = 1; next } on && /^$/ { exit } on && !/^-/ { printf "%s=%s ", $1, $2 }' out; }
is "the pool: $(block 'Pool: ingress_lossless_pool')" \
	[ "$(block 'Pool: ingress_lossless_pool')" = "mode=dynamic size=10875072 type=ingress xoff=4194112 " ]
for cable in 5m:165568:-3 40m:177632:0; do
	IFS=: read -r length xoff th <<END
$cable
END
	profile="Profile: pg_lossless_100000_${length}_profile"
	is "$profile: $(block "$profile")" [ "$(block "$profile")" = \
		"pool=ingress_lossless_pool size=1248 xon=2288 xon_offset=2288 xoff=$xoff dynamic_th=$th " ]
done
is "24 ports have the first" [ "$(grep -c '3-4 *pg_lossless_100000_5m_profile$' out)" = 24 ]
is "8 ports have the second" [ "$(grep -c '3-4 *pg_lossless_100000_40m_profile$' out)" = 8 ]

ends 0 show qos maps run
awk '/"DSCP_TO_TC_MAP"/ { on = 1; next } on && /}/ { exit } on { gsub(/[":,]/, " "); print }' \
	"$here/t0.json" | awk '{ for (i = 1; i < NF; i += 2) print $i, $(i + 1) }' >said
awk '/^Map: DSCP_TO_TC_MAP/ { on = 1; next } on && /^$/ { exit } on && !/^-/ { print $1, $2 }' out >shown
is "the 64 DSCPs: $(diff said shown)" cmp -s said shown
is "every port has PFC on 3 and 4" [ "$(grep -c '^ *Ethernet[0-9]* *3,4 ' out)" = 32 ]
is "28 are watched" [ "$(grep -c '^ *Ethernet[0-9]* *3,4 *3,4$' out)" = 28 ]
is "queue 6 is strict" says '^6  STRICT$' out

# ------------------------------------------------------------------- counters
sum()	{ awk -v column="$1" 'NR > 2 && /^ *Ethernet/ { gsub(/,/, ""); n += $column } END { print n + 0 }'; }
field()	{ sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" run/summary.json | head -1; }
ends 0 show pfc counters run
sent=$(awk '/Port Tx/ { on = 1 } on' out | sum 5)
total=$(($(field xoff_frames) + $(field refresh_frames) + $(field xon_frames)))
is "pauses of the switch ($sent) are those of the run ($total), for no host sent any" [ "$sent" = "$total" ]
is "and there were some" [ "$sent" -gt 0 ]
is "none was received" [ "$(awk '/Port Tx/ { exit } 1' out | sum 5)" = 0 ]

ends 0 show queue counters run
is "server0 got 8 x 1 MB in frames of 4158 bytes and less" \
	[ "$(awk '$1 == "Ethernet0" && $2 == "UC3" { gsub(/,/, "", $4); print ($4 > 8100000 && $4 < 8200000) }' out)" = 1 ]
is "no queue dropped" [ "$(awk '/^ *Ethernet/ { n += $5 + $6 } END { print n + 0 }' out)" = 0 ]
cat >drop.json <<'END'
{"schema": "xoff.experiment/1", "name": "t0-drop", "include": ["t0.json"],
 "traffic": {"a": {"stream": {"from": "server1", "to": "server0"}, "class": "tc1"},
             "b": {"stream": {"from": "server2", "to": "server0"}, "class": "tc1"},
             "c": {"stream": {"from": "server3", "to": "server0", "rate": "1Gbps"}, "class": "tc0"}},
 "run": {"until": "4ms"}}
END
ends 0 run drop.json -o dropped --quiet
ends 0 show queue counters dropped
is "UC1 to server0 alone dropped, and UC0, of the same group, counts its own: $(grep '^ *Ethernet0 ' out)" \
	[ "$(awk '$1 == "Ethernet0" && $2 == "UC1" { gsub(/,/, ""); one = $5 > 1000 && $6 == 1000 * $5 }
		$1 == "Ethernet0" && $2 == "UC0" { gsub(/,/, ""); other = $3 > 300 && $3 < 500 }
		END { print one + other }' out)" = 2 ]
ends 0 show queue watermark dropped
is "UC1 to server0 was the longest queue" [ "$(awk '$1 == "Ethernet0" { print ($3 > 100000 && $3 > $2) }' out)" = 1 ]
ends 0 show priority-group watermark headroom run
is "headroom was used" [ "$(sum 5 <out)" -gt 0 ]
ends 0 show buffer-pool watermark run
is "the pool held something" [ "$(awk '$1 == "ingress_lossless_pool" { print ($2 > 0) }' out)" = 1 ]
ends 0 show pfcwd stats run
is "no storm: $(cat out)" [ "$(wc -l <out)" = 2 ]
ends 0 show pfcwd stats run --check-storm
is "--check-storm prints nothing" [ ! -s out ]

cat >storm.json <<'END'
{"schema": "xoff.experiment/1", "name": "t0-storm", "include": ["t0.json"],
 "traffic": {"s": {"stream": {"from": "server1", "to": "server0", "rate": "1Gbps"}, "class": "tc3"}},
 "faults": {"mad": {"nic_storm": {"host": "server0", "class": "tc3"}, "at": "1ms"}},
 "switches": {"t0": {"watchdog": {"detect": "2ms", "restore": "2ms", "poll": "1ms"}}},
 "run": {"until": "8ms"}}
END
ends 0 run storm.json -o stormed --quiet
ends 1 show pfcwd stats stormed --check-storm
ends 0 show pfcwd stats stormed
is "one storm, at Ethernet0:3: $(cat out)" says '^Ethernet0:3  *stormed  *1/0  *0/[1-9]' out
is "the columns of pfcwd show stats" [ "$(sed -n 1p out | tr -s ' ' | sed 's/^ //')" = \
	"QUEUE STATUS STORM DETECTED/RESTORED TX OK/DROP RX OK/DROP TX LAST OK/DROP RX LAST OK/DROP" ]
# What it sends is lost; what comes from it gets through (zero_buffer, dlr), or does not (acl).
sed 's/"s": {/"back": {"stream": {"from": "server0", "to": "server1", "rate": "1Gbps"}, "class": "tc3"}, "s": {/' \
	storm.json >both.json
for handler in acl zero_buffer dlr; do
	case $handler in acl) rx='0/[1-9][0-9]*' ;; *) rx='[1-9][0-9]*/0' ;; esac
	ends 0 run both.json -o both-$handler --quiet --set switches.t0.watchdog.handler=$handler
	ends 0 show pfcwd stats both-$handler
	is "$handler: $(cat out)" says "^Ethernet0:3  *stormed  *1/0  *0/[1-9][0-9]*  *$rx  *0/[1-9][0-9]*  *$rx\$" out
done
ends 0 show pfcwd config both.json --switch t0
is "the poll interval: $(head -1 out)" says '^Changed polling interval to 1ms$' out

# ------------------------------------------------------------------ forms, twins
cat >nested.json <<'END'
{"DEVICE_METADATA": {"localhost": {"hostname": "x"}},
 "PORT": {"Ethernet0": {"speed": "40000"}, "Ethernet4": {"speed": "40000"}},
 "CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m", "Ethernet4": "300m"}},
 "BUFFER_POOL": {"pool": {"type": "ingress", "mode": "dynamic", "size": "12766208"}},
 "BUFFER_PROFILE": {"p": {"pool": "pool", "size": "56368", "xoff": "55120", "xon": "18432", "dynamic_th": "-3", "xon_offset": "2496"}},
 "BUFFER_PG": {"Ethernet0,Ethernet4|3-4": {"profile": "p"}},
 "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3,4"}, "Ethernet4": {"pfc_enable": "3,4"}}}
END
sed 's/"pool": "pool"/"pool": "[BUFFER_POOL|pool]"/; s/"profile": "p"/"profile": "[BUFFER_PROFILE|p]"/' nested.json >bracket.json
printf '{"SAMPLE": %s}\n' "$(cat nested.json)" >below.json
cat >flat.json <<'END'
{"DEVICE_METADATA|localhost": {"hostname": "x"}, "PORT|Ethernet0": {"speed": "40000"},
 "PORT|Ethernet4": {"speed": 40000}, "CABLE_LENGTH|AZURE": {"Ethernet0": "5m", "Ethernet4": "300m"},
 "BUFFER_POOL|pool": {"type": "ingress", "mode": "dynamic", "size": "12766208"},
 "BUFFER_PROFILE|p": {"pool": "[BUFFER_POOL|pool]", "size": "56368", "xoff": "55120", "xon": "18432", "dynamic_th": "-3", "xon_offset": "2496"},
 "BUFFER_PG|Ethernet0|3-4": {"profile": "p"}, "BUFFER_PG|Ethernet4|3": {"profile": "p"},
 "BUFFER_PG|Ethernet4|4": {"profile": "p"}, "PORT_QOS_MAP|Ethernet0,Ethernet4": {"pfc_enable": ["3", "4"]}}
END
cat >appl.json <<'END'
[{"DEVICE_METADATA": {"localhost": {"hostname": "x"}}, "PORT_TABLE:Ethernet0": {"speed": "40000"}},
 {"PORT_TABLE:Ethernet4": {"speed": "10000"}, "CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m"}}},
 {"BUFFER_POOL_TABLE:pool": {"type": "ingress", "mode": "dynamic", "size": "12766208"},
  "BUFFER_PROFILE_TABLE:p": {"pool": "[BUFFER_POOL_TABLE:pool]", "size": "56368", "xoff": "55120", "xon": "18432", "dynamic_th": "-3", "xon_offset": "2496"},
  "BUFFER_PG_TABLE:Ethernet0:3-4": {"profile": "[BUFFER_PROFILE_TABLE:p]"}},
 {"BUFFER_PG_TABLE": {"Ethernet4:3-4": {"profile": "p"}}, "PORT": {"Ethernet4": {"speed": "40000"}},
  "CABLE_LENGTH": {"AZURE": {"Ethernet4": "300m"}}, "PORT_QOS_MAP": {"Ethernet0,Ethernet4": {"pfc_enable": "3,4"}}}]
END
for form in nested bracket below flat appl; do
	ends 0 import sonic $form.json --hosts -q -o $form-out.json
	is "$form gives another fabric than nested" same nested-out.json $form-out.json
done
mkdir -p leaf9
printf '{"PORT_QOS_MAP": {"Ethernet0,Ethernet4": {"pfc_enable": "3,4"}}}' >leaf9/qos.json
grep -v PORT_QOS_MAP nested.json | sed 's/"hostname": "x"/"mac": "y"/; s/{"profile": "p"}},/{"profile": "p"}}}/' >leaf9/buffers.json
ends 0 import sonic leaf9/qos.json leaf9/buffers.json --hosts -q -o pair.json
sed 's/leaf9/x/g' pair.json >pair-out.json
is "a pair of files is one switch" same nested-out.json pair-out.json
cp leaf9/qos.json maps.json
ends 0 import sonic leaf9/buffers.json+maps.json --hosts -q -o pair.json
sed 's/leaf9/x/g' pair.json >pair-out.json
is "A+B is one switch" same nested-out.json pair-out.json

# ------------------------------------------------------------------ dual ToRs
# The tunnel's maps become a remap; with it the bounces close no circle, without it they do.
sh "$here/dual-tor.sh" .
ends 0 import sonic T0.json T1.json La.json Lb.json -o dual.json
is "the tunnel's maps are used: $(cat err)" says 'used: tunnel maps: .* 3 to 2, 4 to$' err
is "the leaves' are not" says '^ignored: TC_TO_DSCP_MAP: AZURE_TUNNEL: La,Lb$' err
is "the remap of T0" says '"tunnel": {"from": "La,Lb", "to": "La,Lb", "class": {"tc3": "tc2", "tc4": "tc6"}}' dual.json
is "and the way back" says '"decap": {"from": "La,Lb", "to": "s0", "class": {"tc2": "tc3", "tc6": "tc4"}}' dual.json
cat >bounce.json <<END
{"schema": "xoff.experiment/1", "include": ["dual.json"], "name": "bounce",
 "routes": {
    "s0-to-standby": {"at": "La", "to": "s0", "via": "T1"}, "s0-bounce": {"at": "T1", "to": "s0", "via": "Lb"},
    "s1-to-standby": {"at": "Lb", "to": "s1", "via": "T0"}, "s1-bounce": {"at": "T0", "to": "s1", "via": "La"}},
 "traffic": {
    "b0": {"stream": {"from": "xa", "to": "s0", "frame": "1000B"}, "class": "tc3"},
    "b1": {"stream": {"from": "xb", "to": "s1", "frame": "1000B"}, "class": "tc3"}},
 "run": {"until": "5ms"}}
END
ends 0 check deadlock bounce.json
ends 0 check config bounce.json
ends 1 check deadlock bounce.json --set switches.T0.remap=null --set switches.T1.remap=null --emit closed.json
is "and it locks" says 'its run deadlocks at' out

# ------------------------------------------------------------------ a large fabric
sh "$here/fabric.sh" 64 16 64 .
ends 0 import sonic leaf*.json spine*.json -o big.json
is "64 leaves, 16 spines: $(cat out)" says '80 switches, 3072 hosts, 4096 links; lossless priorities 3,4$' out
is "leaves share an entry" says '^    "leaf\[0-63\]": {' big.json
is "what holds for all is told once" [ "$(wc -l <err)" -lt 40 ]
ends 0 run big.json --set run.until=1us --quiet

finish
