#include "cli/host/rights.h"

#include <fmt/format.h>
#include <unistd.h>

namespace proa::cli {

Result<void> require_root(std::string_view action, std::string_view advice) {
  if (geteuid() == 0) return {};
  return Status(Reason::kForbidden, fmt::format("{} requires root; {}", action, advice));
}

}  // namespace proa::cli
