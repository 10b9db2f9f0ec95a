# What the script tests of xoff's commands share.  A test sets suite=NAME and sources
# this; it then stands in a scratch folder of its own, and ends with `finish'.
#
#   $here  the folder of the test      $src      the top folder of the sources
#   $XOFF  the program                 $scratch  where it stands
#
# $XOFF, $XOFF_SRC and $XOFF_SCRATCH come from `make check'; by hand, none is needed.
here=$(cd "$(dirname "$0")" && pwd)
src=${XOFF_SRC-$(cd "$here/../.." && pwd)}
XOFF=${XOFF-$src/build/xoff}
scratch=${XOFF_SCRATCH-$(mktemp -d)}
passed=0 failed=0
LC_ALL=C
export LC_ALL

[ -x "$XOFF" ] || {
	echo "$suite: no program at $XOFF; build first" >&2
	exit 1
}
mkdir -p "$scratch" && cd "$scratch" || exit 1

# is WHAT COMMAND... : the command succeeds
is()
{
	what=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: $what"
	fi
}

# ends STATUS WORDS... : xoff WORDS ends with STATUS; out and err are kept
ends()
{
	want=$1
	shift
	"$XOFF" "$@" >out 2>err </dev/null
	got=$?
	is "xoff $*: exit status $got, expected $want: $(head -3 err)" [ $got = "$want" ]
}

# The last command of a test: says how many passed, and is its status.
finish()
{
	cd / && { [ -n "${XOFF_SCRATCH-}" ] || rm -rf "$scratch"; }
	echo "$suite: $passed passed, $failed failed"
	[ $failed = 0 ]
}
