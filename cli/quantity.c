/* cli/quantity.c - see quantity.h */
#include "cli/quantity.h"

#include <stdio.h>
#include <string.h>

#include "cli/message.h"

int quantity_read(const char *command, const char *option, const char *text,
		  enum units_kind kind, int64_t min, int64_t *out)
{
	struct sim_error err = { 0 };
	char least[48], bytes[32];
	int64_t value = 0;

	if (!text)
		return 0;
	if (kind == UNITS_BYTES && *text && strspn(text, "0123456789") == strlen(text)) {
		snprintf(bytes, sizeof(bytes), "%.20sB", text);
		text = bytes;
	}
	if (units_parse(text, kind, &value, NULL, &err)) {
		message_error(command, "--%s: %s", option, err.text);
		return -1;
	}
	if (value < min) {
		message_error(command, "--%s %s is less than %s", option, text,
			      units_format(min, kind, least, sizeof(least)));
		return -1;
	}
	*out = value;
	return 0;
}

int quantity_ratio(const char *command, const char *option, const char *text, int64_t most,
		   struct units_ratio *out)
{
	struct sim_error err = { 0 };
	struct units_ratio ratio = { 0, 1 };

	if (!text)
		return 0;
	if (units_parse(text, UNITS_RATIO, NULL, &ratio, &err)) {
		message_error(command, "--%s: %s", option, err.text);
		return -1;
	}
	if (ratio.num <= 0 || (most && ratio.num > most * ratio.den)) {
		message_error(command, "--%s %s is not above 0%s", option, text,
			      most ? " and at most 100%" : "");
		return -1;
	}
	*out = ratio;
	return 0;
}
