/*
 * models/wire/pfc.h - priority flow control: settings and the numbers of the
 * standard.  The state lives in each port (models/wire/port.h).
 *
 * IEEE 802.1Qbb / 802.3 annex 31D: a pause frame is 64 bytes (84 on the wire)
 * and carries an 8-bit class-enable vector and eight 16-bit timers in quanta
 * of 512 bit times of the link; 0 is XON.  The receiver reloads its timer at
 * the frame's last bit; the stop, and a restart by XON, take effect after the
 * response time; an expiry frees the class at reception + quanta.
 * Mode "global" is what came before: the PAUSE frame of 802.3 annex 31B, opcode
 * 0x0001, with one timer and no vector.  It stops the whole port, lossy classes and
 * all, and is sent while any priority wants a pause.  A port obeys its own kind of
 * frame and ignores the other.
 * Response allowance: 802.3 31B.3.7, in quanta by link speed (see pfc.c).
 */
#ifndef PFC_H
#define PFC_H
#include <stdint.h>
#include "sim/param.h"

enum { PFC_FRAME_BYTES = 64, PFC_QUANTUM_BITS = 512, PFC_PRIORITIES = 8 };

enum pfc_mode { PFC_MODE_PRIORITY, PFC_MODE_GLOBAL };
struct pfc_conf {
	bool enable;
	int64_t quanta;		/* 1..65535, sent in every XOFF */
	int64_t refresh_ps;	/* between two frames of a standing XOFF; -1 "auto": half the pause time */
	int64_t response_ps;	/* from last bit of a pause to its effect; -1 "auto": the standard's */
	int mode;		/* enum pfc_mode */
};
extern const struct param pfc_params[];

int64_t pfc_quanta_ps(int64_t quanta, int64_t rate_bps);
int64_t pfc_response_ps(int64_t rate_bps);	/* the standard's allowance */
int64_t pfc_conf_response_ps(const struct pfc_conf *conf, int64_t rate_bps);
int64_t pfc_conf_refresh_ps(const struct pfc_conf *conf, int64_t rate_bps);
#endif
