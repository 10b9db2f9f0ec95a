/* cli/headroom.c - `xoff headroom`: the headroom of one link, every term shown. */
#include <stdio.h>
#include <string.h>

#include "analyze/headroom_check.h"
#include "analyze/headroom_table.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/quantity.h"
#include "cli/status.h"
#include "models/wire/frame.h"
#include "models/wire/link.h"
#include "models/wire/pfc.h"
#include "observe/jsonout.h"

struct headroom_options {
	const char *rate, *cable, *delay, *mtu, *reverse, *response, *cell, *have, *asic,
		*small;
	bool json;
};

#define FIELD(name) offsetof(struct headroom_options, name)
static const struct options_row options[] = {
	{ "rate", 'r', OPTIONS_TEXT, FIELD(rate), "RATE", "of the link: 100Gbps", NULL },
	{ "cable", 'c', OPTIONS_TEXT, FIELD(cable), "LENGTH",
	  "its length, at 5 ns a metre: 300m", NULL },
	{ "delay", 0, OPTIONS_TEXT, FIELD(delay), "TIME", "one way, in place of --cable",
	  NULL },
	{ "mtu", 'm', OPTIONS_TEXT, FIELD(mtu), "BYTES",
	  "IP MTU of the class; frames are 18 bytes larger (4096)", NULL },
	{ "reverse", 0, OPTIONS_TEXT, FIELD(reverse), "BYTES",
	  "IP MTU of any class the other way (as --mtu)", NULL },
	{ "response", 0, OPTIONS_TEXT, FIELD(response), "TIME",
	  "of the peer to a pause (IEEE 802.3 31B.3.7 for the rate)", NULL },
	{ "cell", 0, OPTIONS_TEXT, FIELD(cell), "BYTES", "the switch's cells (1: by bytes)",
	  NULL },
	{ "have", 0, OPTIONS_TEXT, FIELD(have), "BYTES",
	  "what there is: is it enough, and for what?", NULL },
	{ "asic", 0, OPTIONS_TEXT, FIELD(asic), "NAME",
	  "for NVIDIA's form: spc1 ... spc5 (spc4)", NULL },
	{ "small", 0, OPTIONS_TEXT, FIELD(small), "PERCENT",
	  "for NVIDIA's form: small packets, of all (the ASIC's default)", NULL },
	{ "json", 0, OPTIONS_FLAG, FIELD(json), NULL, "print JSON, not text", NULL },
	{ .name = NULL },
};

struct answer {
	struct headroom_conf conf;
	struct headroom_terms terms;
	struct headroom_table_conf table;
	struct headroom_table_terms nvidia;
	int64_t mlx5_bytes, mtu, cable_mm, have;
	bool by_standard;
};

/* --------------------------------------------------------------------- read */

static const struct headroom_table_asic *find_asic(const char *name)
{
	char all[200] = "";
	size_t used = 0;

	for (int i = 0; headroom_table_asics[i].name; i++) {
		if (!strcmp(headroom_table_asics[i].name, name))
			return &headroom_table_asics[i];
		if (used < sizeof(all))
			used += (size_t)snprintf(all + used, sizeof(all) - used, " %s",
						 headroom_table_asics[i].name);
	}
	message_error("headroom", "NVIDIA's form knows no ASIC \"%s\"; it knows:%s", name, all);
	return NULL;
}

/* "50" or "50%" */
static int read_percent(const char *text, int64_t *out)
{
	size_t n = text ? strlen(text) : 0;
	char number[32];

	if (!text)
		return 0;
	n -= n && text[n - 1] == '%';
	snprintf(number, sizeof(number), "%.*s", (int)n, text);
	if (quantity_read("headroom", "small", number, UNITS_COUNT, 0, out))
		return -1;
	if (*out <= 100)
		return 0;
	message_error("headroom", "--small %s is above 100%%", text);
	return -1;
}

static int read_all(const struct headroom_options *o, struct answer *a)
{
	int64_t mtu = 4096, reverse = -1, delay = -1, cable = -1, small = -1;

	*a = (struct answer){ .conf = { .cell_bytes = 1, .response_ps = -1 }, .have = -1 };
	if (!o->rate || (!o->cable && !o->delay)) {
		message_error(
			"headroom",
			"wants --rate and --cable: xoff headroom --rate 100Gbps --cable 300m");
		return -1;
	}
	if (o->cable && o->delay) {
		message_error("headroom", "--delay stands in place of --cable; not both");
		return -1;
	}
	if (quantity_read("headroom", "rate", o->rate, UNITS_RATE, 1000000,
			  &a->conf.rate_bps) ||
	    quantity_read("headroom", "cable", o->cable, UNITS_LENGTH, 0, &cable) ||
	    quantity_read("headroom", "delay", o->delay, UNITS_TIME, 0, &delay) ||
	    quantity_read("headroom", "mtu", o->mtu, UNITS_BYTES, 46, &mtu) ||
	    quantity_read("headroom", "reverse", o->reverse, UNITS_BYTES, 46, &reverse) ||
	    quantity_read("headroom", "response", o->response, UNITS_TIME, 0,
			  &a->conf.response_ps) ||
	    quantity_read("headroom", "cell", o->cell, UNITS_BYTES, 1, &a->conf.cell_bytes) ||
	    quantity_read("headroom", "have", o->have, UNITS_BYTES, 0, &a->have) ||
	    read_percent(o->small, &small))
		return -1;
	a->table.asic = find_asic(o->asic ? o->asic : "spc4");
	if (!a->table.asic)
		return -1;
	a->by_standard = a->conf.response_ps < 0;
	if (a->by_standard)
		a->conf.response_ps = pfc_response_ps(a->conf.rate_bps);
	a->mtu = mtu;
	a->cable_mm = cable >= 0 ? cable : delay / 5;	/* 5 ps a millimetre */
	a->conf.delay_ps = delay >= 0 ? delay : cable * 5;
	a->conf.forward_bytes = mtu + FRAME_ETH_BYTES;
	a->conf.reverse_bytes = (reverse >= 0 ? reverse : mtu) + FRAME_ETH_BYTES;
	a->table.small_percent = small >= 0 ? small : a->table.asic->small_percent;
	return 0;
}

