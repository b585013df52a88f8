#include "kinds/core/table.h"

#include "kinds/core/binding.h"
#include "kinds/core/component_status.h"
#include "kinds/core/config_map.h"
#include "kinds/core/event.h"
#include "kinds/core/namespace.h"
#include "kinds/core/node/node.h"
#include "kinds/core/quota/limit_range.h"
#include "kinds/core/quota/resource_quota.h"
#include "kinds/core/replication_controller.h"
#include "kinds/core/secret.h"
#include "kinds/core/service/endpoints.h"
#include "kinds/core/service/service.h"
#include "kinds/core/service_account.h"
#include "kinds/core/storage/persistent_volume.h"
#include "kinds/core/storage/persistent_volume_claim.h"

namespace proa::kinds {

std::span<const KindRules> core_rules() {
  static const KindRules kRules[] = {
      binding_rules(),
      component_status_rules(),
      config_map_rules(),
      endpoints_rules(),
      event_rules(),
      limit_range_rules(),
      namespace_rules(),
      node_rules(),
      persistent_volume_rules(),
      persistent_volume_claim_rules(),
      replication_controller_rules(),
      resource_quota_rules(),
      secret_rules(),
      service_rules(),
      service_account_rules(),
  };
  return kRules;
}

std::span<const TypeDefaults> core_type_defaults() {
  static constexpr TypeDefaults kDefaults[] = {
      {"v1/LimitRangeItem", default_limit_range_item},
      {"v1/Namespace", default_namespace},
      {"v1/NodeSpec", default_node_spec},
      {"v1/NodeStatus", default_node_status},
      {"v1/PersistentVolume", default_persistent_volume},
      {"v1/ReplicationController", default_replication_controller},
      {"v1/Secret", default_secret},
      {"v1/Service", default_service},
  };
  return kDefaults;
}

}  // namespace proa::kinds
