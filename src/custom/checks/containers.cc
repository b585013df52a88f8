#include <fmt/format.h>

#include <algorithm>

#include "api/validation/go_text.h"
#include "custom/checks/checker.h"
#include "custom/checks/numbers.h"
#include "custom/checks/ratchet.h"
#include "custom/checks/words.h"

namespace proa::custom {
namespace containers {

bool has_duplicates(std::span<const json::Value> items, Budget& budget) {
  for (size_t i = 0; i < items.size(); ++i) {
    if (!budget.take_steps(i + 1)) return false;
    const auto before = items.subspan(0, i);
    if (std::any_of(before.begin(), before.end(),
                    [&](const json::Value& other) { return deep_equal(items[i], other); })) {
      return true;
    }
  }
  return false;
}

}  // namespace containers

void Checker::check_items(const Node& node, Tally& tally) {
  const std::span<const json::Value> items = node.value.items();
  const auto size = static_cast<int64_t>(items.size());
  if (node.structure.items != nullptr) {
    const OldItems old(node.old, node.structure);
    for (size_t i = 0; i < items.size() && !budget_.exceeded(); ++i) {
      tally.add(check_node({.value = items[i],
                            .structure = *node.structure.items,
                            .at = Step::item(node.at, i),
                            .old = old.find(items[i])}));
    }
  }
  const api::Checks* checks = node.structure.checks;
  if (checks == nullptr) return;
  if (checks->size != nullptr && checks->size->min_items && size < *checks->size->min_items) {
    fail(tally, [&] {
      return invalid(
          node.at, std::to_string(size),
          fmt::format(" in body should have at least {} items", *checks->size->min_items));
    });
  }
  if (checks->size != nullptr && checks->size->max_items && size > *checks->size->max_items) {
    fail(tally, [&] { return too_many(node.at, items.size(), *checks->size->max_items, "items"); });
  }
  if (checks->unique_items && containers::has_duplicates(items, budget_)) {
    fail(tally, [&] { return invalid(node.at, "\"\"", " in body shouldn't contain duplicates"); });
  }
}

void Checker::check_members(const Node& node, Tally& tally) {
  const api::Structure& structure = node.structure;
  const auto size = static_cast<int64_t>(node.value.size());
  const api::SizeChecks* sizes = structure.checks == nullptr ? nullptr : structure.checks->size;
  if (sizes != nullptr && sizes->min_properties && size < *sizes->min_properties) {
    fail(tally, [&] {
      return invalid(
          node.at, std::to_string(size),
          fmt::format(" in body should have at least {} properties", *sizes->min_properties));
    });
  }
  if (sizes != nullptr && sizes->max_properties && size > *sizes->max_properties) {
    fail(tally, [&] {
      return too_many(node.at, node.value.size(), *sizes->max_properties, "properties");
    });
  }
  const bool closed = structure.states_additional && !structure.allows_additional;
  size_t guess = 0;
  for (const json::Member& member : node.value.members()) {
    if (budget_.exceeded()) return;
    const api::Property* property = structure.find(member.key, guess);
    const bool is_root = node.at.parent == nullptr;
    const json::Value* old = node.old == nullptr ? nullptr : node.old->find(member.key);
    // The old object has been converted to this version: what its version was is not known.
    if (is_root && (member.key == "kind" || member.key == "apiVersion")) old = nullptr;
    if (property != nullptr) {
      guess = static_cast<size_t>(property - structure.properties.data()) + 1;
      tally.add(check_node({.value = member.value,
                            .structure = *property->structure,
                            .at = Step::property(node.at, member.key),
                            .old = old}));
    } else if (structure.additional != nullptr) {
      tally.add(check_node({.value = member.value,
                            .structure = *structure.additional,
                            .at = Step::additional(node.at, member.key),
                            .old = old}));
    } else if (closed) {
      fail(tally, [&] {
        return invalid(node.at, api::quoted(member.key),
                       fmt::format(".{} in body is a forbidden property", member.key));
      });
    }
  }
  if (structure.checks != nullptr) check_required(node, *structure.checks, tally);
}

void Checker::check_required(const Node& node, const api::Checks& checks, Tally& tally) {
  if (!checks.required.empty() && !budget_.take_steps(checks.required.size())) return;
  for (const std::string_view name : checks.required) {
    if (node.value.find(name) != nullptr) continue;
    fail(tally, [&] { return missing(node.at, name); });
  }
}

}  // namespace proa::custom
