#include "api/apply/managed/updater.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/apply/fields/merge.h"
#include "api/apply/fields/owned.h"
#include "api/apply/fields/remove.h"

namespace proa::api {

FieldSet Updater::filtered(FieldSet set, std::string_view api_version) {
  if (kind_.reset_fields == nullptr) return set;
  return make_.subtract_with_below(set, kind_.reset_fields(api_version));
}

FieldSet Updater::with_named(FieldSet set, Place place) {
  return with_named_fields(set, place, make_.arena());
}

FieldSet Updater::owned(const VersionedValue& object) {
  return with_named(owned_fields(*object.value, object.place(), make_.arena()), object.place());
}

VersionedValue Updater::without(const VersionedValue& object, FieldSet set) {
  return versions_.keep(remove_fields(*object.value, set, object.place(), make_.arena()),
                        object.type);
}

Result<VersionedValue> Updater::convert(const VersionedValue& object, std::string_view api_version,
                                        std::string_view failure) {
  Result<VersionedValue> converted = versions_.convert(object, api_version);
  if (converted) return converted;
  return Status(Reason::kUnknown, fmt::format("{}: {}", failure, converted.status().message()));
}

Comparison Updater::compare(const VersionedValue& before, const VersionedValue& after) {
  Comparison found = compare_fields(*before.value, *after.value, before.place(), make_.arena());
  found.added = filtered(found.added, before.api_version());
  found.modified = filtered(found.modified, before.api_version());
  found.removed = filtered(found.removed, before.api_version());
  return found;
}

// Managers of versions that are no longer served are forgotten.
void Updater::reconcile(ManagedEntries& managers) {
  std::erase_if(managers,
                [&](const ManagedEntry& entry) { return !versions_.find(entry.api_version); });
  for (ManagedEntry& entry : managers) {
    const VersionedType type = versions_.find(entry.api_version);
    entry.fields = reconcile_fields(entry.fields, type.place(), make_.arena());
  }
}

Result<Comparison> Updater::take(const VersionedValue& live, const VersionedValue& object,
                                 ManagedEntries& managers, const ManagedEntry* self,
                                 std::vector<Conflict>* conflicts) {
  std::vector<Difference> differences;
  differences.push_back({std::string(live.api_version()), compare(live, object)});
  struct Loss {
    ManagedEntry* entry;
    FieldSet conflicting;
    FieldSet removed;
  };
  std::vector<Loss> losses;
  for (ManagedEntry& entry : managers) {
    if (self != nullptr && entry.same_manager(*self)) continue;
    auto known = std::ranges::find(differences, entry.api_version, &Difference::api_version);
    if (known == differences.end()) {
      const VersionedValue before =
          TRY(convert(live, entry.api_version, "failed to convert old object"));
      const VersionedValue after =
          TRY(convert(object, entry.api_version, "failed to convert new object"));
      differences.push_back({entry.api_version, compare(before, after)});
      known = std::prev(differences.end());
    }
    const Comparison& changed = known->comparison;
    const FieldSet set = make_.unite(changed.modified, changed.added);
    const FieldSet conflicting = make_.intersect(entry.fields, set);
    if (conflicts != nullptr && !conflicting.empty()) conflicts->push_back({entry, conflicting});
    losses.push_back({&entry, conflicting, changed.removed});
  }
  if (conflicts != nullptr && !conflicts->empty()) return differences[0].comparison;
  for (const Loss& loss : losses) {
    loss.entry->fields = make_.subtract(loss.entry->fields, loss.conflicting);
    loss.entry->fields = make_.subtract(loss.entry->fields, loss.removed);
  }
  std::erase_if(managers, [](const ManagedEntry& entry) { return entry.fields.empty(); });
  return differences[0].comparison;
}

Result<FieldSet> Updater::update(const json::Value& live, const json::Value& object,
                                 ManagedEntries& managers) {
  reconcile(managers);
  const Comparison changed =
      TRY(take({&live, kind_.type}, {&object, kind_.type}, managers, nullptr, nullptr));
  if (!changed.valid) return Status(Reason::kUnknown, "a list with keys has an item without them");
  return filtered(make_.unite(changed.modified, changed.added), kind_.api_version());
}

Result<Updater::Applied> Updater::apply(const json::Value& live, const json::Value& config,
                                        ManagedEntries& managers, const ManagedEntry& manager,
                                        bool force) {
  reconcile(managers);
  const VersionedValue before{&live, kind_.type};
  const Place place = kind_.type.place();
  VersionedValue merged =
      versions_.keep(merge_fields(live, config, place, make_.arena()), kind_.type);
  std::optional<ManagedEntry> last;
  if (const ManagedEntry* found = find_manager(managers, manager)) last = *found;
  ManagedEntry next = manager;
  next.applied = true;
  next.api_version = kind_.api_version();
  next.time = last ? last->time : std::nullopt;
  next.fields = filtered(owned_fields(config, place, make_.arena()), kind_.api_version());
  if (ManagedEntry* found = find_manager(managers, manager)) {
    *found = next;
  } else {
    managers.push_back(next);
  }
  // Nothing to prune if all that was applied before still is. An applied set has every item that it
  // has something of, so that none of the others' rules can remove it. Other versions may: what is
  // empty is lost on the way through them.
  const bool one_version = std::ranges::all_of(
      managers, [&](const ManagedEntry& entry) { return entry.api_version == next.api_version; });
  const bool keeps_all = !last || (one_version && last->api_version == next.api_version &&
                                   next.fields.contains(last->fields));
  if (!keeps_all) merged = TRY(prune(merged, managers, *last));
  Applied applied;
  TRY(take(before, merged, managers, &next, force ? nullptr : &applied.conflicts));
  if (!applied.conflicts.empty()) return applied;
  if (!(live == *merged.value)) applied.object = merged.value;
  return applied;
}

// Removes a field or item if the manager applied it last time, does not apply it this time, and
// nobody else owns it.
Result<VersionedValue> Updater::prune(const VersionedValue& merged, const ManagedEntries& managers,
                                      const ManagedEntry& last) {
  if (last.fields.empty() || !versions_.find(last.api_version)) return merged;
  const VersionedValue whole = TRY(
      convert(merged, last.api_version,
              "failed to prune fields: failed to convert merged object to last applied version"));
  const FieldSet last_fields = with_named(last.fields, whole.place());
  VersionedValue pruned = without(whole, last_fields);
  pruned = TRY(add_back_owned(whole, pruned, managers));
  // What is not the manager's stays, although it is below something that goes.
  pruned = TRY(versions_.convert(pruned, last.api_version));
  const FieldSet gone = make_.subtract(owned(whole), owned(pruned));
  pruned = without(whole, make_.intersect(gone, last_fields));
  return versions_.convert(pruned, kind_.api_version());
}

// Adds back what was removed, but is owned by someone.
Result<VersionedValue> Updater::add_back_owned(const VersionedValue& merged, VersionedValue pruned,
                                               const ManagedEntries& managers) {
  std::vector<std::pair<std::string, FieldSet>> by_version;
  for (const ManagedEntry& entry : managers) {
    auto found = std::ranges::find(by_version, entry.api_version,
                                   [](const auto& version) { return version.first; });
    if (found == by_version.end()) {
      by_version.emplace_back(entry.api_version, entry.fields);
    } else {
      found->second = make_.unite(found->second, entry.fields);
    }
  }
  // The version of the pruned object first: others may need its fields to convert it.
  std::ranges::stable_sort(by_version, {}, [&](const auto& version) {
    return version.first == merged.api_version() ? 0 : 1;
  });
  VersionedValue whole = merged;
  for (const auto& [version, fields] : by_version) {
    if (!versions_.find(version)) continue;
    const auto failure = [at = std::string_view(version)](std::string_view which) {
      return fmt::format(
          "failed to prune fields: failed add back owned items: failed to convert {} object at "
          "version {}",
          which, at);
    };
    whole = TRY(convert(whole, version, failure("merged")));
    pruned = TRY(convert(pruned, version, failure("pruned")));
    const FieldSet kept = make_.unite(owned(pruned), with_named(fields, whole.place()));
    pruned = without(whole, make_.subtract(owned(whole), kept));
  }
  return pruned;
}

}  // namespace proa::api
