/*
 * models/switch/ecn.c - WRED marking.
 *
 *   p(q) = 0                                  q <= kmin
 *        = pmax * (q - kmin)/(kmax - kmin)    kmin < q <= kmax
 *        = 1                                  q > kmax
 *
 * Floyd, Jacobson, "Random early detection gateways", ToN 1993, with the jump
 * at kmax and the instantaneous queue of DCQCN (Zhu et al., SIGCOMM 2015).
 * The defaults are SONiC's AZURE_LOSSLESS profile (qos_config.j2).
 */
#include "models/switch/ecn.h"

/* kmax < 2^40 and den < 2^54 keep draw * den * (kmax - kmin) in 128 bits. */
#define ECN_DEN_MAX (INT64_C(1) << 54)

static const char *const ecn_where_names[] = { "dequeue", "enqueue", NULL };

const struct param ecn_params[] = {
	{ .key = "kmin", .type = PARAM_BYTES, .offset = offsetof(struct ecn_conf, kmin_bytes),
	  .def = "1MiB", .min = "0B", .max = "1000GB",
	  .doc = "Queue length up to which no frame is marked." },
	{ .key = "kmax", .type = PARAM_BYTES, .offset = offsetof(struct ecn_conf, kmax_bytes),
	  .def = "2MiB", .min = "0B", .max = "1000GB",
	  .doc = "Queue length above which every frame is marked." },
	{ .key = "pmax", .type = PARAM_RATIO, .offset = offsetof(struct ecn_conf, pmax),
	  .def = "5%", .min = "0", .max = "1",
	  .doc = "Probability of a mark at kmax; between kmin and kmax it grows linearly." },
	{ .key = "mark", .type = PARAM_ENUM, .offset = offsetof(struct ecn_conf, where),
	  .def = "dequeue", .names = ecn_where_names,
	  .doc = "Whether the queue length counts when a frame leaves or when it joins." },
	{ .key = "pi_ref", .type = PARAM_BYTES, .offset = offsetof(struct ecn_conf, pi_ref_bytes),
	  .def = "0B", .min = "0B", .max = "1000GB",
	  .doc = "Queue length that a PI controller holds, in place of the curve (kmin, kmax and pmax are then not looked at); "
		 "it settles in some pi_interval pi_b / (pi_a - pi_b), 50 ms by default. 0B: the curve." },
	{ .key = "pi_interval", .type = PARAM_TIME, .offset = offsetof(struct ecn_conf, pi_interval_ps),
	  .def = "10us", .min = "100ns", .max = "1s",
	  .doc = "Time between two updates of the PI controller." },
	{ .key = "pi_a", .type = PARAM_RATIO, .offset = offsetof(struct ecn_conf, pi_a),
	  .def = "0.000010002", .min = "0", .max = "1",
	  .doc = "Gain of the PI controller: marks a kilobyte that the queue is too long now." },
	{ .key = "pi_b", .type = PARAM_RATIO, .offset = offsetof(struct ecn_conf, pi_b),
	  .def = "0.00001", .min = "0", .max = "1",
	  .doc = "Gain of the PI controller: marks less a kilobyte that it was too long an interval ago." },
	{ .key = NULL }
};

int ecn_check(const struct ecn_conf *conf, struct sim_error *err)
{
	char kmin[32], kmax[32];

	if (conf->kmin_bytes > conf->kmax_bytes)
		return error_set(err, "/kmin", "kmin (%s) is larger than kmax (%s)",
				 units_exact(conf->kmin_bytes, UNITS_BYTES, kmin, sizeof kmin),
				 units_exact(conf->kmax_bytes, UNITS_BYTES, kmax, sizeof kmax));
	if (conf->pi_ref_bytes && (__int128)conf->pi_a.num * conf->pi_b.den <= (__int128)conf->pi_b.num * conf->pi_a.den)
		return error_set(err, "/pi_a", "pi_a is not larger than pi_b: nothing would bring the queue to pi_ref");
	if (conf->pmax.den > ECN_DEN_MAX)
		return error_set(err, "/pmax", "pmax has too many digits");
	return 0;
}

bool ecn_marks(const struct ecn_conf *conf, int64_t queue_bytes, uint32_t draw)
{
	unsigned __int128 lhs, rhs;

	if (queue_bytes <= conf->kmin_bytes)
		return false;
	if (queue_bytes > conf->kmax_bytes)
		return true;
	/* draw / 2^32 < num/den * (q - kmin)/(kmax - kmin), without a division */
	lhs = (unsigned __int128)draw * (uint64_t)conf->pmax.den;
	lhs *= (uint64_t)(conf->kmax_bytes - conf->kmin_bytes);
	rhs = (unsigned __int128)(uint64_t)conf->pmax.num << 32;
	rhs *= (uint64_t)(queue_bytes - conf->kmin_bytes);
	return lhs < rhs;
}
