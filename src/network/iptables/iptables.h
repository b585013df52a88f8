#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

// iptables(8): what iptables-save prints, and running it.

namespace proa::network {

// One line "-A CHAIN ... -j TARGET"; borrowed from the text.
struct SavedRule {
  std::string_view chain = {};
  std::string_view target = {};  // empty if it has none
  std::string_view rest = {};    // behind "-A"
};
// The rules of a table, in order. `saved`: the output of iptables-save.
std::vector<SavedRule> saved_rules(std::string_view saved, std::string_view table);
bool has_saved_chain(std::string_view saved, std::string_view chain);

// Runs iptables-save, or iptables-restore with `input`, which leaves other rules of the table as
// they are. kNotFound if the program is not installed.
Result<std::string> run_iptables(const std::string& program, const std::string& table,
                                 std::string_view input, const Clock& clock);

// Whether iptables of the older kind, which nf_tables do not show, has this table in the namespace
// of the calling thread. Asking the program would make one.
bool has_legacy_table(std::string_view table, bool v6);

}  // namespace proa::network
