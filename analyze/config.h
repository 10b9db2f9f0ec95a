/*
 * analyze/config.h - settings that do not fit together.
 *
 *	mtu		a switch on some path with an MTU below the packets sent over it
 *	dscp		a lossless class whose DSCP lands in a lossy priority
 *	pause		a pause that stops another queue than the one that fills
 *	pfc		PFC or its priorities differ at the two ends of a link; pauses that
 *			expire before they are refreshed
 *	ecn		ECN acts after PFC, or on no switch at all; marks that no sender heeds
 *	buffer		reservations that leave little to share; limits below a frame; an alpha
 *			that a static limit leaves without effect
 *	nic		a receive buffer without headroom
 *	watchdog	it acts after the transport has given up, or in the wrong place
 *	answers		ACKs or CNPs in a class that harms them
 *	traffic		what starts when the run is over
 */
#ifndef CONFIG_H
#define CONFIG_H
#include "analyze/finding.h"
#include "analyze/routing.h"

/* Appends; in the order of the list above. */
void config_check(const struct routing *r, struct finding_list *out);

/* Its parts. */
void config_mtu(const struct routing *r, struct finding_list *out);
void config_maps(const struct routing *r, struct finding_list *out);
void config_pfc(const struct routing *r, struct finding_list *out);
void config_ecn(const struct routing *r, struct finding_list *out);
void config_marks(const struct routing *r, struct finding_list *out);
void config_buffer(const struct routing *r, struct finding_list *out);
void config_alpha(const struct routing *r, struct finding_list *out);
void config_nic(const struct routing *r, struct finding_list *out);
void config_watchdog(const struct routing *r, struct finding_list *out);
void config_answers(const struct routing *r, struct finding_list *out);
void config_starts(const struct routing *r, struct finding_list *out);

/* A host with a link? */
bool config_is_host(const struct routing *r, uint32_t node);
/* The XOFF limit of each of `n` groups that fill at once, each on a port of its own, of a pool
 * (of a partition's part of it: view_pool): static; alpha P / (1 + n alpha); or, of two levels,
 * alpha port_alpha P / (1 + alpha + n alpha port_alpha); and the reserved bytes. */
int64_t config_limit(const struct view_limits *l, int64_t pool_bytes, int64_t n);
/* The most groups that may fill at once with a limit still above `bytes`; INT64_MAX
 * when the limit is static and above it. */
int64_t config_groups(const struct view_limits *l, int64_t pool_bytes, int64_t bytes);
#endif
