#!/bin/sh
# Configurations of two ToRs of a dual-ToR rack and two leaves, as SONiC writes them;
# map names and values are those of its templates (3 to 2, 4 to 6 in the tunnel).
#
# usage: dual-tor.sh DIR      writes DIR/{T0,T1,La,Lb}.json
set -u
maps='"DSCP_TO_TC_MAP": {
    "AZURE":        {"0": "1", "2": "1", "3": "3", "4": "4", "6": "1", "48": "7"},
    "AZURE_UPLINK": {"0": "1", "2": "2", "3": "3", "4": "4", "6": "6", "48": "7"},
    "AZURE_TUNNEL": {"0": "1", "2": "1", "3": "3", "4": "4", "6": "1", "48": "7"}},
  "TC_TO_QUEUE_MAP": {
    "AZURE":        {"0": "0", "1": "1", "2": "1", "3": "3", "4": "4", "6": "1", "7": "7"},
    "AZURE_UPLINK": {"0": "0", "1": "1", "2": "2", "3": "3", "4": "4", "6": "6", "7": "7"},
    "AZURE_TUNNEL": {"0": "0", "1": "1", "2": "1", "3": "2", "4": "6", "6": "1", "7": "7"}},
  "TC_TO_PRIORITY_GROUP_MAP": {
    "AZURE":        {"0": "0", "1": "0", "2": "2", "3": "3", "4": "4", "6": "6", "7": "0"},
    "AZURE_TUNNEL": {"0": "0", "1": "0", "2": "0", "3": "2", "4": "6", "6": "0", "7": "0"}},
  "TC_TO_DSCP_MAP": {
    "AZURE_TUNNEL": {"0": "8", "1": "0", "2": "0", "3": "2", "4": "6", "6": "0", "7": "48"}},'
qos() # PORT SUFFIX PRIORITIES
{
	printf '    "%s": {"dscp_to_tc_map": "AZURE%s", "tc_to_queue_map": "AZURE%s", "tc_to_pg_map": "AZURE", "pfc_enable": "%s"}' \
		"$1" "$2" "$2" "$3"
}
write() # NAME TYPE TUNNEL NEIGHBOUR-OF-0/PORT NEIGHBOUR-OF-8/PORT NEIGHBOUR-OF-16/PORT
{
	edge= edges=3,4 groups=3-4 subtype=', "subtype": "DualToR"'
	[ "$2" = ToRRouter ] || { edge=_UPLINK edges=2,3,4,6 groups=2-4 subtype=; }
	cat >"$dir/$1.json" <<END
{
  "DEVICE_METADATA": {"localhost": {"hostname": "$1", "hwsku": "Arista-7050CX3-32S-D48C8", "type": "$2"$subtype}},
  "PORT": {
    "Ethernet0":  {"speed": "40000", "mtu": "9100", "admin_status": "up", "lanes": "1"},
    "Ethernet8":  {"speed": "40000", "mtu": "9100", "admin_status": "up", "lanes": "2"},
    "Ethernet16": {"speed": "40000", "mtu": "9100", "admin_status": "up", "lanes": "3"}},
  "CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m", "Ethernet8": "40m", "Ethernet16": "40m"}},
  "DEVICE_NEIGHBOR": {
    "Ethernet0":  {"name": "${4%/*}", "port": "${4#*/}"},
    "Ethernet8":  {"name": "${5%/*}", "port": "${5#*/}"},
    "Ethernet16": {"name": "${6%/*}", "port": "${6#*/}"}},
  $maps
  $3
  "PORT_QOS_MAP": {
$(qos Ethernet0 "$edge" $edges),
$(qos Ethernet8 _UPLINK 2,3,4,6),
$(qos Ethernet16 _UPLINK 2,3,4,6)},
  "BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "27328384", "xoff": "4194112"}},
  "BUFFER_PROFILE": {
    "ingress_lossless_profile": {"pool": "ingress_lossless_pool", "xon": "1248", "xoff": "96928", "size": "1248", "static_th": "40000", "xon_offset": "2496"}},
  "BUFFER_PG": {
    "Ethernet0|$groups": {"profile": "ingress_lossless_profile"},
    "Ethernet8,Ethernet16|2-4": {"profile": "ingress_lossless_profile"},
    "Ethernet8,Ethernet16|6": {"profile": "ingress_lossless_profile"}}
}
END
}
dir=$1
tunnel='"TUNNEL": {"MuxTunnel0": {"tunnel_type": "IPINIP", "dscp_mode": "pipe", "encap_tc_to_dscp_map": "AZURE_TUNNEL", "encap_tc_to_queue_map": "AZURE_TUNNEL"}},'
write T0 ToRRouter "$tunnel" s0/Ethernet0 La/Ethernet8 Lb/Ethernet8
write T1 ToRRouter "" s1/Ethernet0 La/Ethernet16 Lb/Ethernet16
write La LeafRouter "" xa/Ethernet0 T0/Ethernet8 T1/Ethernet8
write Lb LeafRouter "" xb/Ethernet0 T0/Ethernet16 T1/Ethernet16
