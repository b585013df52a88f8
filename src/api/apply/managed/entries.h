#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/apply/fields/field_set.h"
#include "base/result.h"
#include "base/time.h"
#include "json/value.h"

// metadata.managedFields: which manager owns which fields.

namespace proa::api {

// One manager's fields. Appliers are told apart by name and subresource, others by their
// apiVersion, too.
struct ManagedEntry {
  std::string manager;
  bool applied = false;
  std::string api_version;
  std::string subresource;
  // Of the last change; absent where a manager's first apply changed nothing.
  std::optional<Time> time;
  FieldSet fields;

  bool same_manager(const ManagedEntry& other) const {
    return manager == other.manager && applied == other.applied &&
           subresource == other.subresource && (applied || api_version == other.api_version);
  }
  // Upstream's identifier, which is JSON: decides the order of conflicts and of what is capped.
  std::string identity() const;
};

using ManagedEntries = std::vector<ManagedEntry>;

// Null if there is none.
ManagedEntry* find_manager(ManagedEntries& entries, const ManagedEntry& like);

// Whether the list asks to forget all managers: it is empty, or has one empty entry.
bool is_reset_of_managers(const json::Value* managed_fields);

// Absent and null read as no managers. The fields borrow from the value, and lie in the arena.
// Failures are kBadRequest.
Result<ManagedEntries> decode_managers(const json::Value* managed_fields, json::Arena& arena);
// One entry in its wire form, with copies of its texts.
json::Value encode_manager(const ManagedEntry& entry, json::Arena& arena);
// In upstream's order, with copies of the fields; null if there are none.
json::Value encode_managers(const ManagedEntries& entries, json::Arena& arena);

// At most kMaxUpdaters entries are not of appliers: the oldest become one of the name
// "ancient-changes" per version.
inline constexpr size_t kMaxUpdaters = 10;
void cap_updaters(ManagedEntries& entries, FieldSetMaker& make);

}  // namespace proa::api
