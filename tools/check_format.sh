#!/usr/bin/env bash
# Checks the C++ sources against .clang-format; with --fix it formats them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folders=(src tests bench)
list() {
  git ls-files -z -- "${folders[@]}" 2>/dev/null || find "${folders[@]}" -type f -print0
}
mapfile -d '' files < <(list | grep -zE '\.(h|cpp)$' || true)
present=()
for file in "${files[@]}"; do
  [[ -f "$file" ]] && present+=("$file")
done
if [[ "${1:-}" == --fix ]]; then
  exec clang-format-19 -i "${present[@]}"
fi
exec clang-format-19 --dry-run --Werror "${present[@]}"
