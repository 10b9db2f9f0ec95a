/*
 * interop/sonic_inside.h - what the files of the importer share.
 *
 *	sonic_doc    files to tables, and places in them for messages
 *	sonic_device which files are one switch
 *	sonic_field  one value: numbers, lists, references, port names
 *	sonic_port   ports, cables, neighbours, watchdog      of one switch
 *	sonic_qos    maps, schedulers, WRED                   of one switch
 *	sonic_buffer pools, profiles, which group has which   of one switch
 *	sonic_group  the thresholds of every lossless group, computed where needed
 *	sonic_link   cables and neighbours to nodes and links
 *	sonic_meant  names of the cable list that are switches spelled wrong
 *	sonic_class  the traffic classes that all switches' maps come to
 *	sonic_tunnel a tunnel's maps                          of one switch
 *	sonic_switch the settings of one switch, as Xoff says them
 *	sonic_write  the experiment
 *	sonic_note   what became of every field
 *
 * Strings of a configuration are borrowed from its JSON, which lives as long as
 * the import.  Indices are -1 where there is nothing.
 */
#ifndef SONIC_INSIDE_H
#define SONIC_INSIDE_H
#include <jansson.h>
#include "interop/sonic.h"
#include "scenario/jsonc.h"
#include "sim/error.h"

enum { SONIC_PRIOS = 8, SONIC_DSCPS = 64, SONIC_TCS = 16, SONIC_PORT_MAX = 65535,
       SONIC_ROOTS = 64, SONIC_NAME_MAX = 64, SONIC_POINTER_MAX = 1024 };

enum sonic_table {
	SONIC_DEVICE_METADATA, SONIC_PORT, SONIC_CABLE_LENGTH, SONIC_DEVICE_NEIGHBOR,
	SONIC_DEVICE_NEIGHBOR_METADATA, SONIC_PORT_QOS_MAP, SONIC_DSCP_TO_TC_MAP,
	SONIC_TC_TO_QUEUE_MAP, SONIC_TC_TO_PRIORITY_GROUP_MAP, SONIC_MAP_PFC_PRIORITY_TO_QUEUE,
	SONIC_PFC_PRIORITY_TO_PRIORITY_GROUP_MAP, SONIC_SCHEDULER, SONIC_WRED_PROFILE,
	SONIC_QUEUE, SONIC_TC_TO_DSCP_MAP, SONIC_TUNNEL, SONIC_BUFFER_POOL, SONIC_BUFFER_PROFILE, SONIC_BUFFER_PG,
	SONIC_BUFFER_QUEUE, SONIC_DEFAULT_LOSSLESS_BUFFER_PARAMETER,
	SONIC_LOSSLESS_TRAFFIC_PATTERN, SONIC_PFC_WD, SONIC_TABLES
};

/* ------------------------------------------------------------------- files */

struct sonic_doc {		/* one file */
	char *path, *text;
	size_t length;
	json_t *json;
	json_t *tables[SONIC_TABLES];	/* {key: {field: text}}, or NULL */
	json_t *unknown;		/* names of the other tables, as keys */
	char *roots[SONIC_ROOTS];	/* pointers of the objects that hold tables */
	int nroots;
	bool patches;			/* a list */
	int together;			/* files of one A+B have one number; -1: alone */
	int device;
};

/* ---------------------------------------------------------------- switches */

enum sonic_map { SONIC_DSCP_TC, SONIC_TC_QUEUE, SONIC_TC_GROUP, SONIC_PFC_QUEUE,
		 SONIC_PFC_GROUP, SONIC_TC_DSCP, SONIC_MAPS };	/* the last: of tunnels only */

struct sonic_maps {		/* one table of named maps */
	struct sonic_map_of {
		const char *name;
		bool used;			/* something refers to it */
		int8_t to[SONIC_DSCPS];		/* -1: not named */
	} *v;
	int n;
};
struct sonic_scheduler { const char *name; bool strict; int64_t weight; };
struct sonic_wred {
	const char *name;
	bool green, ecn;	/* the curve is on for green packets; it marks them */
	int64_t kmin, kmax, percent;
};
struct sonic_pool {
	const char *name;
	bool egress, dynamic;
	int64_t size, xoff;	/* size -1: the switch computes it */
	int64_t percentage;	/* of what there is, then */
};
struct sonic_profile {
	const char *name;
	int pool;
	int64_t size, xoff;	/* xoff -1: lossy */
	int64_t xon, xon_offset;
	int64_t fixed;		/* static_th; -1: alpha = 2^th */
	int th;
	bool computed;		/* headroom_type dynamic */
};

