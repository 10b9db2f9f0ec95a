/*
 * sim/units.c - quantities to exact integers and back.
 *
 * A number is read as mantissa * 10^-decimals in 128 bits and multiplied by
 * its unit's factor; what does not come out whole is refused, so no double and
 * no rounding is involved.
 */
#include "sim/units.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef unsigned __int128 u128;

enum { MANTISSA_DIGITS = 19, UNIT_MAX = 12 };

struct unit {
	const char *name;
	int64_t factor;
	bool shown;	/* used by units_format and units_exact */
};

#define K INT64_C(1000)
#define KI INT64_C(1024)
static const struct unit time_units[] = {
	{"ps", 1, true}, {"ns", K, true}, {"us", K * K, true}, {"ms", K * K * K, true},
	{"s", K * K * K * K, true}, {"min", 60 * K * K * K * K, false},
	{"\302\265s", K * K, false}, {"\316\274s", K * K, false}, {0}};
static const struct unit bytes_units[] = {
	{"B", 1, true}, {"KB", K, true}, {"MB", K * K, true}, {"GB", K * K * K, true},
	{"KiB", KI, false}, {"MiB", KI * KI, false}, {"GiB", KI * KI * KI, false}, {0}};
static const struct unit rate_units[] = {
	{"bps", 1, true}, {"Kbps", K, true}, {"Mbps", K * K, true}, {"Gbps", K * K * K, true},
	{"Tbps", K * K * K * K, true}, {0}};
static const struct unit freq_units[] = {
	{"/s", K, true}, {"k/s", K * K, true}, {"M/s", K * K * K, true}, {0}};
static const struct unit length_units[] = {
	{"mm", 1, true}, {"cm", 10, false}, {"m", K, true}, {"km", K * K, true}, {0}};
static const struct unit count_units[] = {{"", 1, true}, {0}};

static const struct {
	const char *name;
	const struct unit *units;
	const char *list;	/* for messages */
} kinds[] = {
	[UNITS_TIME] = {"time", time_units, "ps ns us ms s min"},
	[UNITS_BYTES] = {"size", bytes_units, "B KB MB GB KiB MiB GiB"},
	[UNITS_RATE] = {"rate", rate_units, "bps Kbps Mbps Gbps Tbps"},
	[UNITS_FREQ] = {"frequency", freq_units, "/s k/s M/s"},
	[UNITS_LENGTH] = {"length", length_units, "mm cm m km"},
	[UNITS_COUNT] = {"count", count_units, ""},
	[UNITS_RATIO] = {"ratio", count_units, ""},
};

/* ---------------------------------------------------------------- parsing */

struct number {
	u128 mantissa;
	int decimals;
	int length;		/* characters of the number */
};

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/* -1: no number stands there; -2: too many digits. */
static int number_scan(const char *text, struct number *num)
{
	const char *p = text;
	int digits = 0;

	*num = (struct number){0};
	for (; digit(*p) || (*p == '.' && num->decimals == 0 && digit(p[1])); p++) {
		if (*p == '.') {
			num->decimals = -1;	/* a point was seen */
			continue;
		}
		digits += digits > 0 || *p != '0';
		if (digits > MANTISSA_DIGITS)
			return -2;
		num->mantissa = num->mantissa * 10 + (unsigned)(*p - '0');
		if (num->decimals)
			num->decimals--;
		if (num->decimals < -MANTISSA_DIGITS)
			return -2;
	}
	num->length = (int)(p - text);
	num->decimals = num->decimals ? -num->decimals - 1 : 0;
	return num->length > 0 && digit(*text) ? 0 : -1;
}

static u128 power10(int n)
{
	u128 v = 1;

	while (n-- > 0)
		v *= 10;
	return v;
}

static const struct unit *unit_find(const struct unit *units, const char *name)
{
	for (; units->name; units++) {
		if (strcmp(units->name, name) == 0)
			return units;
	}
	return NULL;
}

/* The unit that was meant: the nearest name, else one with the same first letter. */
static const char *unit_nearest(enum units_kind kind, const char *word)
{
	const struct unit *units = kinds[kind].units;
	const char *names[UNIT_MAX + 1], *near;
	int n = 0;

	for (const struct unit *u = units; u->name && n < UNIT_MAX; u++)
		names[n++] = u->name;
	names[n] = NULL;
	near = error_nearest(word, names);
	for (const struct unit *u = units; !near && u->name; u++) {
		if (u->name[0] == word[0])
			near = u->name;
	}
	for (const struct unit *u = units; !near && u->name; u++) {
		if ((u->name[0] | 0x20) == (word[0] | 0x20))
			near = u->name;
	}
	return near;
}

