#!/bin/sh
# Checks a change of the taxonomy, before the tests. The argument is the released taxonomy:
#   git show origin/main:taxonomy.yaml > build/released.yaml && ./ci.sh build/released.yaml
set -eu
go tool errgen check -strict
go tool errgen breaking -against "$1" taxonomy.yaml
