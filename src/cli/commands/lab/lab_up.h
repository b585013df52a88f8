#pragma once

#include <string>
#include <vector>

#include "cli/command_line/command.h"

namespace proa::cli {

Command lab_up_command();

// Flags that a user gives the nodes of a lab, by the command that takes them.
struct LabNodeFlags {
  std::vector<std::string> server = {};  // of `proa up`, or of `proa server`
  std::vector<std::string> node = {};    // of `proa node`
};
// `words`: "--max-pods 20", "--max-pods=20". kInvalid for what is no flag of either, and for flags
// that the lab itself sets. `server_apart`: the API server is no node.
Result<LabNodeFlags> sort_node_flags(const std::vector<std::string>& words, bool server_apart);

}  // namespace proa::cli
