#include "cli/commands/up.h"

#include "cli/server/run.h"

namespace proa::cli {

Command up_command() {
  return {.name = "up",
          .summary = "Start Proa on this machine, in the foreground.",
          .description =
              "So far the same as `proa server`: the API over the store, without nodes. State lies "
              "in the data directory alone.",
          .flags = server_flags(),
          .run = run_server};
}

}  // namespace proa::cli
