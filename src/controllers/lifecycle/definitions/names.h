#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controllers/framework/conditions.h"
#include "controllers/lifecycle/definitions/objects.h"

namespace proa::controllers::definitions {

// The names that the definitions of a group have: resources and their abbreviations are one set of
// names, kinds and kinds of lists another.
class NamesInUse {
 public:
  // `names` outlive it.
  void add(const Names& names) { all_.push_back(&names); }
  bool has_resource(std::string_view name) const;
  bool has_kind(std::string_view name) const;

 private:
  std::vector<const Names*> all_;
};

// What becomes of the names that a definition wants.
struct NamesDecision {
  Names accepted;
  Condition condition;  // NamesAccepted
};

// `accepted`: names that it has already, which may be in use by itself. A name that another
// definition has is refused, and the one before stays. Upstream's calculateNamesAndConditions.
NamesDecision decide_names(const Names& wanted, const Names& accepted, const NamesInUse& in_use);

}  // namespace proa::controllers::definitions
