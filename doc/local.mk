# doc/ and man/.
EXTRA_DIST += \
	doc/design.md \
	doc/sources.md