/* What a bare number most likely meant. */
static const char *unit_guess(enum units_kind kind, const struct number *num)
{
	u128 whole = num->mantissa / power10(num->decimals);

	switch (kind) {
	case UNITS_TIME: return whole < 1000000 ? "us" : "ps";
	case UNITS_BYTES: return whole < 1000 ? "KB" : "B";
	case UNITS_RATE: return whole < 10000 ? "Gbps" : "bps";
	case UNITS_FREQ: return "/s";
	case UNITS_LENGTH: return "m";
	case UNITS_COUNT:
	case UNITS_RATIO: break;
	}
	return "";
}

static int unit_unknown(const char *text, const struct number *num, enum units_kind kind,
			const char *unit, struct sim_error *err)
{
	const char *near = unit_nearest(kind, unit);

	if (kind == UNITS_COUNT)
		return error_set(err, "", "\"%s\" is not a whole number", text);
	if (!near)
		return error_set(err, "", "unknown %s unit \"%s\" in \"%s\"; units: %s",
				 kinds[kind].name, unit, text, kinds[kind].list);
	return error_set(err, "", "unknown %s unit \"%s\" in \"%s\"; did you mean \"%.*s%s\"?",
			 kinds[kind].name, unit, text, num->length, text, near);
}

static int number_check(const char *text, enum units_kind kind, struct number *num,
			struct sim_error *err)
{
	const char *example[] = {
		[UNITS_TIME] = "10us", [UNITS_BYTES] = "250KB", [UNITS_RATE] = "100Gbps",
		[UNITS_FREQ] = "50k/s", [UNITS_LENGTH] = "30m", [UNITS_COUNT] = "8",
		[UNITS_RATIO] = "1/64", };
	int rc = number_scan(text, num);

	if (rc == -2)
		return error_set(err, "", "too many digits in \"%s\"", text);
	if (rc == 0)
		return 0;
	if (text[0] == '-' && digit(text[1]))
		return error_set(err, "", "a %s cannot be negative: \"%s\"",
				 kinds[kind].name, text);
	return error_set(err, "", "\"%s\" is not a %s; wanted something like \"%s\"",
			 text, kinds[kind].name, example[kind]);
}

static int64_t gcd(int64_t a, int64_t b)
{
	while (b) {
		int64_t t = a % b;

		a = b;
		b = t;
	}
	return a;
}

/* The N of "e-N", which makes a ratio so much smaller; 0: none. */
static int exponent_scan(const char *text, int *length)
{
	int n = 0, i = 2;

	if ((text[0] != 'e' && text[0] != 'E') || text[1] != '-')
		return 0;
	while (digit(text[i]) && i < 4)
		n = n * 10 + text[i++] - '0';
	*length = n && n <= MANTISSA_DIGITS ? i : 0;
	return *length ? n : 0;
}

/* "1/64", "5%", "0.05", "1e-9" */
static int ratio_parse(const char *text, struct units_ratio *ratio, struct sim_error *err)
{
	struct number a, b = {.mantissa = 1};
	const char *rest;
	u128 num, den;
	int64_t g;
	int skip = 0;

	if (number_check(text, UNITS_RATIO, &a, err))
		return -1;
	rest = text + a.length;
	a.decimals += exponent_scan(rest, &skip);
	rest += skip;
	if (*rest == '/') {
		if (number_scan(rest + 1, &b) || b.mantissa == 0)
			return error_set(err, "", "\"%s\" is not a ratio: what stands after "
					 "the '/' must be a number above 0", text);
		rest += 1 + b.length;
	} else if (*rest == '%') {
		b.mantissa = 100;
		rest++;
	}
	if (*rest)
		return error_set(err, "", "unexpected \"%s\" in the ratio \"%s\"; wanted "
				 "something like \"1/64\", \"5%%\" or 0.05", rest, text);
	num = a.mantissa * power10(b.decimals);
	den = b.mantissa * power10(a.decimals);
	while (num % 10 == 0 && den % 10 == 0) {
		num /= 10;
		den /= 10;
	}
	if (num > INT64_MAX || den > INT64_MAX)
		return error_set(err, "", "too many digits in \"%s\"", text);
	g = gcd((int64_t)num, (int64_t)den);
	*ratio = (struct units_ratio){(int64_t)num / g, (int64_t)den / g};
	return 0;
}

int units_parse(const char *text, enum units_kind kind, int64_t *out,
		struct units_ratio *ratio, struct sim_error *err)
{
	const struct unit *unit;
	struct number num;
	const char *name;
	u128 value, den;

