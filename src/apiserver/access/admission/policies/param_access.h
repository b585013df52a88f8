#pragma once

#include "apiserver/access/admission/plugin.h"
#include "apiserver/access/admission/policies/params.h"
#include "apiserver/access/authz/authorizer.h"

namespace proa::apiserver {

// Prevents that policies read for their authors what these may not: messages and mutations show
// parameters. A policy requires `get` on all objects of its paramKind, a binding `get` on the
// object of its paramRef, or `list` where it selects some. system:masters is exempt. Always
// enabled.
class ParamAccess final : public AdmissionPlugin {
 public:
  explicit ParamAccess(const AdmissionContext& context)
      : objects_(context.store, context.schema),
        params_(context.params),
        authorizer_(context.authorizer) {}

  bool concerns(const Admission& admission) const override;
  Result<void> validate(api::View object, const Admission& admission) override;

 private:
  Result<void> check_policy(api::View object, const Admission& admission);
  Result<void> check_binding(api::View object, const Admission& admission);
  // What a user must be allowed to read, and what could not be found out about it: that widens it
  // to all there is.
  struct Target {
    std::string group = "*";
    std::string version = "*";
    std::string resource = "*";
    std::string unknown = {};
  };
  Target target_of(api::View param_kind);
  Target target_of_binding(api::View object, const Admission& admission);
  bool may(std::string_view verb, const Target& target, std::string_view name_space,
           std::string_view name, const Admission& admission);

  const ObjectReader objects_;
  PolicyParams& params_;
  Authorizer& authorizer_;
};

}  // namespace proa::apiserver
