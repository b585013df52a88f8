#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/object/view.h"
#include "cel/types/shape.h"

namespace proa::cel {

// A kind of objects that a policy is about.
struct PolicyKind {
  std::string name;  // "apps/v1, Kind=Deployment"
  std::shared_ptr<const Shapes> shapes;
};

struct ExpressionWarning {
  std::string field;  // "spec.validations[0].expression"
  std::string warning;

  bool operator==(const ExpressionWarning&) const = default;
};

// What is wrong with the validations of a ValidatingAdmissionPolicy for objects of these kinds:
// upstream's TypeChecker.Check(). `spec`: of the policy; `params`: of its paramKind, null if that
// is unknown or absent.
std::vector<ExpressionWarning> check_policy_types(api::View spec,
                                                  const std::vector<PolicyKind>& kinds,
                                                  const Shapes* params);

}  // namespace proa::cel
