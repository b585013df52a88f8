#include "custom/checks/ratchet.h"

#include <algorithm>

#include "custom/checks/numbers.h"
#include "json/print.h"

namespace proa::custom {
namespace ratchet {

// Empty if a key is missing, or no scalar.
std::string keys_of(const json::Value& item, std::span<const std::string_view> names) {
  std::string keys;
  for (const std::string_view name : names) {
    const json::Value* value = item.find(name);
    if (value == nullptr || value->is_null() || value->is(json::Kind::kArray) ||
        value->is(json::Kind::kObject)) {
      return {};
    }
    keys += value->is(json::Kind::kDouble) ? 'f' : 'v';
    json::print_to(keys, *value);
  }
  return keys;
}

}  // namespace ratchet

OldItems::OldItems(const json::Value* old, const api::Structure& list) : list_(list) {
  if (old == nullptr || !is_map() || list.keys().empty() || list.items == nullptr ||
      list.items->kind != api::StructureKind::kObject) {
    return;
  }
  for (const json::Value& item : old->items()) {
    std::string keys = ratchet::keys_of(item, list.keys());
    if (!keys.empty()) by_keys_.emplace(std::move(keys), &item);
  }
}

const json::Value* OldItems::find(const json::Value& item) const {
  if (by_keys_.empty()) return nullptr;
  const auto found = by_keys_.find(ratchet::keys_of(item, list_.keys()));
  return found == by_keys_.end() ? nullptr : found->second;
}

bool is_unchanged(const json::Value& value, const json::Value& old, const api::Structure& structure,
                  Budget& budget) {
  if (!budget.take_steps(1)) return false;
  if (value.is(json::Kind::kArray) && old.is(json::Kind::kArray)) {
    if (value.size() != old.size()) return false;
    const OldItems items(&old, structure);
    if (!items.is_map()) return budget.take_steps(value.size()) && deep_equal(value, old);
    return std::all_of(value.items().begin(), value.items().end(), [&](const json::Value& item) {
      const json::Value* before = items.find(item);
      return before != nullptr && is_unchanged(item, *before, *structure.items, budget);
    });
  }
  if (!value.is(json::Kind::kObject) || !old.is(json::Kind::kObject)) {
    return deep_equal(value, old);
  }
  if (value.size() != old.size()) return false;
  return std::all_of(value.members().begin(), value.members().end(),
                     [&](const json::Member& member) {
                       const json::Value* before = old.find(member.key);
                       const api::Property* property = structure.find(member.key);
                       const api::Structure* inner =
                           property == nullptr ? structure.additional : property->structure;
                       return before != nullptr && inner != nullptr &&
                              is_unchanged(member.value, *before, *inner, budget);
                     });
}

}  // namespace proa::custom
