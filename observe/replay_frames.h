/*
 * observe/replay_frames.h - what every port held and sent, at chosen instants.
 *
 * The fabric is looked at often (at most FRAMES_LOOKS times a run, less where
 * many ports carry traffic).  What is kept is a bounded number of frames: all
 * of them at first, every second when there is no more room, and so on.  Kept
 * in any case, and not thinned out, are the looks around a moment that somebody
 * has marked.  A look that shows the same as the one before is not kept, so a
 * fabric at rest costs nothing, and a deadlock after 1 ms of a second is seen
 * to form.
 *
 * Counters are kept as totals; so the difference between two frames is exact,
 * whatever was left out between them.
 */
#ifndef REPLAY_FRAMES_H
#define REPLAY_FRAMES_H
#include "models/view.h"
#include "observe/jsonout.h"

struct replay_frames;
/* Attaches a sampler; before fabric_run. */
struct replay_frames *replay_frames_new(struct fabric *f);
void replay_frames_mark(struct replay_frames *r);	/* now is a moment to look at closely */
/* The last frame; after the run, before the writing. */
void replay_frames_finish(struct replay_frames *r);
/* "frames": {...}, "channels": [...]: a channel a port and priority with traffic. */
void replay_frames_write(const struct replay_frames *r, struct jsonout *j);
void replay_frames_free(struct replay_frames **r);
#endif
