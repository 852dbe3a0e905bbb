# A hook after the agent: what it has written can be parsed.
for file in work/out/*.sh; do
	[ ! -e "$file" ] || sh -n "$file" || exit 1
done
