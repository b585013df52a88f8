#pragma once

#include "api/apply/fields/field_set.h"
#include "api/apply/fields/place.h"
#include "json/value.h"

namespace proa::api {

// What changed from one value to another (upstream's typed.Comparison). No path is in two of them.
struct Comparison {
  FieldSet added;
  FieldSet modified;
  FieldSet removed;
  // Every item of a granular list that changed can be told from the others. Otherwise check_typed()
  // says why.
  bool valid = true;

  bool empty() const { return added.empty() && modified.empty() && removed.empty(); }
};

// Values that are not compared, and that no path leads to. May be null.
struct NotCompared {
  const json::Value* before = nullptr;
  const json::Value* after = nullptr;
};

// Compares two values of one type. Lists may have duplicates: each group of them counts as one.
// Borrows from both. REQUIRES: both are decoded, or check_typed() found nothing wrong with them.
Comparison compare_fields(const json::Value& before, const json::Value& after, Place place,
                          json::Arena& arena, NotCompared except = {});

}  // namespace proa::api
