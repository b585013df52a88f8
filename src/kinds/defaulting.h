#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "api/object/edit.h"
#include "api/schema/schema.h"
#include "base/cost/budget.h"
#include "kinds/rules.h"

namespace proa::kinds {

// Sets the defaults of an object. For every value, from the outside in: the constants that schema/
// states for its type, then the hooks of the type, then rounding of quantities that are too fine,
// then its parts. The plan for each type is computed once. Thread-safe: immutable after
// construction.
class Defaulting {
 public:
  // REQUIRES: the schema outlives this; hooks name types of the schema.
  Defaulting(const api::Schema& schema, std::span<const TypeDefaults> hooks);
  ~Defaulting();
  Defaulting(const Defaulting&) = delete;
  Defaulting& operator=(const Defaulting&) = delete;

  // The budget, if it is not null, pays for the values that are visited and for the memory of what
  // is added; if that is too much, the rest is left as it is, and the caller checks the budget.
  // REQUIRES: the object was decoded as that type.
  void apply(api::Edit object, const api::Type& type, Budget* budget = nullptr) const;

 private:
  struct Constant;
  struct Part;
  struct Plan;

  void add_constants(const api::Type& type, Plan& plan);
  void add_parts(const api::Type& type, Plan& plan);
  static void carry_out(const Plan& plan, api::Edit value, Budget& budget);

  std::unordered_map<const api::Type*, std::unique_ptr<Plan>> plans_;
  json::Arena arena_;  // of the constants
};

}  // namespace proa::kinds
