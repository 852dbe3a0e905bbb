# Builds what needs the package that is named, which must be there.
if [ ! -d "node_modules/$1" ]; then
	echo "Error: Cannot find module '$1'" >&2
	exit 1
fi
echo "built with $1"
