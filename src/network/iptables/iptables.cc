#include "network/iptables/iptables.h"

#include <algorithm>

#include "base/files.h"
#include "base/process/spawn.h"
#include "base/strings.h"

namespace proa::network {
namespace iptables {

constexpr Duration kPatience = std::chrono::seconds(30);
// Other programs may have very many rules.
constexpr size_t kMostRules = 256 * 1024 * 1024;
constexpr size_t kMaxNames = 4096;

}  // namespace iptables

std::vector<SavedRule> saved_rules(std::string_view saved, std::string_view table) {
  std::vector<SavedRule> rules;
  bool inside = false;
  for (const std::string_view line : split(saved, '\n')) {
    if (line.starts_with('*')) inside = line.substr(1) == table;
    if (!inside || !line.starts_with("-A ")) continue;
    SavedRule rule{.rest = line.substr(2)};
    rule.chain = line.substr(3, line.find(' ', 3) - 3);
    const size_t jump = line.rfind(" -j ");
    if (jump != std::string_view::npos) {
      const std::string_view target = line.substr(jump + 4);
      rule.target = target.substr(0, target.find(' '));
    }
    rules.push_back(rule);
  }
  return rules;
}

bool has_saved_chain(std::string_view saved, std::string_view chain) {
  return saved.find("\n:" + std::string(chain) + " ") != std::string_view::npos;
}

Result<std::string> run_iptables(const std::string& program, const std::string& table,
                                 std::string_view input, const Clock& clock) {
  const auto path = find_program(program);
  if (!path) {
    return Status(Reason::kNotFound, program + " not found; install the package iptables");
  }
  std::vector<std::string> words = {*path, "--table", table};
  if (!input.empty()) words.insert(words.end(), {"--noflush", "--wait"});
  const Outcome outcome =
      TRY(run_to_end(words, input, clock, iptables::kPatience, iptables::kMostRules));
  if (outcome.exit_code != 0) {
    return Status(Reason::kInternalError,
                  program + " failed: " + std::string(trim(outcome.output)));
  }
  return outcome.output;
}

bool has_legacy_table(std::string_view table, bool v6) {
  SystemFiles files;
  const auto names = files.read_file(
      v6 ? "/proc/thread-self/net/ip6_tables_names" : "/proc/thread-self/net/ip_tables_names",
      iptables::kMaxNames);
  if (!names.ok()) return false;
  const std::vector<std::string_view> lines = split(*names, '\n');
  return std::ranges::find(lines, table) != lines.end();
}

}  // namespace proa::network
