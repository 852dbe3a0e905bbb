# A small linter: no line may end in a space. With --fix it mends that.
for file in *.js; do
	if [ "${1-}" = --fix ]; then
		sed 's/ *$//' "$file" >"$file.tmp" && mv "$file.tmp" "$file"
	fi
	grep -n ' $' "$file" >found || continue
	line=$(cut -d: -f1 found | head -n 1)
	rm found
	echo "$file:$line:1: error: trailing space" >&2
	exit 1
done
rm -f found
echo 'no findings'
