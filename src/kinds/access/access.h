#pragma once

#include "kinds/rules.h"

// The kinds of this folder but those that have a header of their own.

namespace proa::kinds {

KindRules cluster_role_rules();
KindRules role_rules();
KindRules cluster_role_binding_rules();
KindRules role_binding_rules();
// "rbac.authorization.k8s.io/v1/Subject": users and groups are of that group.
void default_subject(api::Edit subject);

KindRules token_request_rules();
KindRules subject_access_review_rules();
KindRules local_subject_access_review_rules();
KindRules self_subject_access_review_rules();

KindRules flow_schema_rules();
KindRules priority_level_configuration_rules();

}  // namespace proa::kinds
