# Stands for a package manager: it gets the name of a package after "--", and makes the package.
[ "$1" = -- ] && mkdir -p "node_modules/$2" && echo "added $2"
