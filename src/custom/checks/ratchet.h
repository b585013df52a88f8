#pragma once

#include <string>
#include <unordered_map>

#include "api/structure/structure.h"
#include "base/cost/budget.h"
#include "base/text/seeded_hash.h"
#include "json/value.h"

namespace proa::custom {

// Which item of a list was there before: only lists that are maps tell, by their keys.
class OldItems {
 public:
  // `old`: null if it is not known.
  OldItems(const json::Value* old, const api::Structure& list);

  // Null if there is none.
  const json::Value* find(const json::Value& item) const;
  // Whether items can be found at all.
  bool is_map() const { return list_.list_type == api::ListType::kMap; }

 private:
  const api::Structure& list_;
  std::unordered_map<std::string, const json::Value*, SeededHash> by_keys_;
};

// Whether a value is what it was before, as upstream's CorrelatedObject.CachedDeepEqual has it: a
// field that the schema does not know counts as a change; the order of lists that are maps does
// not.
bool is_unchanged(const json::Value& value, const json::Value& old, const api::Structure& structure,
                  Budget& budget);

}  // namespace proa::custom
