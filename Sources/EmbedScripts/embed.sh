#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes scripts into Swift as texts: embed.sh OUTPUT FILE...
set -eu
output=$1
shift
{
  echo "// Made of JavaScript by Sources/EmbedScripts."
  echo "enum Scripts {"
  for file; do
    printf '  static let %s: StaticString = ####"""\n' "$(basename "$file" | tr . _)"
    cat "$file"
    printf '\n"""####\n'
  done
  echo "}"
} > "$output"
