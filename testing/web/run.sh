#!/usr/bin/env bash
# Opens the page of a running server in a real browser, and keeps pictures of it in target/pictures.
# Takes the built command as its argument. Installs what it needs: the driver from npm, and where there is
# no browser and apt-get can be used, Debian's chromium.
set -euo pipefail
metier=$(realpath "${1:?usage: testing/web/run.sh PATH/TO/metier}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD
pictures=$root/target/pictures
driver=$root/target/web-driver
mkdir -p "$pictures" "$driver"

if ! command -v chromium >/dev/null; then
  apt-get install -y -qq chromium >"$driver/apt.log" 2>&1 || { apt-get update -qq && apt-get install -y -qq chromium >"$driver/apt.log" 2>&1; }
fi
if ! [ -d "$driver/node_modules/playwright-core" ]; then
  (cd "$driver" && npm init -y >npm.log 2>&1 && npm install --no-audit --no-fund playwright-core@1.64.1 >>npm.log 2>&1)
fi

skills=$(mktemp -d)
cp -r examples/skills/. "$skills"
"$metier" serve --http 127.0.0.1:0 --root "$skills" </dev/null 2>"$driver/serve.log" &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$skills"' EXIT
for _ in $(seq 100); do
  address=$(sed -n 's/.*listening address=\([0-9.:]*\).*/\1/p' "$driver/serve.log")
  [ -n "$address" ] && break
  sleep 0.1
done
CHROMIUM=$(command -v chromium) PLAYWRIGHT=$driver node testing/web/page.mjs "http://$address" "$skills" "$pictures"
