#include "kinds/extension/table.h"

#include "kinds/extension/extension.h"

namespace proa::kinds {

std::span<const KindRules> extension_rules() {
  static const KindRules kRules[] = {
      mutating_admission_policy_rules(),           mutating_admission_policy_binding_rules(),
      mutating_webhook_configuration_rules(),      validating_admission_policy_rules(),
      validating_admission_policy_binding_rules(), validating_webhook_configuration_rules(),
      custom_resource_definition_rules(),          api_service_rules(),
  };
  return kRules;
}

std::span<const TypeDefaults> extension_type_defaults() {
  static constexpr TypeDefaults kDefaults[] = {
      {"apiextensions.k8s.io/v1/CustomResourceDefinition", default_custom_resource_definition},
      {"apiextensions.k8s.io/v1/CustomResourceDefinitionSpec",
       default_custom_resource_definition_spec},
  };
  return kDefaults;
}

}  // namespace proa::kinds
