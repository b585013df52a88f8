#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "api/object/edit.h"
#include "api/schema/schema.h"
#include "kinds/rules.h"

namespace proa::kinds {

// Fills in what was left out of an object: for every value in it, from the outside in, the
// constants that schema/ states for its type, then what the hooks of the type say, then quantities
// that are finer than allowed, then its parts. What has to be done for each type is worked out
// once; all threads may share one.
class Defaulting {
 public:
  // REQUIRES: the schema outlives this; hooks name types that it has.
  Defaulting(const api::Schema& schema, std::span<const TypeDefaults> hooks);
  ~Defaulting();
  Defaulting(const Defaulting&) = delete;
  Defaulting& operator=(const Defaulting&) = delete;

  // REQUIRES: the object was decoded as that type.
  void apply(api::Edit object, const api::Type& type) const;

 private:
  struct Constant;
  struct Part;
  struct Plan;

  void add_constants(const api::Type& type, Plan& plan);
  void add_parts(const api::Type& type, Plan& plan);
  static void carry_out(const Plan& plan, api::Edit value);

  std::unordered_map<const api::Type*, std::unique_ptr<Plan>> plans_;
  json::Arena arena_;  // of the constants
};

}  // namespace proa::kinds
