#!/bin/sh
# Checks a change of the taxonomy, before the tests, and writes the pages that help_url names. The
# arguments are the released taxonomy and the directory of the pages:
#   git show origin/main:taxonomy.yaml > build/released.yaml && ./ci.sh build/released.yaml build/errors
set -eu
go tool errgen check -strict
go tool errgen breaking -against "$1" taxonomy.yaml
go tool errgen docs -audience public -o "$2"
