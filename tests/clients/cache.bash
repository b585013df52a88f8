# What the scripts that fetch and build clients share. Clients lie outside of the tree, and stay.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/proa/clients
log=$(mktemp)
trap 'rm -rf "$log" "$log.d"' EXIT

# 77 is how tests say that they can't run here.
skip() {
  printf '%s\n' "$*" >&2
  exit 77
}
fail() {
  printf '%s\n' "$@" >&2
  exit 1
}
