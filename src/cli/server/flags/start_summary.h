#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line/command.h"

namespace proa::cli {

// A line of the startup.
struct SummaryLine {
  std::string_view what;
  std::string text;
};

// What the server does besides its defaults, as far as an operator wants to see it at start: audit,
// authentication, authorization. `audits`: whether anything is audited.
std::vector<SummaryLine> start_summary(const Settings& settings, bool audits);

// Where clients reach the server: on this machine, and on others if it listens on all addresses.
std::string https_text(const std::string& local, const std::string& advertised);

}  // namespace proa::cli
