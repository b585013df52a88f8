#pragma once

#include <optional>
#include <string_view>

#include "cel/types/shape.h"
#include "json/value.h"

namespace proa::cel {

// A value and what it was before, where the schema says which is which: upstream's
// CorrelatedObject.
struct Correlation {
  const json::Value* value = nullptr;
  const json::Value* old = nullptr;
  const Shape* shape = nullptr;

  // Nullopt if there is no such member in both, or the schema does not know it.
  std::optional<Correlation> member(std::string_view name) const;
  // Only items of lists that are maps are the same as before.
  std::optional<Correlation> item(size_t index) const;
  bool unchanged() const;
};

// The item of an old list with the same keys; null if there is none, or the list is no map.
const json::Value* correlated_item(const Shape& list, const json::Value* old,
                                   const json::Value& item);

// Errors of values that did not change are only warnings.
class Ratchet {
 public:
  Ratchet() = default;
  // Of a whole object. `old`: null for a new one.
  Ratchet(const json::Value& value, const json::Value* old, const Shape& shape);

  Ratchet member(std::string_view name) const;
  Ratchet item(size_t index) const;
  // For rules of allOf: upstream does not look at the value itself there.
  Ratchet outside() const;
  bool allows() const;

 private:
  std::optional<Correlation> current_;
  std::optional<Correlation> parent_;  // the nearest one
};

}  // namespace proa::cel
