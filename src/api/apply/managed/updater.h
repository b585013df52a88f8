#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/apply/fields/compare.h"
#include "api/apply/managed/conflicts.h"
#include "api/apply/managed/entries.h"
#include "api/apply/managed/versions.h"

namespace proa::api {

// Follows who owns which fields of an object through a write (upstream's merge.Updater). Pure: for
// one write and one thread; what it returns borrows from it, its arena and the given values.
class Updater {
 public:
  Updater(const ManagedKind& kind, json::Arena& arena)
      : kind_(kind), versions_(kind), make_(arena) {}

  struct Applied {
    // Null: the object does not change.
    const json::Value* object = nullptr;
    std::vector<Conflict> conflicts;  // unless forced; nothing else counts then
  };

  // A write that replaces `live` with `object`: takes what changed from its owners. Returns it, for
  // the writer to own; empty if nothing changed.
  Result<FieldSet> update(const json::Value& live, const json::Value& object,
                          ManagedEntries& managers);

  // Merges `config` into `live`, without what `manager` applied before and nobody else owns.
  // REQUIRES: `config` is checked.
  Result<Applied> apply(const json::Value& live, const json::Value& config,
                        ManagedEntries& managers, const ManagedEntry& manager, bool force);

 private:
  struct Difference {
    std::string api_version;
    Comparison comparison;
  };

  FieldSet filtered(FieldSet set, std::string_view api_version);
  // `failure`: what upstream says if it is not possible.
  Result<VersionedValue> convert(const VersionedValue& object, std::string_view api_version,
                                 std::string_view failure);
  Comparison compare(const VersionedValue& before, const VersionedValue& after);
  void reconcile(ManagedEntries& managers);
  // Takes what changed from all but `self`, if it is not null; fills `conflicts` instead, if it is
  // not null and there are any.
  Result<Comparison> take(const VersionedValue& live, const VersionedValue& object,
                          ManagedEntries& managers, const ManagedEntry* self,
                          std::vector<Conflict>* conflicts);

  Result<VersionedValue> prune(const VersionedValue& merged, const ManagedEntries& managers,
                               const ManagedEntry& last);
  Result<VersionedValue> add_back_owned(const VersionedValue& merged, VersionedValue pruned,
                                        const ManagedEntries& managers);
  FieldSet with_named(FieldSet set, Place place);
  FieldSet owned(const VersionedValue& object);
  VersionedValue without(const VersionedValue& object, FieldSet set);

  const ManagedKind& kind_;
  VersionConverter versions_;
  FieldSetMaker make_;
};

}  // namespace proa::api
