#include "kinds/access/table.h"

#include "kinds/access/access.h"
#include "kinds/access/certificate_signing_request.h"

namespace proa::kinds {

std::span<const KindRules> access_rules() {
  static const KindRules kRules[] = {
      cluster_role_rules(),
      role_rules(),
      cluster_role_binding_rules(),
      role_binding_rules(),
      token_request_rules(),
      subject_access_review_rules(),
      local_subject_access_review_rules(),
      self_subject_access_review_rules(),
      certificate_signing_request_rules(),
      flow_schema_rules(),
      priority_level_configuration_rules(),
  };
  return kRules;
}

std::span<const TypeDefaults> access_type_defaults() {
  static constexpr TypeDefaults kDefaults[] = {
      {"rbac.authorization.k8s.io/v1/Subject", default_subject},
  };
  return kDefaults;
}

}  // namespace proa::kinds
