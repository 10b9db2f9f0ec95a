/*
 * models/switch/remap.h - frames that change their class inside a switch.
 *
 * Traffic that turns up again after it has come down can close a circle of
 * buffer dependencies.  The cure is a second priority for what has turned: the
 * tunnel QoS remap of dual ToRs, where traffic class 3 becomes 2 and 4 becomes 6
 * (sonic-net/SONiC pull request 950), or a tag that rises at every bounce (Tagger,
 * CoNEXT 2017).  Which class a frame gets depends on where it comes from and where
 * it leaves.
 *
 * The frame is admitted, and pauses its sender, as what it came in as; it waits,
 * is paused and is sent as what it leaves as, and the next node sees the new DSCP.
 * The bytes that a tunnel's own header adds are not modelled.
 */
#ifndef REMAP_H
#define REMAP_H
#include "models/switch/switch_conf.h"
#include "models/wire/frame.h"

#define REMAP_NONE 0xff

/* Fills table[(in * ports + out) * 8 + traffic class] with the DSCP that such a frame
 * gets, or REMAP_NONE.  `peer`: the name of each local port's neighbour.  -1 when two
 * rules disagree. */
int remap_fill(const struct switch_conf *conf, const struct class_conf *classes, int nclasses,
	       const char *const *peer, uint32_t ports, uint8_t *table, struct sim_error *err);
/* For each priority the mask of those that its frames may leave as. */
void remap_leaves_as(const uint8_t *table, uint32_t ports, const uint8_t queue_prio[8],
		     const uint8_t prio_of[64], uint8_t leaves_as[8]);
static inline const uint8_t *remap_at(const uint8_t *table, uint32_t ports, uint32_t in, uint32_t out)
{
	return table + ((size_t)in * ports + out) * 8;
}
#endif
