# Shared by the scripts that fetch and build clients. Clients are kept outside of the tree.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/proa/clients
log=$(mktemp)
trap 'rm -rf "$log" "$log.d"' EXIT

# Exit code 77 marks a test as skipped.
skip() {
  printf '%s\n' "$*" >&2
  exit 77
}
fail() {
  printf '%s\n' "$@" >&2
  exit 1
}
