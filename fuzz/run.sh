#!/bin/sh
# Fuzzes one target from the example skills: run.sh TARGET [SECONDS]
set -eu
target=$1
seconds=${2:-60}
cd "$(dirname "$0")"
mkdir -p "corpus/$target" artifacts
for skill in ../examples/skills/*/SKILL.md; do
    folder=$(dirname "$skill")
    case $target in
    archive) tar -czf "corpus/$target/$(basename "$folder").tar.gz" -C "$folder" . ;;
    reference) sed -n 's/^| `\([^`]*\)`.*/\1/p' ../docs/installing.md | split -l 1 - "corpus/$target/form-" ;;
    *) cp "$skill" "corpus/$target/$(basename "$folder").md" ;;
    esac
done
exec cargo +nightly fuzz run "$target" --fuzz-dir . "corpus/$target" -- \
    -max_total_time="$seconds" -max_len=2048 -timeout=10 -dict=skill.dict