enum sonic_group_kind { SONIC_UNSET, SONIC_LOSSY, SONIC_LOSSLESS };
struct sonic_group {		/* one priority group of one port */
	enum sonic_group_kind kind;
	const char *profile;	/* as BUFFER_PG names it, or NULL */
	int64_t reserved, headroom, xon, xon_offset, fixed;
	int th;
};

enum sonic_admin { SONIC_ADMIN_UNSAID, SONIC_ADMIN_UP, SONIC_ADMIN_DOWN };
struct sonic_port {
	int number;
	bool known;			/* PORT has it */
	const char *alias;
	int64_t rate_bps, mtu, lanes;	/* 0: not told */
	enum sonic_admin admin;
	int64_t cable_mm;		/* -1: CABLE_LENGTH does not say */
	const char *cable;		/* as it is written */
	const char *neighbour, *neighbour_port;
	bool qos;			/* PORT_QOS_MAP has it */
	int map[SONIC_MAPS];
	uint8_t pfc;			/* pfc_enable, a mask */
	int watch;			/* pfcwd_sw_enable; -1: not said */
	int scheduler[SONIC_PRIOS], wred[SONIC_PRIOS];	/* by queue */
	const char *egress[SONIC_PRIOS];		/* profile by queue */
	struct sonic_group group[SONIC_PRIOS];
	uint8_t lossless;		/* groups that PFC really protects */
	struct { bool on; int64_t detect_ms, restore_ms; const char *action; } watchdog;
	int link;			/* index, or -1 */
};

struct sonic_asic;
struct sonic_device {
	char *name;
	struct sonic *s;
	int index;
	json_t *tables[SONIC_TABLES];
	json_t *unknown;
	const char *hwsku, *platform, *asic_name;
	bool dynamic;			/* buffer_model */
	const struct sonic_asic *asic;	/* never NULL */
	struct sonic_port *ports;	/* by number */
	int nports, ports_room;
	bool listed;			/* PORT names its ports */
	struct sonic_maps maps[SONIC_MAPS];
	int global_map[SONIC_MAPS];	/* PORT_QOS_MAP|global */
	int tunnel_dscp, tunnel_queue;	/* maps of what it sends in a tunnel; both, or -1 */
	struct sonic_scheduler *schedulers; int nschedulers;
	struct sonic_wred *wreds; int nwreds;
	struct sonic_pool *pools; int npools;
	struct sonic_profile *profiles; int nprofiles;
	int pool;			/* the one that lossless groups share, or -1 */
	int64_t shared_bytes, headroom_bytes;	/* of that pool: shared part, shared headroom */
	int64_t egress_bytes;		/* smallest limit of a lossless queue below it; -1 none */
	int default_th;			/* dynamic model */
	int64_t small_percent, lossless_mtu, over_subscribe;
	int64_t poll_ms;		/* of the watchdog; -1: not said */
	bool big_red_switch;
	int trust_dscp, trust_pcp;	/* ports with a map of DSCPs, and with one of 802.1p priorities alone */
	/* what it comes to, by DSCP */
	uint8_t queue_of[SONIC_DSCPS], group_of[SONIC_DSCPS];
};

/* -------------------------------------------------------------------- links */

struct sonic_host { char *name; uint64_t *taken; int words; };	/* taken: ports, as bits */
struct sonic_end { int device, host, port; };	/* device -1: a host; port -1: any */
struct sonic_link { struct sonic_end a, b; int64_t rate_bps, cable_mm; };

struct sonic_class { bool used, lossless, strict; int64_t weight; int dscp, group; };

struct sonic_notes;
struct sonic_rows;		/* of pg_profile_lookup.ini */
struct sonic {
	const struct sonic_options *opt;	/* during the import only */
	struct diag *diag;
	struct sonic_doc *docs; int ndocs;
	struct sonic_device *devices; int ndevices;	/* by name, natural order */
	struct sonic_host *hosts; int nhosts, hosts_room;
	json_t *host_index;			/* name: number */
	struct sonic_link *links; int nlinks, links_room;
	struct sonic_class classes[SONIC_PRIOS];	/* by queue */
	struct sonic_rows *rows;
	struct sonic_notes *notes;
	char *name;
	char **texts;			/* of each switch: sonic_switch_text */
};

/* ------------------------------------------------------------------ sonic_doc */

/* Reads all files into tables. */
int sonic_docs_load(struct sonic *s);
void sonic_docs_free(struct sonic *s);
const char *sonic_table_name(enum sonic_table table);

/* One entry of a table, while it is read. */
struct sonic_entry {
	struct sonic_device *d;
	enum sonic_table table;
	const char *key;
	json_t *fields;
};
/* Says what is wrong with a field, or with the key (`field` NULL).  Always -1. */
int sonic_fail(const struct sonic_entry *e, const char *field, const char *fmt, ...)
	SIM_PRINTF(3, 4);
