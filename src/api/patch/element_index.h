#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace proa::api {

// Positions of list elements by their identity: a merge key, or the elements themselves. Hashed, so
// that long lists stay fast, whatever keys a client sends.
class ElementIndex {
 public:
  // `merge_key` is empty for lists of scalars.
  explicit ElementIndex(std::string_view merge_key) : merge_key_(merge_key) {}

  // The first of equal elements counts, and keeps its position. Fails if an element has no key.
  // REQUIRES: the elements' texts outlive this.
  Result<void> add_all(std::span<const json::Value> elements);
  Result<void> add(const json::Value& element, size_t position);
  // REQUIRES: key_of() finds one.
  std::optional<size_t> find(const json::Value& element) const;

  // The identity of an element: a scalar, not null.
  Result<const json::Value*> key_of(const json::Value& element) const;

 private:
  std::string_view merge_key_;
  json::Document positions_{{}, json::Value::object()};
};

// Orders a merged list as upstream does: elements in `wanted` keep its order, the others keep the
// order of the `server`'s list, and both are interleaved as far as the server's order allows.
// Otherwise wanted elements come first. Only the first `known` positions of the server's list
// count. REQUIRES: all elements have keys.
std::vector<json::Value> order_elements(std::vector<json::Value> elements,
                                        const ElementIndex& wanted, const ElementIndex& server,
                                        size_t known);

}  // namespace proa::api
