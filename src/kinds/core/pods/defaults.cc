#include "kinds/core/pods/defaults.h"

#include <algorithm>
#include <cctype>

#include "base/strings.h"
#include "kinds/core/resources/resources.h"

namespace proa::kinds::pods {

namespace defaults {

using api::Edit;

constexpr std::string_view kContainerLists[] = {"containers", "initContainers"};

bool is_empty_text(View text) { return text.text().empty(); }

template <typename Change>
void each_item(Edit object, std::string_view list, Change change) {
  if (!object.has(list)) return;
  const Edit items = object.existing(list);
  for (size_t i = 0; i < items.size(); ++i) change(items.item(i));
}

void set_pull_policy(Edit owner, std::string_view policy, std::string_view image) {
  if (is_empty_text(owner[policy]))
    owner.set(policy, is_latest_image(owner[image].text()) ? "Always" : "IfNotPresent");
}

void container(Edit value) {
  set_pull_policy(value, "imagePullPolicy", "image");
  // Behind the gate ContainerStopSignals, which is off: dropped, as upstream does when it stores.
  if (value.has("lifecycle") && value["lifecycle"]["stopSignal"].exists()) {
    const Edit lifecycle = value.existing("lifecycle");
    lifecycle.remove("stopSignal");
    if (lifecycle.view().empty()) value.remove("lifecycle");
  }
}

void volume(Edit value) {
  const auto members = value.view().members();
  const bool has_source = std::any_of(
      members.begin(), members.end(),
      [](const json::Member& member) { return member.key != "name" && !member.value.is_null(); });
  if (!has_source) value.object("emptyDir");
  if (value.has("image")) set_pull_policy(value.existing("image"), "pullPolicy", "reference");
}

// Sources behind gates that are off: ClusterTrustBundleProjection, PodCertificateRequest.
void volume_projection(Edit value) {
  value.remove("clusterTrustBundle");
  value.remove("podCertificate");
}

void pod_spec(Edit value) {
  // serviceAccount is the deprecated name of serviceAccountName, which takes precedence.
  const View old_name = value["serviceAccount"];
  if (is_empty_text(value["serviceAccountName"]) && !is_empty_text(old_name))
    value.copy("serviceAccountName", old_name);
  if (is_empty_text(value["serviceAccountName"])) {
    value.remove("serviceAccount");
  } else {
    value.copy("serviceAccount", value["serviceAccountName"]);
  }
  value.remove("schedulingGroup");  // behind the gate GenericWorkload, which is off
}

void drop_old_annotations(Edit owner) {
  if (!owner["metadata"]["annotations"].exists()) return;
  const Edit metadata = owner.existing("metadata");
  const Edit annotations = metadata.existing("annotations");
  for (const std::string_view key :
       {"pod.beta.kubernetes.io/init-containers", "pod.alpha.kubernetes.io/init-containers",
        "pod.beta.kubernetes.io/init-container-statuses",
        "pod.alpha.kubernetes.io/init-container-statuses"}) {
    annotations.remove(key);
  }
  if (annotations.view().empty()) metadata.remove("annotations");
}

void requests_from_limits(Edit requirements) {
  if (requirements["limits"].empty()) return;
  const Edit requests = requirements.object("requests");
  for (const json::Member& limit : requirements["limits"].members())
    if (!requests.has(limit.key)) requests.copy(limit.key, limit.value);
}

void set_amount(Edit list, std::string_view name, const api::Quantity& quantity) {
  if (!list.has(name)) list.set(name, quantity.str());
}

// Completes pod-level resources that are partly set.
void pod_level_resources(Edit spec) {
  const View given = spec["resources"];
  if (given["limits"].empty() && given["requests"].empty()) return;
  const Edit resources = spec.existing("resources");
  for (const auto& [name, sum] : sum_of_containers(spec.view(), Bound::kLimits)) {
    if (is_huge_page_resource(name) && !resources["requests"][name].exists())
      set_amount(resources.object("limits"), name, sum);
  }
  if (resources["limits"].empty()) return;
  for (const auto& [name, sum] : sum_of_containers(spec.view(), Bound::kRequests)) {
    if (is_pod_level_resource(name) && may_be_overcommitted(name))
      set_amount(resources.object("requests"), name, sum);
  }
  for (const json::Member& limit : resources["limits"].members()) {
    const Edit requests = resources.object("requests");
    if (is_pod_level_resource(limit.key) && !requests.has(limit.key))
      requests.copy(limit.key, limit.value);
  }
}

// Defaults of pods that do not apply to templates.
void pod(Edit value) {
  drop_old_annotations(value);
  if (!value.has("spec")) return;
  const Edit spec = value.existing("spec");
  const bool host_network = spec["hostNetwork"].flag();
  for (const std::string_view list : kContainerLists) {
    each_item(spec, list, [&](Edit item) {
      if (item.has("resources")) requests_from_limits(item.existing("resources"));
      if (!host_network) return;
      each_item(item, "ports", [](Edit port) {
        if (port["hostPort"].integer() == 0) port.copy("hostPort", port["containerPort"]);
      });
    });
  }
  pod_level_resources(spec);
  spec.set_default("enableServiceLinks", true);
  if (spec["terminationGracePeriodSeconds"].integer() < 0)
    spec.set("terminationGracePeriodSeconds", 1);
}

void pod_status(Edit value) {
  const View address = value["podIP"];
  const View first = value["podIPs"].item(0)["ip"];
  if (!is_empty_text(address) && address.text() != first.text()) {
    // Old clients only know podIP, so it takes precedence.
    value.set("podIPs", json::Value::array());
    value.existing("podIPs").push_object().copy("ip", value["podIP"]);
  } else if (is_empty_text(address) && !is_empty_text(first)) {
    value.copy("podIP", first);
  }
  value.remove("nodeAllocatableResourceClaimStatuses");  // DRANodeAllocatableResources is off
}

void volume_mount_status(Edit value) {
  value.remove("volumeStatus");  // ImageVolumeWithDigest is off
}

bool is_letter_or_digit(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// Words of small letters and digits with a dot, one or two underscores, or dashes between them.
bool is_path_component(std::string_view text) {
  while (true) {
    const size_t word =
        static_cast<size_t>(std::ranges::find_if_not(text, is_lower_or_digit) - text.begin());
    if (word == 0) return false;
    text.remove_prefix(word);
    if (text.empty()) return true;
    const size_t dashes = std::min(text.find_first_not_of('-'), text.size());
    const size_t separator = dashes > 0 ? dashes : text.starts_with("__") ? 2 : 1;
    if (dashes == 0 && text[0] != '.' && text[0] != '_') return false;
    text.remove_prefix(separator);
  }
}

// Words of letters, digits and inner dashes, with dots between them.
bool is_registry_host(std::string_view text) {
  return std::ranges::all_of(split(text, '.'), [](std::string_view word) {
    return !word.empty() && word.front() != '-' && word.back() != '-' &&
           std::ranges::all_of(word, [](char c) { return is_letter_or_digit(c) || c == '-'; });
  });
}

bool is_registry(std::string_view text) {
  if (text.starts_with('[')) return text.find(']') != text.npos;
  const auto halves = split_once(text, ':');
  if (!halves) return is_registry_host(text);
  return is_registry_host(halves->before) && !halves->after.empty() &&
         halves->after.find_first_not_of("0123456789") == std::string_view::npos;
}

// Whether this is a valid image repository, optionally with a registry host. Otherwise upstream
// reads no tag from the reference.
bool is_image_name(std::string_view name) {
  const auto halves = split_once(name, '/');
  if (halves && (halves->before == "localhost" || halves->before.find_first_of(".:") != name.npos ||
                 to_lower(halves->before) != halves->before)) {
    if (!is_registry(halves->before)) return false;
    name = halves->after;
  }
  return std::ranges::all_of(split(name, '/'), is_path_component);
}

bool is_tag(std::string_view text) {
  constexpr size_t kMaxTag = 128;
  const auto is_part = [](char c) {
    return is_letter_or_digit(c) || c == '_' || c == '.' || c == '-';
  };
  return !text.empty() && text.size() <= kMaxTag && text[0] != '.' && text[0] != '-' &&
         std::ranges::all_of(text, is_part);
}

constexpr TypeDefaults kDefaults[] = {
    {"v1/Pod", pod},
    {"v1/PodTemplateSpec", drop_old_annotations},
    {"v1/PodSpec", pod_spec},
    {"v1/PodStatus", pod_status},
    {"v1/Container", container},
    {"v1/EphemeralContainer", container},
    {"v1/VolumeMountStatus", volume_mount_status},
    {"v1/Volume", volume},
    {"v1/VolumeProjection", volume_projection},
};

}  // namespace defaults

std::span<const TypeDefaults> type_defaults() { return defaults::kDefaults; }

bool is_latest_image(std::string_view image) {
  const size_t at = image.find('@');
  const bool has_digest = at != std::string_view::npos;
  std::string_view name = image.substr(0, at);
  const size_t colon = name.rfind(':');
  // A colon before a slash separates a port: "registry:5000/nginx".
  const bool has_tag =
      colon != std::string_view::npos && name.find('/', colon) == std::string_view::npos;
  const std::string_view tag = has_tag ? name.substr(colon + 1) : std::string_view();
  if (has_tag) name = name.substr(0, colon);
  if (!defaults::is_image_name(name) || (has_tag && !defaults::is_tag(tag))) return false;
  return tag == "latest" || (!has_tag && !has_digest);
}

}  // namespace proa::kinds::pods
