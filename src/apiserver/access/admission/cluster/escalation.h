#pragma once

#include "api/schema/schema.h"
#include "apiserver/access/admission/plugin.h"
#include "apiserver/access/authz/authorizer.h"
#include "apiserver/access/authz/rbac/index.h"

namespace proa::apiserver {

// Prevents privilege escalation: writing a role requires all of its rules or the verb `escalate`;
// binding a role requires all of its rules or the verb `bind`. system:masters is exempt. Always
// enabled: otherwise permission to write roles or bindings would be permission for everything.
class RbacEscalation final : public AdmissionPlugin {
 public:
  // REQUIRES: all of them outlive it.
  RbacEscalation(Authorizer& authorizer, RbacIndex& index, const api::Schema& schema)
      : authorizer_(authorizer), index_(index), schema_(schema) {}

  bool concerns(const Admission& admission) const override;
  Result<void> validate(api::View object, const Admission& admission) override;

 private:
  Result<void> check_role(api::View object, const Admission& admission);
  Result<void> check_binding(api::View object, const Admission& admission);
  Result<void> check_held(std::span<const PolicyRule> rules, api::View object,
                          const Admission& admission);
  bool may(std::string_view verb, std::string_view resource, std::string_view name,
           const Admission& admission);
  Status role_not_found(std::string_view resource, std::string_view name,
                        const Admission& admission) const;

  Authorizer& authorizer_;
  RbacIndex& index_;
  const api::Schema& schema_;
};

}  // namespace proa::apiserver
