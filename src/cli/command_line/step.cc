#include "cli/command_line/step.h"

#include <fmt/format.h>

namespace proa::cli {

void print_step(Terminal& terminal, std::string_view what, std::string_view text) {
  terminal.out(fmt::format("  {:<14} {}\n", what, text));
}

}  // namespace proa::cli