	if (kind == UNITS_RATIO)
		return ratio_parse(text, ratio, err);
	if (number_check(text, kind, &num, err))
		return -1;
	name = text + num.length;
	if (*name == ' ' && kind != UNITS_COUNT)	/* "100 Gbps" */
		name++;
	if (!*name && kind != UNITS_COUNT)
		return error_set(err, "", "%s needs a unit; did you mean \"%.*s%s\"?",
				 text, num.length, text, unit_guess(kind, &num));
	unit = unit_find(kinds[kind].units, name);
	if (!unit)
		return unit_unknown(text, &num, kind, name, err);
	value = num.mantissa * (uint64_t)unit->factor;
	den = power10(num.decimals);
	if (value % den && kind == UNITS_COUNT)
		return error_set(err, "", "%s is not a whole number", text);
	if (value % den)
		return error_set(err, "", "\"%s\" is not a whole number of %s", text,
				 kind == UNITS_FREQ ? "events per 1000 s"
						    : kinds[kind].units->name);
	value /= den;
	if (value > INT64_MAX || (kind == UNITS_TIME && value == INT64_MAX))
		return error_set(err, "", "\"%s\" is too large", text);
	*out = (int64_t)value;
	return 0;
}

/* --------------------------------------------------------------- printing */

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* value / factor with `decimals` places, zeros trimmed where `trim`. */
static void print_decimal(char *buf, size_t size, bool negative, u128 scaled, int decimals,
			  bool trim, const char *unit)
{
	uint64_t one = (uint64_t)power10(decimals);
	uint64_t whole = (uint64_t)(scaled / one), part = (uint64_t)(scaled % one);
	const char *sign = negative ? "-" : "";

	while (trim && decimals && part % 10 == 0) {
		part /= 10;
		decimals--;
	}
	if (decimals)
		snprintf(buf, size, "%s%" PRIu64 ".%0*" PRIu64 "%s", sign, whole, decimals,
			 part, unit);
	else
		snprintf(buf, size, "%s%" PRIu64 "%s", sign, whole, unit);
}

/* 65536 is "64KiB", not "65.54KB". */
static bool format_binary(int64_t value, char *buf, size_t size)
{
	static const char *const names[] = {"B", "KiB", "MiB", "GiB"};
	uint64_t v = magnitude(value);
	int i = 0;

	while (v % 1024 == 0 && v && i < 3) {
		v /= 1024;
		i++;
	}
	if (magnitude(value) >= 10000 ? i == 0 || v >= 10000 : v % 1000 == 0)
		return false;
	if (magnitude(value) < 10000) {
		v = magnitude(value);
		i = 0;
	}
	snprintf(buf, size, "%s%" PRIu64 "%s", value < 0 ? "-" : "", v, names[i]);
	return true;
}

static const struct unit *unit_largest(enum units_kind kind, uint64_t v)
{
	const struct unit *best = NULL;

	for (const struct unit *u = kinds[kind].units; u->name; u++) {
		if (u->shown && (!best || (uint64_t)u->factor <= v))
			best = u;
	}
	return best;
}

char *units_format(int64_t value, enum units_kind kind, char *buf, size_t size)
{
	uint64_t v = magnitude(value);
	const struct unit *u = unit_largest(kind, v), *next = NULL;
	uint64_t factor = (uint64_t)u->factor;
	int decimals = 3;
	u128 scaled;

	if (kind == UNITS_TIME && value == UNITS_NEVER) {
		snprintf(buf, size, "never");
		return buf;
	}
	for (uint64_t w = v / factor; w >= 10 && decimals; w /= 10)
		decimals--;
	scaled = (u128)v * power10(decimals);
	if (scaled % factor == 0 && !(kind == UNITS_BYTES && v < 10000 && v % 1000)) {
		print_decimal(buf, size, value < 0, scaled / factor, decimals, true, u->name);
		return buf;
	}
	if (kind == UNITS_BYTES && format_binary(value, buf, size))
		return buf;
	scaled = (scaled + factor / 2) / factor;
	if (scaled >= power10(decimals) * 1000)	/* 999.96 us is 1.000 ms */
		next = unit_largest(kind, v + factor);
	if (next && next != u)
		print_decimal(buf, size, value < 0, 1000, 3, false, next->name);
	else
		print_decimal(buf, size, value < 0, scaled, decimals, false, u->name);
	return buf;
}

char *units_exact(int64_t value, enum units_kind kind, char *buf, size_t size)
{
	uint64_t v = magnitude(value);
	const struct unit *best = kinds[kind].units;

	if (kind == UNITS_TIME && value == UNITS_NEVER) {
		snprintf(buf, size, "never");
		return buf;
	}
	for (const struct unit *u = best; u->name && v && kind != UNITS_BYTES; u++) {
		if (u->shown && v % (uint64_t)u->factor == 0)
			best = u;
	}
	print_decimal(buf, size, value < 0, (u128)v * 1000 / (uint64_t)best->factor, 3, true,
		      best->name);
	return buf;
}
