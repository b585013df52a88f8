#pragma once

#include "cel/values/value.h"

namespace proa::cel {

// Two lists, one after the other, without copies of their items: adding lists has a fixed price.
// Sums of sums are balanced, so that an item is found in a few steps, however a list came about;
// parts are shared and do not change.
struct ListSum {
  Value left;
  Value right;
  const Shape* shape;   // of the sum of a list that a schema describes, else null
  const Shape* adopts;  // the items of `right` become elements of such a schema; `left` is unused
  Arena* arena;         // for those
  uint32_t height;      // zero if it adopts
};

// REQUIRES: both are lists, and the size of both together is that of a list.
Value sum_of_lists(Arena& arena, const Value& left, const Value& right, const Shape* shape);
// The list with items that are read as elements of the shape.
Value adopting(Arena& arena, const Value& list, const Shape& element);
// REQUIRES: a sum, and index < size().
Value sum_item(const Value& list, uint32_t index);

}  // namespace proa::cel
