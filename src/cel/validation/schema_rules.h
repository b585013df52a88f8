#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/validation/field_errors.h"
#include "base/cost/budget.h"
#include "cel/validation/rule_tree.h"

namespace proa::cel {

// All x-kubernetes-validations of a custom resource's schema, compiled. Immutable; shared by all
// threads.
class SchemaRules {
 public:
  // `minor_version`: of the Kubernetes version whose libraries rules may use. REQUIRES: a
  // structural schema. It need not outlive this. `resource_root`: of a whole object, which has
  // apiVersion, kind and metadata.
  SchemaRules(const json::Value& schema, int minor_version, bool resource_root = true);

  bool empty() const { return root_ == nullptr; }
  size_t memory() const;

  struct Check {
    const json::Value* object = nullptr;
    const json::Value* old = nullptr;  // null: a new object
    bool ratcheting = true;            // what fails but did not change is a warning
    uint64_t budget = kObjectCostBudget;
    Budget* work = nullptr;  // of the request; once it is exceeded, the check is not complete
  };
  // Adds what is wrong, in upstream's words. `warnings`: what is wrong but was so before.
  // Returns what is left of the budget; nullopt if it was exceeded, and the check is not complete.
  std::optional<uint64_t> validate(const Check& check, api::FieldErrors& errors,
                                   std::vector<std::string>& warnings) const;

 private:
  Shapes shapes_;
  std::unique_ptr<const RuleNode> root_;
};

}  // namespace proa::cel
