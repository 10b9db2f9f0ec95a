exec "$XOFF" run experiment.json --quiet --json >/dev/full
