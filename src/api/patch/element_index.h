#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace proa::api {

// Where elements of a list stand, by what tells them apart: a merge key, or the elements
// themselves. As quick for long lists as for short ones, whatever keys a client thinks up.
class ElementIndex {
 public:
  // `merge_key` is empty for lists of scalars.
  explicit ElementIndex(std::string_view merge_key) : merge_key_(merge_key) {}

  // Of each element the first of its kind counts, and keeps its position in the list. Fails when an
  // element has no key. REQUIRES: the elements' texts outlive this.
  Result<void> add_all(std::span<const json::Value> elements);
  Result<void> add(const json::Value& element, size_t position);
  // REQUIRES: key_of() finds one.
  std::optional<size_t> find(const json::Value& element) const;

  // What tells an element from others: a scalar, no null.
  Result<const json::Value*> key_of(const json::Value& element) const;

 private:
  std::string_view merge_key_;
  json::Document positions_{{}, json::Value::object()};
};

// Puts a merged list into the order that upstream gives it: elements that `wanted` knows stand as
// they do there, the others as they did in the `server`'s list, and both are interleaved as far as
// the server's order says something about them. Where it says nothing, what is wanted comes first.
// Only the first `known` positions of the server's list count. REQUIRES: all elements have keys.
std::vector<json::Value> order_elements(std::vector<json::Value> elements,
                                        const ElementIndex& wanted, const ElementIndex& server,
                                        size_t known);

}  // namespace proa::api
