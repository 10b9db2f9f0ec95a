# A file may not grow beyond one block: as on a full disk, writing fails in the
# middle.  What is there afterwards must not look whole.
(ulimit -f 1; exec "$XOFF" run experiment.json --quiet -o out >/dev/null)
status=$?
[ ! -e out ] || echo "out exists" >&2
grep -q '"complete": false' out.partial/summary.json || echo "out.partial looks whole" >&2
exit $status
