/* cli/junit.c - see junit.h */
#include "cli/junit.h"

static void escaped(FILE *out, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:	/* XML 1.0 has no other control characters */
			fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
		}
}

static void attribute(FILE *out, const char *name, const char *value)
{
	fprintf(out, " %s=\"", name);
	escaped(out, value);
	fputc('"', out);
}

void junit_case(FILE *out, const char *class_, const char *name, const char *failure,
		bool broken)
{
	fputs("    <testcase", out);
	attribute(out, "classname", class_);
	attribute(out, "name", name);
	if (!failure) {
		fputs("/>\n", out);
		return;
	}
	fputs(broken ? ">\n      <error" : ">\n      <failure", out);
	attribute(out, "message", failure);
	fputs("/>\n    </testcase>\n", out);
}

void junit_begin(FILE *out)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"xoff verify\">\n",
	      out);
}

void junit_suite(FILE *out, const char *name, int tests, int failures, bool skipped,
		 double seconds, FILE *cases)
{
	char buf[4096];
	size_t n;

	fputs("  <testsuite", out);
	attribute(out, "name", name);
	fprintf(out, " tests=\"%d\" failures=\"%d\" skipped=\"%d\" time=\"%.3f\">\n",
		tests + skipped, failures, (int)skipped, seconds);
	if (skipped) {
		fputs("    <testcase", out);
		attribute(out, "classname", name);
		fputs(" name=\"slow\"><skipped/></testcase>\n", out);
	}
	if (cases) {
		rewind(cases);
		while ((n = fread(buf, 1, sizeof buf, cases)) > 0)
			fwrite(buf, 1, n, out);
	}
	fputs("  </testsuite>\n", out);
}

void junit_end(FILE *out)
{
	fputs("</testsuites>\n", out);
}
