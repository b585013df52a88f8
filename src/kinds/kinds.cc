#include "kinds/kinds.h"

#include <algorithm>
#include <tuple>

#include "kinds/admissionregistration/admission_policy.h"
#include "kinds/admissionregistration/admission_policy_binding.h"
#include "kinds/admissionregistration/webhook_configuration.h"
#include "kinds/apiextensions/custom_object.h"
#include "kinds/apiextensions/custom_resource_definition.h"
#include "kinds/apiregistration/api_service.h"
#include "kinds/apps/controller_revision.h"
#include "kinds/apps/daemon_set.h"
#include "kinds/apps/deployment.h"
#include "kinds/apps/replica_set.h"
#include "kinds/apps/stateful_set.h"
#include "kinds/authentication/token_request.h"
#include "kinds/authorization/subject_access_review.h"
#include "kinds/autoscaling/horizontal_pod_autoscaler.h"
#include "kinds/autoscaling/scale.h"
#include "kinds/batch/cron_job.h"
#include "kinds/batch/job.h"
#include "kinds/certificates/certificate_signing_request.h"
#include "kinds/coordination/lease.h"
#include "kinds/core/binding.h"
#include "kinds/core/component_status.h"
#include "kinds/core/config_map.h"
#include "kinds/core/event.h"
#include "kinds/core/namespace.h"
#include "kinds/core/nodes/node.h"
#include "kinds/core/pods/pod.h"
#include "kinds/core/pods/pod_template.h"
#include "kinds/core/quota/limit_range.h"
#include "kinds/core/quota/resource_quota.h"
#include "kinds/core/replication_controller.h"
#include "kinds/core/secret.h"
#include "kinds/core/service_account.h"
#include "kinds/core/services/endpoints.h"
#include "kinds/core/services/service.h"
#include "kinds/core/volumes/persistent_volume.h"
#include "kinds/core/volumes/persistent_volume_claim.h"
#include "kinds/discovery/endpoint_slice.h"
#include "kinds/events/event.h"
#include "kinds/flowcontrol/flow_schema.h"
#include "kinds/flowcontrol/priority_level_configuration.h"
#include "kinds/networking/ingress.h"
#include "kinds/networking/ingress_class.h"
#include "kinds/networking/ip_address.h"
#include "kinds/networking/network_policy.h"
#include "kinds/networking/service_cidr.h"
#include "kinds/node/runtime_class.h"
#include "kinds/policy/pod_disruption_budget.h"
#include "kinds/rbac/role_bindings.h"
#include "kinds/rbac/roles.h"
#include "kinds/resource/device_class.h"
#include "kinds/resource/resource_claim.h"
#include "kinds/resource/resource_claim_template.h"
#include "kinds/resource/resource_slice.h"
#include "kinds/scheduling/priority_class.h"
#include "kinds/storage/csi_driver.h"
#include "kinds/storage/csi_node.h"
#include "kinds/storage/csi_storage_capacity.h"
#include "kinds/storage/storage_class.h"
#include "kinds/storage/volume_attachment.h"
#include "kinds/storage/volume_attributes_class.h"

namespace proa::kinds {

namespace kinds {

// Every kind that has rules, by API group.
std::span<const KindRules> all_rules() {
  static const KindRules kRules[] = {
      binding_rules(),
      component_status_rules(),
      config_map_rules(),
      event_rules(),
      namespace_rules(),
      node_rules(),
      pod_rules(),
      pod_template_rules(),
      limit_range_rules(),
      resource_quota_rules(),
      replication_controller_rules(),
      secret_rules(),
      service_account_rules(),
      endpoints_rules(),
      service_rules(),
      persistent_volume_rules(),
      persistent_volume_claim_rules(),
      mutating_admission_policy_rules(),
      validating_admission_policy_rules(),
      mutating_admission_policy_binding_rules(),
      validating_admission_policy_binding_rules(),
      mutating_webhook_configuration_rules(),
      validating_webhook_configuration_rules(),
      custom_resource_definition_rules(),
      api_service_rules(),
      controller_revision_rules(),
      daemon_set_rules(),
      deployment_rules(),
      replica_set_rules(),
      stateful_set_rules(),
      token_request_rules(),
      subject_access_review_rules(),
      local_subject_access_review_rules(),
      self_subject_access_review_rules(),
      horizontal_pod_autoscaler_rules(),
      horizontal_pod_autoscaler_v1_rules(),
      scale_rules(),
      cron_job_rules(),
      job_rules(),
      certificate_signing_request_rules(),
      lease_rules(),
      endpoint_slice_rules(),
      events_event_rules(),
      flow_schema_rules(),
      priority_level_configuration_rules(),
      ingress_rules(),
      ingress_class_rules(),
      ip_address_rules(),
      network_policy_rules(),
      service_cidr_rules(),
      runtime_class_rules(),
      pod_disruption_budget_rules(),
      cluster_role_binding_rules(),
      role_binding_rules(),
      cluster_role_rules(),
      role_rules(),
      device_class_rules(),
      resource_claim_rules(),
      resource_claim_template_rules(),
      resource_slice_rules(),
      priority_class_rules(),
      csi_driver_rules(),
      csi_node_rules(),
      csi_storage_capacity_rules(),
      storage_class_rules(),
      volume_attachment_rules(),
      volume_attributes_class_rules(),
  };
  return kRules;
}

struct Entry {
  std::string_view kind;
  std::string_view group_version;
  const KindRules* rules;

  auto key() const { return std::tie(kind, group_version); }
};

std::vector<Entry> sorted_entries() {
  std::vector<Entry> entries;
  for (const KindRules& rules : all_rules()) {
    const size_t slash = rules.kind.rfind('/');
    entries.push_back({.kind = rules.kind.substr(slash + 1),
                       .group_version = rules.kind.substr(0, slash),
                       .rules = &rules});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.key() < b.key(); });
  return entries;
}

}  // namespace kinds

std::span<const KindRules> all_rules() { return kinds::all_rules(); }

const KindRules& find_rules(std::string_view group_version, std::string_view kind) {
  static const std::vector<kinds::Entry> kEntries = kinds::sorted_entries();
  static const KindRules kOrdinary{};
  const auto wanted = std::tie(kind, group_version);
  const auto found = std::lower_bound(
      kEntries.begin(), kEntries.end(), wanted,
      [](const kinds::Entry& entry, const auto& key) { return entry.key() < key; });
  return found == kEntries.end() || found->key() != wanted ? kOrdinary : *found->rules;
}

const KindRules& find_rules(const api::Resource& resource) {
  static const KindRules kCustom = custom_object_rules();
  return resource.custom ? kCustom : find_rules(resource.group_version(), resource.type->name);
}

std::vector<TypeDefaults> all_type_defaults() {
  std::vector<TypeDefaults> all;
  for (const KindRules& rules : all_rules()) {
    all.insert(all.end(), rules.defaults.begin(), rules.defaults.end());
  }
  return all;
}

}  // namespace proa::kinds
