#pragma once

#include "kinds/rules.h"

// The kinds of this folder.

namespace proa::kinds {

KindRules mutating_webhook_configuration_rules();
KindRules validating_webhook_configuration_rules();
KindRules mutating_admission_policy_rules();
KindRules validating_admission_policy_rules();
KindRules mutating_admission_policy_binding_rules();
KindRules validating_admission_policy_binding_rules();
KindRules api_service_rules();

KindRules custom_resource_definition_rules();
// "apiextensions.k8s.io/v1/CustomResourceDefinition" and "CustomResourceDefinitionSpec".
void default_custom_resource_definition(api::Edit object);
void default_custom_resource_definition_spec(api::Edit spec);

}  // namespace proa::kinds
