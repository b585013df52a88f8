#include "apiserver/access/admission/plugins.h"

#include <algorithm>

#include "apiserver/access/admission/certificates/certificate_approval.h"
#include "apiserver/access/admission/certificates/certificate_signing.h"
#include "apiserver/access/admission/certificates/certificate_subject_restriction.h"
#include "apiserver/access/admission/cluster/always_admit.h"
#include "apiserver/access/admission/cluster/always_deny.h"
#include "apiserver/access/admission/cluster/default_ingress_class.h"
#include "apiserver/access/admission/cluster/default_storage_class.h"
#include "apiserver/access/admission/cluster/deny_external_ips.h"
#include "apiserver/access/admission/cluster/namespace_lifecycle.h"
#include "apiserver/access/admission/cluster/storage_in_use_protection.h"
#include "apiserver/access/admission/cluster/volume_claim_resize.h"
#include "apiserver/access/admission/nodes/node_restriction.h"
#include "apiserver/access/admission/nodes/taint_nodes_by_condition.h"
#include "apiserver/access/admission/pod_security/pod_security.h"
#include "apiserver/access/admission/pods/pods.h"
#include "apiserver/access/admission/policies/mutating.h"
#include "apiserver/access/admission/policies/validating.h"
#include "apiserver/access/admission/quota/resource_quota.h"
#include "apiserver/access/admission/webhooks/webhooks.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace plugins {

using Made = Result<std::unique_ptr<AdmissionPlugin>>;

struct Entry {
  std::string_view name;
  enum class Is : uint8_t { kOn, kOff } by_default;
  Made (*make)(const AdmissionContext& context);
};

constexpr auto kOn = Entry::Is::kOn;
constexpr auto kOff = Entry::Is::kOff;

// In upstream's order. DenyServiceExternalIPs is enabled by default, unlike upstream, which leaves
// CVE-2020-8554 open. To add one: a unit, and a line here.
constexpr Entry kEntries[] = {
    {"AlwaysAdmit", kOff, make_always_admit},
    {"NamespaceLifecycle", kOn, make_namespace_lifecycle},
    {"LimitRanger", kOn, make_limit_ranger},
    {"ServiceAccount", kOn, make_service_account},
    {"NodeRestriction", kOn,
     [](const AdmissionContext& context) { return Made(make_node_restriction(context)); }},
    {"TaintNodesByCondition", kOn,
     [](const AdmissionContext& context) { return Made(make_taint_nodes_by_condition(context)); }},
    {"AlwaysPullImages", kOff, make_always_pull_images},
    {"PodSecurity", kOn, PodSecurity::make},
    {"PodNodeSelector", kOff, make_pod_node_selector},
    {"Priority", kOn, make_priority},
    {"DefaultTolerationSeconds", kOn, make_default_toleration_seconds},
    {"PodTolerationRestriction", kOff, make_pod_toleration_restriction},
    {"EventRateLimit", kOff, make_event_rate_limit},
    {"DefaultStorageClass", kOn, make_default_storage_class},
    {"StorageObjectInUseProtection", kOn, make_storage_in_use_protection},
    {"PersistentVolumeClaimResize", kOn, make_volume_claim_resize},
    {"RuntimeClass", kOn, make_runtime_class},
    {"CertificateApproval", kOn, make_certificate_approval},
    {"CertificateSigning", kOn, make_certificate_signing},
    {"CertificateSubjectRestriction", kOn, make_certificate_subject_restriction},
    {"DefaultIngressClass", kOn, make_default_ingress_class},
    {"DenyServiceExternalIPs", kOn, make_deny_external_ips},
    {"PodTopologyLabels", kOn, make_pod_topology_labels},
    {"PodResizeValidator", kOn, make_pod_resize_validator},
    {"MutatingAdmissionPolicy", kOn, make_mutating_policies},
    {"MutatingAdmissionWebhook", kOn, make_mutating_webhooks},
    {"ValidatingAdmissionPolicy", kOn, make_validating_policies},
    {"ValidatingAdmissionWebhook", kOn, make_validating_webhooks},
    {"ResourceQuota", kOn, ResourceQuota::make},
    {"AlwaysDeny", kOff, make_always_deny},
};

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace plugins

Result<void> check_plugins(const PluginChoice& choice) {
  const std::vector<std::string_view> known = plugin_names();
  for (const auto& [names, flag] : {std::pair(&choice.enabled, "--enable-admission-plugins"),
                                    std::pair(&choice.disabled, "--disable-admission-plugins")}) {
    for (const std::string& name : *names) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      return Status(Reason::kInvalid, std::string(flag) + ": unknown admission plugin " + name +
                                          "; known: " + join(known, ", "));
    }
  }
  for (const auto& [name, configuration] : choice.configuration) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return Status(Reason::kInvalid, "--admission-control-config-file: unknown plugin " + name);
  }
  for (const std::string& name : choice.enabled) {
    if (!plugins::has(choice.disabled, name)) continue;
    return Status(Reason::kInvalid, "the admission plugin " + name +
                                        " is in --enable-admission-plugins and in "
                                        "--disable-admission-plugins");
  }
  return {};
}

std::vector<std::string_view> plugin_names() {
  std::vector<std::string_view> names;
  for (const plugins::Entry& entry : plugins::kEntries) names.push_back(entry.name);
  return names;
}

Result<std::vector<NamedPlugin>> make_plugins(const PluginChoice& choice,
                                              const AdmissionContext& context) {
  TRY(check_plugins(choice));
  std::vector<NamedPlugin> made;
  for (const plugins::Entry& entry : plugins::kEntries) {
    const bool on = entry.by_default == plugins::kOn || plugins::has(choice.enabled, entry.name);
    if (!on || plugins::has(choice.disabled, entry.name)) continue;
    AdmissionContext own = context;
    const auto found = choice.configuration.find(std::string(entry.name));
    if (found != choice.configuration.end()) own.configuration = found->second->root();
    std::unique_ptr<AdmissionPlugin> plugin = TRY(entry.make(own));
    made.push_back({entry.name, std::move(plugin)});
  }
  return made;
}

}  // namespace proa::apiserver
