#include "cli/command_line/variables.h"

#include <algorithm>
#include <set>

#include "cli/command_line/settings.h"
#include "cli/command_line/suggest.h"

namespace proa::cli {
namespace variables {

constexpr std::string_view kPrefix = "PROA_";

// Without the prefix: what all names have in common would make them look alike.
void collect(const Command& command, std::set<std::string>& names) {
  for (const Flag& flag : command.flags) {
    names.insert(environment_name(flag.name).substr(kPrefix.size()));
  }
  for (const Command& inner : command.commands) collect(inner, names);
}

}  // namespace variables

std::vector<std::string> variable_warnings(const Command& root,
                                           const std::vector<std::string>& environment) {
  std::set<std::string> known;
  variables::collect(root, known);
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  std::vector<std::string> warnings;
  for (const std::string& variable : environment) {
    if (!variable.starts_with(variables::kPrefix)) continue;
    const std::string name = variable.substr(0, variable.find('='));
    const std::string_view word = std::string_view(name).substr(variables::kPrefix.size());
    if (word.empty() || known.contains(std::string(word))) continue;
    const auto meant = nearest(word, candidates);
    if (!meant) continue;
    warnings.push_back(name + " is not a setting; did you mean '" +
                       std::string(variables::kPrefix).append(*meant) + "'?");
  }
  std::ranges::sort(warnings);
  return warnings;
}

}  // namespace proa::cli
