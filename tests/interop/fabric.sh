#!/bin/sh
# Configurations of a leaf-spine fabric, as SONiC writes them, an entry a port:
# LEAVES x PORTS, of which the last SPINES lead to the spines.
#
# usage: fabric.sh LEAVES SPINES PORTS DIR      writes DIR/leafN.json, DIR/spineN.json
set -u
awk -v L="$1" -v S="$2" -v P="$3" -v dir="$4" '
function q(s) { return "\"" s "\"" }
function per_port(f, table, suffix, body,   i) {
	printf "  %s: {\n", q(table) > f
	for (i = 0; i < P; i++)
		printf "    %s: %s%s\n", q("Ethernet" i*8 suffix), body, i < P - 1 ? "," : "" > f
	printf "  },\n" > f
}
function write(f, name, type, spine, k,   i, j, n) {
	printf "{\n  \"DEVICE_METADATA\": {\"localhost\": {\"hostname\": %s, \"hwsku\": \"Arista-7060X6-64PE\", \"type\": %s, \"buffer_model\": \"traditional\"}},\n", q(name), q(type) > f
	per_port(f, "PORT", "", "{\"speed\": \"400000\", \"mtu\": \"9100\", \"admin_status\": \"up\", \"lanes\": \"1,2,3,4\", \"alias\": \"x\", \"index\": \"1\"}")
	printf "  \"CABLE_LENGTH\": {\"AZURE\": {" > f
	for (i = 0; i < P; i++) printf "%s%s: %s", i ? ", " : "", q("Ethernet" i*8), (spine || i >= P - S) ? "\"40m\"" : "\"5m\"" > f
	printf "}},\n  \"DEVICE_NEIGHBOR\": {" > f
	n = spine ? L : P
	for (i = 0; i < n; i++) {
		if (spine) printf "%s%s: {\"name\": \"leaf%d\", \"port\": \"Ethernet%d\"}", i ? ", " : "", q("Ethernet" i*8), i, (P - S + k) * 8 > f
		else if (i >= P - S) printf ", %s: {\"name\": \"spine%d\", \"port\": \"Ethernet%d\"}", q("Ethernet" i*8), i - (P - S), k * 8 > f
		else printf "%s%s: {\"name\": \"h%d\", \"port\": \"eth0\"}", i ? ", " : "", q("Ethernet" i*8), k * (P - S) + i > f
	}
	printf "},\n" > f
	printf "  \"BUFFER_POOL\": {\"ingress_lossless_pool\": {\"size\": \"166115492\", \"type\": \"ingress\", \"mode\": \"dynamic\", \"xoff\": \"29423360\"}, \"egress_lossless_pool\": {\"size\": \"167546528\", \"type\": \"egress\", \"mode\": \"static\"}},\n" > f
	printf "  \"BUFFER_PROFILE\": {\"pg_lossless_400000_5m_profile\": {\"pool\": \"ingress_lossless_pool\", \"size\": \"18796\", \"xon\": \"0\", \"xoff\": \"445770\", \"dynamic_th\": \"0\", \"xon_offset\": \"3556\"}, \"pg_lossless_400000_40m_profile\": {\"pool\": \"ingress_lossless_pool\", \"size\": \"18796\", \"xon\": \"0\", \"xoff\": \"612140\", \"dynamic_th\": \"0\", \"xon_offset\": \"3556\"}, \"ingress_lossy_profile\": {\"pool\": \"ingress_lossless_pool\", \"size\": \"0\", \"dynamic_th\": \"3\"}, \"egress_lossless_profile\": {\"pool\": \"egress_lossless_pool\", \"size\": \"0\", \"static_th\": \"167546528\"}},\n" > f
	printf "  \"BUFFER_PG\": {" > f
	for (i = 0; i < P; i++) printf "%s%s: {\"profile\": \"pg_lossless_400000_%s_profile\"}, %s: {\"profile\": \"ingress_lossy_profile\"}", i ? ",\n " : "", q("Ethernet" i*8 "|3-4"), (spine || i >= P - S) ? "40m" : "5m", q("Ethernet" i*8 "|0") > f
	printf "},\n" > f
	per_port(f, "BUFFER_QUEUE", "|3-4", "{\"profile\": \"egress_lossless_profile\"}")
	printf "  \"DSCP_TO_TC_MAP\": {\"AZURE\": {" > f
	for (i = 0; i < 64; i++) printf "%s%s: %s", i ? ", " : "", q(i), q(i == 3 ? 3 : i == 4 ? 4 : i == 8 ? 0 : i == 48 ? 6 : 1) > f
	printf "}},\n  \"TC_TO_QUEUE_MAP\": {\"AZURE\": {\"0\":\"0\",\"1\":\"1\",\"2\":\"2\",\"3\":\"3\",\"4\":\"4\",\"5\":\"5\",\"6\":\"6\",\"7\":\"7\"}},\n  \"TC_TO_PRIORITY_GROUP_MAP\": {\"AZURE\": {\"0\":\"0\",\"1\":\"0\",\"2\":\"0\",\"3\":\"3\",\"4\":\"4\",\"5\":\"0\",\"6\":\"0\",\"7\":\"0\"}},\n" > f
	per_port(f, "PORT_QOS_MAP", "", "{\"dscp_to_tc_map\": \"AZURE\", \"tc_to_queue_map\": \"AZURE\", \"tc_to_pg_map\": \"AZURE\", \"pfc_enable\": \"3,4\", \"pfcwd_sw_enable\": \"3,4\"}")
	printf "  \"SCHEDULER\": {\"scheduler.0\": {\"type\": \"DWRR\", \"weight\": \"14\"}, \"scheduler.1\": {\"type\": \"DWRR\", \"weight\": \"15\"}},\n  \"WRED_PROFILE\": {\"AZURE_LOSSLESS\": {\"wred_green_enable\": \"true\", \"ecn\": \"ecn_all\", \"green_min_threshold\": \"131072\", \"green_max_threshold\": \"262144\", \"green_drop_probability\": \"5\"}},\n" > f
	printf "  \"QUEUE\": {" > f
	for (i = 0; i < P; i++) for (j = 0; j < 7; j++) printf "%s%s: {\"scheduler\": \"scheduler.%d\"%s}", i + j ? ",\n " : "", q("Ethernet" i*8 "|" j), (j == 3 || j == 4), (j == 3 || j == 4) ? ", \"wred_profile\": \"AZURE_LOSSLESS\"" : "" > f
	printf "},\n" > f
	per_port(f, "PFC_WD", "", "{\"action\": \"drop\", \"detection_time\": \"400\", \"restoration_time\": \"400\"}")
	printf "  \"VERSIONS\": {\"DATABASE\": {\"VERSION\": \"x\"}}\n}\n" > f
	close(f)
}
BEGIN {
	for (k = 0; k < L; k++) write(dir "/leaf" k ".json", "leaf" k, "LeafRouter", 0, k)
	for (k = 0; k < S; k++) write(dir "/spine" k ".json", "spine" k, "SpineRouter", 1, k)
}'
