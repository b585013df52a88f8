#pragma once

#include "kinds/rules.h"

// The kinds of group apps.

namespace proa::kinds {

KindRules controller_revision_rules();
KindRules daemon_set_rules();
KindRules deployment_rules();
KindRules replica_set_rules();
KindRules stateful_set_rules();

// By type, see table.cc.
void default_daemon_set_strategy(api::Edit strategy);
void default_deployment_strategy(api::Edit strategy);
void default_stateful_set_strategy(api::Edit strategy);
void default_stateful_set_spec(api::Edit spec);

}  // namespace proa::kinds
