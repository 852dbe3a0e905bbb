#!/bin/sh
# Makes demo/work: what the skills of the demo work on. It can be run again; then everything begins anew.
set -eu
cd "$(dirname "$0")"
rm -rf work
mkdir -p work/shop
cd work/shop
printf 'export const total = (items) => items.length;  \nexport const none = [];\n' >total.js
cp ../../scripts/lint.sh . # a fix works in a clone, so the linter is part of it
git init -q -b main .
git config user.name demo
git config user.email demo@example.com
git config commit.gpgsign false
git add .
git commit -q -m 'Count items'