static void reckon(struct answer *a)
{
	headroom_compute(&a->conf, &a->terms);
	a->table.rate_bps = a->conf.rate_bps;
	a->table.cable_mm = a->cable_mm;
	a->table.port_mtu_bytes = a->mtu;
	a->table.lossless_mtu_bytes = a->table.asic->lossless_mtu_bytes < a->mtu
		? a->table.asic->lossless_mtu_bytes : a->mtu;
	headroom_table_nvidia(&a->table, &a->nvidia);
	a->mlx5_bytes = headroom_table_mlx5(a->conf.rate_bps, a->cable_mm, a->mtu);
}

/* -------------------------------------------------------------------- print */

static void print_window(const struct answer *a)
{
	const struct headroom_terms *t = &a->terms;
	char x[48];

	printf("from the frame that crosses XOFF until the peer stops, bytes of the wire:\n");
	printf("  cable, both ways         2 x %-14s %10lld\n",
	       units_format(a->conf.delay_ps, UNITS_TIME, x, sizeof(x)),
	       (long long)t->propagation_bytes);
	printf("  response of the peer     %-18s %10lld%s\n",
	       units_format(t->response_ps, UNITS_TIME, x, sizeof(x)),
	       (long long)t->response_bytes,
	       a->by_standard ? "  (IEEE 802.3 31B.3.7; devices answer faster, or slower)"
			      : "");
	printf("  frame in the pause's way %6lldB + 20B      %10lld\n",
	       (long long)a->conf.reverse_bytes, (long long)t->reverse_bytes);
	printf("  the pause itself             64B + 20B      %10lld\n",
	       (long long)t->pause_bytes);
	printf("  window                                      %10lld\n\n",
	       (long long)t->window_bytes);
}

static void print_exact(const struct answer *a)
{
	const struct headroom_terms *t = &a->terms;
	const struct headroom_need *f = &t->full, *w = &t->worst;

	printf("exact, frames of %lldB: ceil(%lld / %lld) = %lld frames x %lld cells of %lldB  %10lldB\n",
	       (long long)f->frame_bytes, (long long)t->window_bytes,
	       (long long)(f->frame_bytes + LINK_OVERHEAD_BYTES), (long long)f->frames,
	       (long long)(f->cells / f->frames), (long long)a->conf.cell_bytes,
	       (long long)f->bytes);
	printf("exact, frames of the worst size, %lldB: %lld x %lld cells  %10lldB\n",
	       (long long)w->frame_bytes, (long long)w->frames,
	       (long long)(w->cells / w->frames), (long long)w->bytes);
	printf("any mixture of sizes  %10lldB\n", (long long)t->mix_bytes);
	printf("and one frame more, where the shared pool runs out (\"headroom\": \"auto\")  %10lldB\n",
	       (long long)t->auto_bytes);
	printf("IEEE form, window + %lldB + 20B, no cells  %10lldB\n\n",
	       (long long)f->frame_bytes, (long long)t->ieee_bytes);
}

static void print_others(const struct answer *a)
{
	const struct headroom_table_terms *n = &a->nvidia;

	printf("%s, pg_profile_lookup.ini:\n", a->table.asic->about);
	printf("  port MTU %lld + cable %.0f + MAC/PHY %.0f + peer %.0f + tile %.0f = %.0fB in flight\n",
	       (long long)a->table.port_mtu_bytes, n->cable, n->mac_phy, n->peer, n->tile,
	       n->delay);
	printf("  x %.4f (%lld %% of packets small, %.2f %% of bytes, which grow %.2f times in cells)\n",
	       n->factor, (long long)a->table.small_percent, 100 * n->share, n->w);
	printf("  + lossless MTU %lldB, up to whole KiB  xoff %lldB, xon %lldB, size %lldB\n",
	       (long long)a->table.lossless_mtu_bytes, (long long)n->xoff_bytes,
	       (long long)n->xon_bytes, (long long)n->size_bytes);
	printf("Linux mlx5 (the NIC's side)  xoff %lldB\n", (long long)a->mlx5_bytes);
}

