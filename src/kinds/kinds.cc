#include "kinds/kinds.h"

#include <algorithm>
#include <tuple>

#include "kinds/access/table.h"
#include "kinds/core/table.h"
#include "kinds/extension/table.h"
#include "kinds/networking/table.h"
#include "kinds/pods/table.h"
#include "kinds/storage/table.h"
#include "kinds/workloads/table.h"

namespace proa::kinds {

namespace kinds {

using RulesTable = std::span<const KindRules> (*)();
using DefaultsTable = std::span<const TypeDefaults> (*)();

struct Folder {
  RulesTable rules;
  DefaultsTable type_defaults;
};

constexpr Folder kFolders[] = {
    {pod_rules, pod_type_defaults},
    {core_rules, core_type_defaults},
    {workloads_rules, workloads_type_defaults},
    {networking_rules, networking_type_defaults},
    {storage_rules, storage_type_defaults},
    {access_rules, access_type_defaults},
    {extension_rules, extension_type_defaults},
};

struct Entry {
  std::string_view kind;
  std::string_view group_version;
  const KindRules* rules;

  auto key() const { return std::tie(kind, group_version); }
};

std::vector<Entry> sorted_entries() {
  std::vector<Entry> entries;
  for (const Folder& folder : kFolders) {
    for (const KindRules& rules : folder.rules()) {
      const size_t slash = rules.kind.rfind('/');
      entries.push_back({.kind = rules.kind.substr(slash + 1),
                         .group_version = rules.kind.substr(0, slash),
                         .rules = &rules});
    }
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.key() < b.key(); });
  return entries;
}

}  // namespace kinds

const KindRules& find_rules(std::string_view group_version, std::string_view kind) {
  static const std::vector<kinds::Entry> kEntries = kinds::sorted_entries();
  static const KindRules kOrdinary{};
  const auto wanted = std::tie(kind, group_version);
  const auto found = std::lower_bound(
      kEntries.begin(), kEntries.end(), wanted,
      [](const kinds::Entry& entry, const auto& key) { return entry.key() < key; });
  return found == kEntries.end() || found->key() != wanted ? kOrdinary : *found->rules;
}

std::vector<TypeDefaults> all_type_defaults() {
  std::vector<TypeDefaults> all;
  for (const kinds::Folder& folder : kinds::kFolders) {
    const auto defaults = folder.type_defaults();
    all.insert(all.end(), defaults.begin(), defaults.end());
  }
  return all;
}

}  // namespace proa::kinds
