#!/bin/sh
# Fuzzes one target from the example skills: run.sh TARGET [SECONDS]
set -eu
target=$1
seconds=${2:-60}
cd "$(dirname "$0")"
mkdir -p "corpus/$target" artifacts
for skill in ../examples/skills/*/SKILL.md; do
    cp "$skill" "corpus/$target/$(basename "$(dirname "$skill")").md"
done
exec cargo +nightly fuzz run "$target" --fuzz-dir . "corpus/$target" -- \
    -max_total_time="$seconds" -max_len=2048 -timeout=10 -dict=skill.dict
