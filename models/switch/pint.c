#include "models/switch/pint.h"

#include "sim/powercode.h"

void pint_sent(struct pint_port *p, int64_t now_ps, int64_t wire_bytes, int64_t queue_bytes,
	       int64_t line_bps)
{
	int64_t dt_ps = now_ps - p->start_ps;

	if (dt_ps > p->rtt_ps)
		dt_ps = p->rtt_ps;
	if (dt_ps > 0) {
		double t = (double)p->rtt_ps, dt = (double)dt_ps, c = (double)line_bps;
		double u = (double)queue_bytes * 8e12 / (c * t) +
			   (double)p->wire_bytes * 8e12 / (c * dt);

		p->u = (1 - dt / t) * p->u + dt / t * u;
	}
	p->start_ps = now_ps;
	p->wire_bytes = wire_bytes;
}

uint16_t pint_stamp(const struct pint_port *p, uint16_t carried, double base, uint32_t draw)
{
	double x = p->u * PINT_UNIT;
	int power;

	if (x > (double)PINT_UNIT * PINT_UNIT)
		x = (double)PINT_UNIT * PINT_UNIT;
	power = powercode_encode(base, x, draw) + 1;
	return power > carried ? (uint16_t)power : carried;
}
