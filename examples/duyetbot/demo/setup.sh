#!/bin/sh
# Makes demo/work: what the skills of the demo work on. It can be run again; then everything begins anew.
set -eu
cd "$(dirname "$0")"
rm -rf work
mkdir -p work/shop
cd work/shop
printf 'export const total = (items) => items.length;  \nexport const none = [];\n' >total.js
git init -q -b main .
git add total.js
git -c user.name=demo -c user.email=demo@example.com -c commit.gpgsign=false commit -q -m 'Count items'
