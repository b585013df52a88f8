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
#include "apiserver/access/admission/pod_security/configuration.h"
#include "apiserver/access/admission/pod_security/pod_security.h"
#include "apiserver/access/admission/pods/pods.h"
#include "apiserver/access/admission/policies/mutating.h"
#include "apiserver/access/admission/policies/validating.h"
#include "apiserver/access/admission/quota/configuration.h"
#include "apiserver/access/admission/quota/resource_quota.h"
#include "apiserver/access/admission/webhooks/webhooks.h"
#include "apiserver/access/webhook/hook_credentials.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace plugins {

using Made = Result<std::unique_ptr<AdmissionPlugin>>;

struct Entry {
  std::string_view name;
  enum class Is : uint8_t { kOn, kOff } by_default;
  Made (*make)(const AdmissionContext& context);
  // Of its configuration, which may be absent; null: it has none.
  Result<void> (*check)(api::View configuration) = nullptr;
};

Result<void> check_pod_security(api::View configuration) {
  TRY(pod_security::read_configuration(configuration));
  return {};
}

Result<void> check_resource_quota(api::View configuration) {
  TRY(quota::read_configuration(configuration));
  return {};
}

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
    {"PodSecurity", kOn, PodSecurity::make, check_pod_security},
    {"PodNodeSelector", kOff, make_pod_node_selector, check_pod_node_selector},
    {"Priority", kOn, make_priority},
    {"DefaultTolerationSeconds", kOn, make_default_toleration_seconds},
    {"PodTolerationRestriction", kOff, make_pod_toleration_restriction,
     check_pod_toleration_restriction},
    {"EventRateLimit", kOff, make_event_rate_limit, check_event_rate_limit},
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
    {"ResourceQuota", kOn, ResourceQuota::make, check_resource_quota},
    {"AlwaysDeny", kOff, make_always_deny},
};

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_on(const Entry& entry, const PluginChoice& choice) {
  const bool on = entry.by_default == kOn || has(choice.enabled, entry.name);
  return on && !has(choice.disabled, entry.name);
}

api::View configuration_of(const Entry& entry, const PluginChoice& choice) {
  const auto found = choice.configuration.find(std::string(entry.name));
  return found == choice.configuration.end() ? api::View() : api::View(found->second->root());
}

// "--admission-control-config-file: FILE: WHAT"
std::string place_of(const PluginChoice& choice, std::string_view what) {
  std::string place = "--admission-control-config-file: ";
  if (!choice.configuration_file.empty()) place += choice.configuration_file + ": ";
  return place.append(what);
}

Result<void> check_configurations(const PluginChoice& choice) {
  for (const Entry& entry : kEntries) {
    if (entry.check == nullptr || !is_on(entry, choice)) continue;
    const Result<void> checked = entry.check(configuration_of(entry, choice));
    if (checked) continue;
    const std::string plugin = "plugin " + std::string(entry.name);
    return Status(Reason::kInvalid, checked.status().in(place_of(choice, plugin)).message());
  }
  return {};
}

constexpr std::string_view kOfWebhooks[] = {"MutatingAdmissionWebhook",
                                            "ValidatingAdmissionWebhook"};

}  // namespace plugins

Result<void> read_credentials(PluginChoice& choice, Files& files) {
  for (const std::string_view name : plugins::kOfWebhooks) {
    const auto found = choice.configuration.find(std::string(name));
    if (found == choice.configuration.end()) continue;
    auto credentials = HookCredentials::read(found->second->root(), files);
    if (!credentials) {
      const std::string plugin = "plugin " + std::string(name);
      return Status(Reason::kInvalid,
                    credentials.status().in(plugins::place_of(choice, plugin)).message());
    }
    choice.credentials.emplace(name, std::move(*credentials));
  }
  return {};
}

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
    return Status(Reason::kInvalid, plugins::place_of(choice, "unknown admission plugin " + name +
                                                                  "; known: " + join(known, ", ")));
  }
  for (const std::string& name : choice.enabled) {
    if (!plugins::has(choice.disabled, name)) continue;
    return Status(Reason::kInvalid, "the admission plugin " + name +
                                        " is in --enable-admission-plugins and in "
                                        "--disable-admission-plugins");
  }
  return plugins::check_configurations(choice);
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
    if (!plugins::is_on(entry, choice)) continue;
    AdmissionContext own = context;
    if (choice.configuration.contains(std::string(entry.name)))
      own.configuration = plugins::configuration_of(entry, choice);
    const auto credentials = choice.credentials.find(std::string(entry.name));
    if (credentials != choice.credentials.end()) own.credentials = credentials->second;
    std::unique_ptr<AdmissionPlugin> plugin = TRY(entry.make(own));
    made.push_back({entry.name, std::move(plugin)});
  }
  return made;
}

}  // namespace proa::apiserver
