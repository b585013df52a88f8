#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command_line/command.h"

namespace proa::cli {

Command lab_command();

// `failure` of opening a lab, with the reason if its flags stand among the words of kubectl, where
// they are not read.
Status explain_late_flags(const Status& failure, const std::vector<std::string>& words);

}  // namespace proa::cli
