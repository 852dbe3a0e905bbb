# An agent that needs no account: it reads the prompt on its standard input, as any agent does, and plays a part for each task.
prompt=$(cat)
told() { printf '%s\n' "$prompt" | grep -q "$1"; }

case $SPECRUNNER_TASK in
TASK-001)
	greeting='Hello world'
	# Only who is told what the tests said knows better.
	if told 'want: Hello, world!'; then greeting='Hello, world!'; fi
	echo "echo '$greeting'" >work/out/greet.sh
	echo "greet.sh says: $greeting"
	;;
TASK-002)
	if [ ! -f work/klingon.txt ]; then
		echo 'I have looked everywhere.'
		echo 'TASK_FAILED: there is no dictionary in work/klingon.txt'
		exit 0
	fi
	echo "echo '$(cat work/klingon.txt)'" >work/out/greet-klingon.sh
	;;
TASK-003)
	cat work/out/greet.sh work/out/greet-klingon.sh >work/out/greet-all.sh
	;;
TASK-004)
	if [ ! -f work/limited ]; then
		touch work/limited
		echo "You've hit your limit · resets 3pm" >&2
		exit 1
	fi
	echo "echo 'Goodbye, world!'" >work/out/leave.sh
	;;
TASK-005)
	cat work/out/greet.sh work/out/leave.sh >work/out/visit.sh
	;;
esac
echo TASK_COMPLETE
