#include "cel/validation/correlation.h"

#include <algorithm>
#include <vector>

namespace proa::cel {
namespace correlations {

bool is_scalar(const json::Value& value) {
  return !value.is_null() && !value.is(json::Kind::kArray) && !value.is(json::Kind::kObject);
}

// The values of the keys of a list that is a map; empty if one is missing or no scalar.
std::vector<const json::Value*> keys_of(const json::Value& item,
                                        std::span<const std::string_view> names) {
  std::vector<const json::Value*> keys;
  for (const std::string_view name : names) {
    const json::Value* value = item.find(name);
    if (value == nullptr || !is_scalar(*value)) return {};
    keys.push_back(value);
  }
  return keys;
}

bool same_keys(const std::vector<const json::Value*>& a, const std::vector<const json::Value*>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const json::Value* x, const json::Value* y) {
                      return x->kind() == y->kind() && *x == *y;
                    });
}

}  // namespace correlations

const json::Value* correlated_item(const Shape& list, const json::Value* old,
                                   const json::Value& item) {
  if (old == nullptr || list.list != ListKind::kMap || list.list_map_keys.empty()) return nullptr;
  const auto keys = correlations::keys_of(item, list.list_map_keys);
  if (keys.empty()) return nullptr;
  for (const json::Value& candidate : old->items()) {
    const auto other = correlations::keys_of(candidate, list.list_map_keys);
    if (!other.empty() && correlations::same_keys(keys, other)) return &candidate;
  }
  return nullptr;
}

std::optional<Correlation> Correlation::member(std::string_view name) const {
  if (old == nullptr) return std::nullopt;
  const json::Value* now = value->find(name);
  const json::Value* before = old->find(name);
  if (now == nullptr || before == nullptr) return std::nullopt;
  const ShapeField* field = shape->field(name);
  const Shape* inner = field != nullptr && field->declared ? field->shape : nullptr;
  if (inner == nullptr && shape->kind == ShapeKind::kMap) inner = shape->element;
  if (inner == nullptr) return std::nullopt;
  return Correlation{.value = now, .old = before, .shape = inner};
}

std::optional<Correlation> Correlation::item(size_t index) const {
  if (index >= value->items().size() || shape->element == nullptr) return std::nullopt;
  const json::Value& now = value->items()[index];
  const json::Value* before = correlated_item(*shape, old, now);
  if (before == nullptr) return std::nullopt;
  return Correlation{.value = &now, .old = before, .shape = shape->element};
}

bool Correlation::unchanged() const {
  if (old == nullptr || old->kind() != value->kind()) return false;
  if (value->size() != old->size()) return false;
  if (value->is(json::Kind::kArray)) {
    if (shape->list != ListKind::kMap) return *value == *old;
    for (size_t i = 0; i < value->size(); ++i) {
      const std::optional<Correlation> child = item(i);
      if (!child || !child->unchanged()) return false;
    }
    return true;
  }
  if (value->is(json::Kind::kObject)) {
    for (const json::Member& entry : value->members()) {
      const std::optional<Correlation> child = member(entry.key);
      if (!child || !child->unchanged()) return false;
    }
    return true;
  }
  return *value == *old;
}

Ratchet::Ratchet(const json::Value& value, const json::Value* old, const Shape& shape) {
  if (old != nullptr) current_ = Correlation{.value = &value, .old = old, .shape = &shape};
}

Ratchet Ratchet::member(std::string_view name) const {
  Ratchet inner;
  if (!current_) return *this;
  // Both objects have been converted to the same version: what it was before is not known.
  if (!parent_ && (name == "apiVersion" || name == "kind")) return inner;
  inner.current_ = current_->member(name);
  inner.parent_ = current_;
  return inner;
}

Ratchet Ratchet::item(size_t index) const {
  if (!current_) return *this;
  Ratchet inner;
  inner.current_ = current_->item(index);
  inner.parent_ = current_;
  return inner;
}

Ratchet Ratchet::outside() const {
  Ratchet outer;
  outer.parent_ = parent_;
  return outer;
}

bool Ratchet::allows() const {
  if (current_) return current_->unchanged();
  return parent_ && parent_->unchanged();
}

}  // namespace proa::cel
