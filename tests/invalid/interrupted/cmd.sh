# Ctrl-C: what there is stays in out.partial, and says that it is not whole.
"$XOFF" run experiment.json --quiet -o out >/dev/null 2>messages &
run=$!
for i in $(seq 200); do [ -e out.partial/resolved.json ] && break; sleep 0.05; done
sleep 0.3
kill -INT $run
wait $run
status=$?
sed 's/ at [0-9.]*[a-z]*$/ at TIME/' messages >&2
[ ! -e out ] || echo "out exists" >&2
grep -q '"complete": false' out.partial/summary.json || echo "out.partial looks whole" >&2
exit $status
