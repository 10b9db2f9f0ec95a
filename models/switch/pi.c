#include "models/switch/pi.h"

static double per_byte(struct units_ratio per_kilobyte)
{
	return (double)per_kilobyte.num / (double)per_kilobyte.den / 1000;
}

void pi_update(struct pi *pi, const struct ecn_conf *conf, int64_t queue_bytes)
{
	double now = (double)(queue_bytes - conf->pi_ref_bytes);
	double before = (double)(pi->before_bytes - conf->pi_ref_bytes);
	double p = pi->p + per_byte(conf->pi_a) * now - per_byte(conf->pi_b) * before;

	pi->p = p < 0 ? 0 : p > 1 ? 1 : p;
	pi->before_bytes = queue_bytes;
}