/* Calls `each` for every entry of a table; returns the or of the answers. */
int sonic_each(struct sonic_device *d, enum sonic_table table,
	       int (*each)(const struct sonic_entry *e));
/* Reads a file whole; NULL after a message. */
char *sonic_read(struct sonic *s, const char *path, size_t *length);

/* --------------------------------------------------------------- sonic_device */

/* Files to switches, sorted by name, with their tables. */
int sonic_devices_load(struct sonic *s);
/* A legal name of a node, malloc'ed: what is not allowed becomes '-', nothing at all
 * "unnamed". */
char *sonic_legal_name(const char *text);

/* ---------------------------------------------------------------- sonic_field */

const char *sonic_text(const struct sonic_entry *e, const char *field);	/* NULL: absent */
/* Absent: *out is left alone.  -1: malformed or out of range, told. */
int sonic_number(const struct sonic_entry *e, const char *field, int64_t min, int64_t max,
		 int64_t *out) SIM_MUST_CHECK;
/* "3,4" as a mask.  Absent: left alone. */
int sonic_mask(const struct sonic_entry *e, const char *field, uint8_t *out) SIM_MUST_CHECK;
/* "true", "false".  Absent: left alone. */
int sonic_bool(const struct sonic_entry *e, const char *field, bool *out) SIM_MUST_CHECK;
/* The name in "[TABLE|x]", "[TABLE:x]" or "x"; NULL when the field is absent. */
const char *sonic_reference(const struct sonic_entry *e, const char *field, char *buf,
			    size_t size);
/* A whole decimal number; false when the text is none. */
bool sonic_whole(const char *text, int64_t *out);
/* N of EthernetN, or -1. */
int sonic_port_number(const char *name);
/* The keys of tables by port and index: "Ethernet0,Ethernet4|3-4", "HOST|ASIC|Ethernet0|3".
 * Calls `each` for every (port, index in 0..7). */
int sonic_each_index(const struct sonic_entry *e,
		     int (*each)(const struct sonic_entry *e, struct sonic_port *p, int index));
/* Likewise for "Ethernet0,Ethernet4". */
int sonic_each_port(const struct sonic_entry *e,
		    int (*each)(const struct sonic_entry *e, struct sonic_port *p, int zero));

/* ------------------------------------------------------------------- of a switch */

int sonic_ports_load(struct sonic_device *d);
/* NULL when the switch has no such port. */
struct sonic_port *sonic_port_find(const struct sonic_device *d, int number);
/* By name or alias. */
struct sonic_port *sonic_port_named(const struct sonic_device *d, const char *name);
int sonic_watchdog_load(struct sonic_device *d);
int sonic_qos_load(struct sonic_device *d);
void sonic_qos_free(struct sonic_device *d);
/* Does anything refer to this entry?  True of tables that are no maps. */
bool sonic_map_used(const struct sonic_device *d, enum sonic_table table, const char *key);
/* By name; -1: there is none. */
int sonic_map_find(const struct sonic_device *d, enum sonic_map kind, const char *name);
int sonic_tunnel_load(struct sonic_device *d);	/* after the maps */
void sonic_tunnel_settle(struct sonic_device *d);	/* after the links: do its maps count? */
int sonic_buffers_load(struct sonic_device *d);
const struct sonic_profile *sonic_profile_find(const struct sonic_device *d, const char *name);
/* Groups of every port: from their profiles, the table, or a formula; findings. */
void sonic_groups_settle(struct sonic_device *d);
/* One group that its file leaves to the switch: sets it, or says why it stays lossy.
 * `th` is that of its profile, or that of the switch. */
void sonic_group_compute(struct sonic_device *d, struct sonic_port *p, int g, int th);
void sonic_group_look_up(struct sonic_device *d, struct sonic_port *p, int g);
/* Sizes of the shared pool and of the shared headroom, after the groups. */
void sonic_pool_settle(struct sonic_device *d);
/* What there is to say of a port, or else what is assumed. */
int64_t sonic_port_rate(struct sonic_device *d, const struct sonic_port *p);
int64_t sonic_port_mtu(const struct sonic_port *p);

/* ----------------------------------------------------------------- sonic_lookup */

struct sonic_row { int64_t mbps, cable_mm, size, xon, xoff, threshold, xon_offset; };
int sonic_rows_load(struct sonic *s);
void sonic_rows_free(struct sonic_rows **rows);
const struct sonic_row *sonic_row_find(const struct sonic_rows *rows, int64_t mbps,
				       int64_t cable_mm);
/* "40m" in millimetres; -1: no length. */
int64_t sonic_cable_mm(const char *text);

/* ------------------------------------------------------------------- sonic_asic */

