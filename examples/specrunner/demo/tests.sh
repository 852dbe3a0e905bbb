# A hook after the agent: what it has written does what the tasks ask for.
failed=0
says() {
	[ -e "work/out/$1" ] || return 0
	got=$(sh "work/out/$1")
	[ "$got" != "$2" ] || return 0
	printf -- '--- FAIL: %s\n  got:  %s\n  want: %s\n' "$1" "$got" "$2"
	failed=1
}
says greet.sh 'Hello, world!'
says leave.sh 'Goodbye, world!'
says visit.sh 'Hello, world!
Goodbye, world!'
exit $failed
