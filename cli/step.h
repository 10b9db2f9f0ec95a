/*
 * cli/step.h - `xoff step`: a run, an event at a time.
 *
 * step.c           the command: its options, where a session's commands come from
 * step_commands.c  what they are, and what they do
 * step_drive.c     drives the fabric from outside (fabric_step), holds the events
 * step_words.c     an event of the run as a sentence
 * step_show.c      the state of the fabric at this instant, as tables
 * step_why.c       who has stopped whom at this instant, as a tree
 *
 * It looks and never steers: the digest of a run that was stepped is that of the
 * run that was not.  An instant (all events of one picosecond) is done as a whole,
 * its events are told one after the other; the state shown is that after it.
 */
#ifndef STEP_H
#define STEP_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "models/view.h"
#include "observe/deadlock.h"
#include "scenario/scenario.h"
#include "sim/assert.h"

enum { STEP_PRIOS = 8 };

/* Kinds of events, the words by which `run until' and `tell' name them. */
enum step_kind {
	STEP_PAUSE, STEP_REFRESH, STEP_XON, STEP_STOP, STEP_GO, STEP_GROUP, STEP_MARK, STEP_DROP,
	STEP_STORM, STEP_FAULT, STEP_DEADLOCK, STEP_START, STEP_DONE, STEP_FAILED, STEP_CNP,
	STEP_RATE, STEP_RESEND, STEP_SEND, STEP_RECEIVE,
	STEP_KINDS
};
#define STEP_BIT(kind) (UINT32_C(1) << (kind))
struct step_word {
	const char *name;
	uint32_t kinds;		/* STEP_BIT, or-ed */
	bool told;		/* by `next', unless hushed */
	const char *doc;
};
extern const struct step_word step_words[];	/* name NULL ends */

struct step_place {		/* what an event must concern; all none: anything */
	bool set;
	uint32_t node, port;	/* VIEW_NONE: any */
	int prio;		/* -1: any */
	const char *flow;	/* glob of "db h17>h25", of "db", or of "h17>h25"; NULL: any */
};
struct step_goal {		/* where a stretch ends */
	uint32_t kinds;		/* events of these kinds; 0: none */
	struct step_place place;
	int64_t at_ps;		/* at this time at the latest */
};

struct step_event { char *text; int kind; bool wanted; };

struct step {
	struct scenario *sc;
	int run;
	struct fabric *f;
	struct deadlock *dead;
	uint32_t told;			/* kinds */
	struct step_goal goal;		/* of the stretch that is under way */
	struct step_event *events;	/* of the last instant; [next, n) not told yet */
	size_t n, next, room;
	bool found;			/* one of them is wanted */
	int64_t *since_ps;		/* of each transmitter * 8 + priority: stopped since; -1 */
	bool formed;			/* a deadlock stands ... */
	uint32_t *cycle, ncycle;	/* ... and its queues */
};

struct step_session {
	struct step step;
	struct diag *diag;
	const char *from;	/* where commands come from, for messages */
	int line;		/* of the command there */
	bool terminal;		/* somebody sits at it */
	bool quit;
	char *words[16];	/* of the command */
	int nwords;
	struct assert_context context;
};

/* ---- step_commands.c ---- */
/* The run from its beginning.  STATUS_OK, or STATUS_INPUT after a message. */
int step_begin(struct step_session *c);
/* Does what one line says, and changes it.  A mistake is told; at a terminal it
 * costs nothing (STATUS_OK), else STATUS_INPUT ends the session. */
int step_obey(struct step_session *c, char *text);

/* ---- step_drive.c ---- */
/* Builds the fabric and looks on; what was there before is gone.  0, or -1: see diag. */
int step_open(struct step *s, struct diag *diag);
void step_close(struct step *s);
enum step_end { STEP_FOUND, STEP_TIME, STEP_OVER, STEP_INTERRUPTED };
/* Goes on until an event that `goal' wants has happened.  Events of the last
 * instant not told yet count too. */
enum step_end step_go(struct step *s, const struct step_goal *goal);
/* The next event to tell; NULL: none of this instant. */
const char *step_tell(struct step *s);

/* ---- step_words.c ---- */
/* Which kind a record is of; -1: none of ours. */
int step_kind_of(const struct record *rec);
/* The record as a sentence, "at 12.345us leaf0 port 3 priority 3 sends XOFF to h7: ...". */
void step_sentence(const struct step *s, const struct record *rec, FILE *out);
/* Does the record concern the place? */
bool step_at_place(const struct step *s, const struct record *rec, const struct step_place *place);
/* "12.345us": exact, at least to the nanosecond. */
char *step_time(int64_t ps, char *buf, size_t size);
char *step_number(int64_t value, char *buf, size_t size);	/* "98,304" */
/* "burst h0>h30, burst h1>h30 and 3 more": whose frames wait in the queues that a pause
 * of (port, prio) stops; "" when none do. */
char *step_waiters(const struct step *s, uint32_t port, int prio, char *buf, size_t size);
/* The name of a place: "leaf0", "leaf0:3", "leaf0:3/3"; -1: there is none, and then
 * *near (may be NULL) is the nearest name of a node, or NULL. */
int step_place_find(const struct step *s, const char *name, struct step_place *place,
		    const char **near);

/* ---- step_show.c, step_why.c ---- */
/* Of a node or port, or of all (place not set). */
void step_show_queues(const struct step *s, const struct step_place *place);
void step_show_groups(const struct step *s, const struct step_place *place);
void step_show_pauses(const struct step *s, const struct step_place *place);
void step_show_port(const struct step *s, const struct step_place *place);
void step_show_flows(const struct step *s, const char *glob);	/* NULL: all */
void step_show_now(const struct step *s);
void step_why(const struct step *s, const struct step_place *place);
/* The priorities of the groups of switch port `in` for whose sake its link is told to stop `prio`: that
 * priority's own; where pauses stop the whole port (802.3x), those of all groups in XOFF. */
uint8_t step_groups(const struct step *s, uint32_t in, int prio);
#endif