struct sonic_asic {
	const char *name;
	const char *rule, *handler;	/* of the watchdog; handler NULL: the rule's own */
	int64_t cell_bytes;
	int partitions;			/* of the pool; 1: one */
	/* for NVIDIA's formula; pipeline_kb 0: none */
	int pipeline_kb;
	bool tile, round_up;
	int64_t extra_bytes;
};
extern const struct sonic_asic sonic_asic_unknown, sonic_asic_nvidia;
/* By hwsku or platform; NULL when neither tells. */
const struct sonic_asic *sonic_asic_find(const char *hwsku, const char *platform);
/* By the size of a pool of SONiC's platform files; NULL: not one of those. */
const struct sonic_asic *sonic_asic_by_pool(int64_t bytes);

struct sonic_nvidia {			/* what the formula is asked */
	int64_t mbps, cable_mm, port_mtu, lossless_mtu, small_percent;
	int lanes;
	bool shared;			/* a shared headroom pool */
};
struct sonic_nvidia_answer { int64_t size, xon, xoff; };
struct sonic_nvidia_answer sonic_nvidia(const struct sonic_asic *asic,
					const struct sonic_nvidia *ask);
/* The same with the peer's response in bytes; -1: by the quanta of the speed. */
int64_t sonic_nvidia_xoff(const struct sonic_asic *asic, const struct sonic_nvidia *ask,
			  int64_t peer_bytes);

/* ------------------------------------------------------------------- of them all */

/* The CSV first: what it says of a port wins over DEVICE_NEIGHBOR. */
int sonic_cables_load(struct sonic *s);
void sonic_links_load(struct sonic *s);
/* The switch that a device without a configuration was meant to be, as the port at the
 * other end of its cable tells; or NULL. */
const struct sonic_device *sonic_meant_neighbour(const struct sonic *s, const char *name,
						 const struct sonic_port *other);
/* A switch of a near name whose port of that name has no cable; or NULL.  Of use when
 * all cables are there. */
const struct sonic_device *sonic_meant_port(const struct sonic *s, const char *name,
					    const char *port);
/* The end at a port, by names; a node that is no switch becomes a host.
 * -1: the switch has no such port. */
int sonic_end_find(struct sonic *s, const char *node, const char *port, struct sonic_end *end);
/* NULL of a host. */
struct sonic_port *sonic_end_port(const struct sonic *s, const struct sonic_end *end);
/* `cable_mm` -1: as CABLE_LENGTH says. */
void sonic_link_add(struct sonic *s, const struct sonic_end *a, const struct sonic_end *b,
		    int64_t cable_mm);
/* Queue and group of every DSCP on every switch, and the classes they come to. */
void sonic_classes_make(struct sonic *s);
/* The map of this kind that holds for the port (NULL: of a switch without any); -1: none. */
int sonic_map_of(const struct sonic_device *d, const struct sonic_port *p, enum sonic_map kind);

/* What one switch says, as the object of an experiment's `switches`, `depth` levels
 * deep; malloc'ed.  Notes what cannot be said. */
char *sonic_switch_text(struct sonic_device *d, int depth);
struct writer;
void sonic_switch_ports(struct writer *w, const struct sonic_device *d, uint8_t used);
void sonic_tunnel_write(struct writer *w, struct sonic_device *d);

/* ------------------------------------------------------------------- sonic_note */

enum sonic_kind { SONIC_NOTE_LOSSY, SONIC_NOTE_FINDING, SONIC_NOTE_APPROXIMATED,
		  SONIC_NOTE_ASSUMED, SONIC_NOTE_COMPUTED, SONIC_NOTE_IGNORED, SONIC_NOTE_USED,
		  SONIC_NOTE_KINDS };

struct sonic_notes *sonic_notes_new(void);
void sonic_notes_free(struct sonic_notes **notes);
/* Notes that read alike are one, with all their switches and ports.  `d` NULL: of
 * no switch; `port` -1: of all of it. */
void sonic_note(struct sonic *s, enum sonic_kind kind, const struct sonic_device *d, int port,
		const char *fmt, ...) SIM_PRINTF(5, 6);
/* Of one priority, or queue, of a port; the others that it holds for are named with it. */
void sonic_note_prio(const struct sonic_device *d, enum sonic_kind kind, int port, int prio,
		     const char *fmt, ...) SIM_PRINTF(5, 6);
void sonic_note_queue(const struct sonic_device *d, enum sonic_kind kind, int port, int queue,
		      const char *fmt, ...) SIM_PRINTF(5, 6);
/* How many, those that differ in the priority alone counted once. */
int sonic_notes_count(const struct sonic_notes *notes, enum sonic_kind kind);
/* Which fields of the known tables were used and which were not. */
void sonic_account(struct sonic_device *d);
#endif
