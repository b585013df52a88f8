# What the scripts' commands may use.

# Retries until the command succeeds. For effects of another process that cannot be watched.
await() { until "$@" 2>/dev/null; do sleep 0.02; done; }
has_lines() { [ "$(wc -l <"$2")" = "$1" ]; } # COUNT FILE
