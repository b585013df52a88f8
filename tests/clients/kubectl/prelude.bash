# What the scripts' commands may use.

# Waits until the command succeeds: for what another process does, of which nobody tells.
await() { until "$@" 2>/dev/null; do sleep 0.02; done; }
has_lines() { [ "$(wc -l <"$2")" = "$1" ]; } # COUNT FILE
