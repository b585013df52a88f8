#include "cli/backup/progress.h"

#include <fmt/format.h>

#include "cli/command_line/output.h"

namespace proa::cli {
namespace progress {

constexpr Duration kLineInterval = std::chrono::seconds(2);

}  // namespace progress

void Progress::begin(std::string_view what, uint64_t total) {
  what_ = what;
  total_ = total;
  done_ = 0;
}

void Progress::add(uint64_t bytes) {
  done_ += bytes;
  const Steady now = clock_.steady();
  if (now - printed_ < progress::kLineInterval) return;
  printed_ = now;
  // To standard error, as the result may go to standard output.
  terminal_.error(fmt::format("{} {} of {}\n", what_, format_bytes(done_), format_bytes(total_)));
}

}  // namespace proa::cli
