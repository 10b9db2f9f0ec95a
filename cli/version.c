/* cli/version.c - `xoff version`, `xoff --version`. */
#include <jansson.h>
#include <stdio.h>
#include <zlib.h>
#include <zstd.h>

#include "build_id.h"
#include "cli/command.h"
#include "cli/status.h"

static int version_main(const struct command *self, int argc, char **argv)
{
	struct options_list args = { 0 };
	enum options_answer answer = options_parse(self, argc, argv, NULL, &args);

	if (answer == OPTIONS_GO)
		printf("xoff %s\n"
		       "commit     %s\n"
		       "compiler   %s\n"
		       "flags      %s\n"
		       "libraries  jansson %s, zlib %s, zstd %s\n",
		       XOFF_VERSION, XOFF_COMMIT, XOFF_COMPILER, XOFF_CFLAGS, JANSSON_VERSION,
		       zlibVersion(), ZSTD_versionString());
	options_fini(self, NULL, &args);
	return answer == OPTIONS_WRONG ? STATUS_INPUT : STATUS_OK;
}

const struct command version_command = {
	.name = "version",
	.args = "",
	.about = "print the version, commit, compiler, flags and libraries",
	.examples = "  xoff --version\n",
	.main = version_main,
};
