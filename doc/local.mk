# doc/ and man/.
EXTRA_DIST += \
	doc/adding-a-congestion-control.md \
	doc/coverage.md \
	doc/design.md \
	doc/img/cc-compare.svg \
	doc/img/incident.png \
	doc/img/ring-deadlock.png \
	doc/lessons \
	doc/results.md \
	doc/results.sh \
	doc/sources.md