static void print_have(const struct answer *a)
{
	int64_t response = headroom_check_response_ps(&a->conf, a->have);
	int64_t delay = headroom_check_delay_ps(&a->conf, a->have);
	int64_t margin = a->have - a->terms.full.bytes;
	char x[48], y[48];

	printf("\n%lldB are %s: margin %lldB\n", (long long)a->have,
	       margin < 0 ? "NOT ENOUGH" : "enough", (long long)margin);
	if (response >= 0)
		printf("  with this cable they hold a response of up to %s\n",
		       units_format(response, UNITS_TIME, x, sizeof(x)));
	if (delay >= 0)
		printf("  with this response they hold up to %s one way, %lldm of cable\n",
		       units_format(delay, UNITS_TIME, y, sizeof(y)),
		       (long long)(delay / 5000));
	if (response < 0 && delay < 0)
		printf("  not even a cable or a response of 0 would make it so\n");
	if (margin >= 0 && a->have < a->terms.worst.bytes)
		printf("  a burst of frames of %lldB alone needs %lldB\n",
		       (long long)a->terms.worst.frame_bytes, (long long)a->terms.worst.bytes);
}

static void print_json(const struct answer *a)
{
	const struct headroom_terms *t = &a->terms;
	struct jsonout j;

	jsonout_init(&j, stdout, 0);
	jsonout_open(&j, NULL, '{');
	jsonout_text(&j, "schema", "xoff.headroom/1");
	jsonout_int(&j, "rate_bps", a->conf.rate_bps);
	jsonout_int(&j, "delay_ps", a->conf.delay_ps);
	jsonout_int(&j, "response_ps", a->conf.response_ps);
	jsonout_int(&j, "frame_bytes", a->conf.forward_bytes);
	jsonout_int(&j, "cell_bytes", a->conf.cell_bytes);
	jsonout_int(&j, "propagation_bytes", t->propagation_bytes);
	jsonout_int(&j, "response_bytes", t->response_bytes);
	jsonout_int(&j, "reverse_bytes", t->reverse_bytes);
	jsonout_int(&j, "pause_bytes", t->pause_bytes);
	jsonout_int(&j, "window_bytes", t->window_bytes);
	jsonout_int(&j, "frames", t->full.frames);
	jsonout_int(&j, "cells", t->full.cells);
	jsonout_int(&j, "need_bytes", t->full.bytes);
	jsonout_int(&j, "worst_frame_bytes", t->worst.frame_bytes);
	jsonout_int(&j, "worst_bytes", t->worst.bytes);
	jsonout_int(&j, "mix_bytes", t->mix_bytes);
	jsonout_int(&j, "auto_bytes", t->auto_bytes);
	jsonout_int(&j, "ieee_bytes", t->ieee_bytes);
	jsonout_text(&j, "asic", a->table.asic->name);
	jsonout_int(&j, "nvidia_xoff_bytes", a->nvidia.xoff_bytes);
	jsonout_int(&j, "nvidia_size_bytes", a->nvidia.size_bytes);
	jsonout_int(&j, "mlx5_xoff_bytes", a->mlx5_bytes);
	if (a->have >= 0) {
		jsonout_int(&j, "have_bytes", a->have);
		jsonout_int(&j, "margin_bytes", a->have - t->full.bytes);
		jsonout_time(&j, "response_held_ps",
			     headroom_check_response_ps(&a->conf, a->have));
	}
	jsonout_close(&j, '}');
	putchar('\n');
}

static int headroom_main(const struct command *self, int argc, char **argv)
{
	struct headroom_options opt = { .json = false };
	struct options_list args = { 0 };
	enum options_answer answer = options_parse(self, argc, argv, &opt, &args);
	int status = answer == OPTIONS_WRONG ? STATUS_INPUT : STATUS_OK;
	struct answer a;

	if (answer == OPTIONS_GO && read_all(&opt, &a)) {
		status = STATUS_INPUT;
	} else if (answer == OPTIONS_GO) {
		reckon(&a);
		if (opt.json) {
			print_json(&a);
		} else {
			print_window(&a);
			print_exact(&a);
			print_others(&a);
			if (a.have >= 0)
				print_have(&a);
		}
		if (a.have >= 0 && a.have < a.terms.full.bytes)
			status = STATUS_FAILED;
	}
	options_fini(self, &opt, &args);
	return status;
}

const struct command headroom_command = {
	.name = "headroom",
	.args = "",
	.about = "print the headroom that a link needs, every term of it",
	.details =
	"The exact form, IEEE's, NVIDIA's and that of the NIC's driver.  With --have, exit\n"
	"status 1 when it is not enough.\n",
	.examples =
	"  xoff headroom --rate 100Gbps --cable 300m --mtu 9216\n"
	"  xoff headroom --rate 100Gbps --cable 5m --mtu 9216 --cell 256B --have 160000\n",
	.options = options,
	.max_args = 0,
	.main = headroom_main,
};
