#include "kinds/core/pods/changes/status_update.h"

#include <algorithm>
#include <map>
#include <set>

#include "api/validation/metadata.h"
#include "base/net/ip_address.h"
#include "kinds/core/pods/spec/annotations.h"

namespace proa::kinds::pods {

namespace status_update {

void check_conditions(View conditions, const Path& path, FieldErrors& errors) {
  each(conditions, path, [&](View condition, const Path& at) {
    if (condition["observedGeneration"].integer() < 0) {
      errors.invalid(at.field("observedGeneration"), condition["observedGeneration"].integer(),
                     "must be a non-negative integer");
    }
    if (!contains({"PodScheduled", "Ready", "Initialized"}, condition["type"].text()))
      check_text(condition["type"], api::check_qualified_name, at.field("Type"), errors);
  });
}

void check_nomination(View pod, View old, const Path& path, FieldErrors& errors) {
  const View node = pod["status"]["nominatedNodeName"];
  if (node.text().empty() || node.text() == old["status"]["nominatedNodeName"].text()) return;
  check_text(node, api::check_dns1123_subdomain, path, errors);
  if (!old["spec"]["nodeName"].text().empty())
    errors.forbidden(path, "may not be set on pods that are already bound to a node");
}

bool any_restarts_all(View spec) {
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (const View container : spec[list].items()) {
      for (const View rule : container["restartPolicyRules"].items())
        if (rule["action"].text() == "RestartAllContainers") return true;
    }
  }
  return false;
}

bool rule_applies(View rule, int64_t exit_code) {
  const View codes = rule["exitCodes"];
  if (!codes.exists()) return false;
  const auto values = codes["values"].items();
  const bool listed = std::any_of(values.begin(), values.end(), [&](const json::Value& value) {
    return View(value).integer() == exit_code;
  });
  return codes["operator"].text() == "In" ? listed : !listed;
}

// The container's restart rules come first, then its own policy, then the pod's.
bool may_restart(View container, std::string_view pod_policy, int64_t exit_code) {
  for (const View rule : container["restartPolicyRules"].items())
    if (rule_applies(rule, exit_code)) return true;
  const std::string_view policy = container["restartPolicy"].text(pod_policy);
  return policy == "OnFailure" ? exit_code != 0 : policy != "Never";
}

std::map<std::string_view, View> by_name(View list) {
  std::map<std::string_view, View> named;
  for (const View item : list.items()) named.emplace(item["name"].text(), item);
  return named;
}

// Terminated containers stay terminated, unless they may be restarted. `containers` is empty for
// ephemeral containers, which are never restarted.
void check_transitions(View statuses, View old, View containers, std::string_view pod_policy,
                       const Path& path, FieldErrors& errors) {
  const auto specs = by_name(containers);
  const auto now = by_name(statuses);
  each(old, path, [&](View before, const Path& at) {
    const View ended = before["state"]["terminated"];
    const auto after = now.find(before["name"].text());
    if (!ended.exists() || after == now.end() || after->second["state"]["terminated"].exists())
      return;
    const auto spec = specs.find(before["name"].text());
    const bool allowed =
        spec != specs.end() && may_restart(spec->second, pod_policy, ended["exitCode"].integer());
    if (!allowed)
      errors.forbidden(at.field("state"), "may not be transitioned to non-terminated state");
  });
}

// At most one address per family. Existing addresses may have any notation.
void check_addresses(View list, View old, const Path& path, FieldErrors& errors) {
  std::set<std::string_view> known;
  for (const View item : old.items()) known.insert(item["ip"].text());
  size_t families[2] = {0, 0};
  each(list, path, [&](View item, const Path& at) {
    const std::string_view text = item["ip"].text();
    if (!known.contains(text)) check_text(item["ip"], api::check_ip, at, errors);
    if (const auto address = parse_ip(text)) ++families[address->is_v4() ? 0 : 1];
  });
  if (list.size() > 1 && (list.size() > 2 || families[0] != 1 || families[1] != 1))
    errors.invalid(path, list, "may specify no more than one IP for each IP family");
}

void check_user(View user, std::string_view os, const Path& path, FieldErrors& errors) {
  const View on_linux = user["linux"];
  if (!on_linux.exists()) return;
  if (os == "windows") return errors.forbidden(path, "cannot be set for a windows pod");
  check_id(on_linux["uid"], path.field("uid"), errors);
  check_id(on_linux["gid"], path.field("gid"), errors);
  each(on_linux["supplementalGroups"], path.field("supplementalGroups"),
       [&](View group, const Path& at) { check_id(group, at, errors); });
}

void check_device(View device, std::set<std::string_view>& known, const Path& at,
                  FieldErrors& errors) {
  constexpr size_t kMaxMessage = 1024;
  if (const auto health = device["health"].text();
      !contains({"Healthy", "Unhealthy", "Unknown"}, health)) {
    errors.not_supported(at.field("health"), health, {"Healthy", "Unhealthy", "Unknown"});
  }
  if (const View message = device["message"]; message.exists()) {
    if (message.text().empty()) {
      errors.required(at.field("message"), "must be non-empty if specified");
    } else if (message.text().size() > kMaxMessage) {
      errors.too_long(at.field("message"), kMaxMessage);
    }
  }
  if (!known.insert(device["resourceID"].text()).second)
    errors.duplicate(at.field("resourceID"), device["resourceID"].text());
}

// The resources that containers request. Many statuses may name one container, whose claims are
// therefore read once.
class Requested {
 public:
  bool has(View container, std::string_view name) {
    if (!name.starts_with(kClaim)) return container["resources"]["requests"][name].exists();
    const auto [claims, is_new] = claims_.try_emplace(container.value());
    if (is_new) claims->second = claims_of(container);
    return claims->second.contains(name.substr(kClaim.size()));
  }

 private:
  static constexpr std::string_view kClaim = "claim:";
  using Claims = std::set<std::string, std::less<>>;

  static Claims claims_of(View container) {
    Claims claims;
    for (const View claim : container["resources"]["claims"].items()) {
      std::string name(claim["name"].text());
      if (!claim["request"].text().empty()) name.append("/").append(claim["request"].text());
      claims.insert(std::move(name));
    }
    return claims;
  }

  std::map<const json::Value*, Claims> claims_;
};

void check_allocated(View resources, View container, Requested& requested, const Path& path,
                     FieldErrors& errors) {
  each(resources, path, [&](View resource, const Path& at) {
    const std::string_view name = resource["name"].text();
    if (container.exists() && !requested.has(container, name)) {
      errors.invalid(
          at.field("name"), name,
          name.starts_with("claim:")
              ? "must match one of the container's resource claims in a format "
                "'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
              : "must match one of the container's resource requests");
    }
    std::set<std::string_view> devices;
    each(resource["resources"], at.field("resources"),
         [&](View device, const Path& item) { check_device(device, devices, item, errors); });
  });
}

void check_container_statuses(View statuses, View containers, std::string_view os, bool ephemeral,
                              const Path& path, FieldErrors& errors) {
  const auto specs = by_name(containers);
  Requested requested;
  each(statuses, path, [&](View status, const Path& at) {
    check_user(status["user"], os, at.field("user.linux"), errors);
    const View allocated = status["allocatedResourcesStatus"];
    const Path allocated_path = at.field("allocatedResourcesStatus");
    if (ephemeral) {
      if (!allocated.empty())
        errors.forbidden(allocated_path, "must not be specified in container status");
      return;
    }
    const auto spec = specs.find(status["name"].text());
    check_allocated(allocated, spec == specs.end() ? View() : spec->second, requested,
                    allocated_path, errors);
  });
}

void check_claims(View statuses, View claims, const Path& path, FieldErrors& errors) {
  const auto known = by_name(claims);
  std::set<std::string_view> names;
  each(statuses, path, [&](View status, const Path& at) {
    const std::string_view name = status["name"].text();
    if (!known.contains(name)) {
      errors.invalid(at.field("name"), name,
                     "must match the name of an entry in `spec.resourceClaims`");
    }
    if (!names.insert(name).second) errors.duplicate(at.field("name"), name);
    if (const View claim = status["resourceClaimName"]; claim.exists())
      check_text(claim, api::check_dns1123_subdomain, at.field("resourceClaimName"), errors);
  });
}

void check_extended_claim(View status, View spec, const Path& path, FieldErrors& errors) {
  if (!status.exists()) return;
  auto containers = by_name(spec["containers"]);
  containers.merge(by_name(spec["initContainers"]));
  const View mappings = status["requestMappings"];
  const Path mappings_path = path.field("requestMappings");
  if (mappings.empty()) errors.required(mappings_path, "at least one request mapping is required");
  each(mappings, mappings_path, [&](View mapping, const Path& at) {
    const auto container = containers.find(mapping["containerName"].text());
    const std::string_view resource = mapping["resourceName"].text();
    if (container == containers.end()) {
      errors.invalid(at.field("containerName"), mapping["containerName"].text(),
                     "must match the name of an entry in spec.initContainers.name or "
                     "spec.containers.name");
    } else if (!container->second["resources"]["requests"][resource].exists()) {
      errors.invalid(
          at.field("resourceName"), resource,
          "must match the extended resource name of an entry in "
          "spec.initContainers.resources.requests or spec.containers.resources.requests");
    }
    check_text(mapping["requestName"], api::check_dns1123_label, path.field("requestName"), errors);
  });
  if (require_text(status, "resourceClaimName", path, errors)) {
    check_text(status["resourceClaimName"], api::check_dns1123_subdomain,
               path.field("resourceClaimName"), errors);
  }
}

struct ContainerLists {
  std::string_view statuses;
  std::string_view containers;
};

constexpr ContainerLists kLists[] = {{"containerStatuses", "containers"},
                                     {"initContainerStatuses", "initContainers"},
                                     {"ephemeralContainerStatuses", {}}};

void check_containers(View pod, View old, const Path& path, FieldErrors& errors) {
  const View spec = old["spec"];
  const bool all_may_restart = any_restarts_all(spec);
  const std::string_view os = pod["spec"]["os"]["name"].text("linux");
  for (const ContainerLists& list : kLists) {
    const bool ephemeral = list.containers.empty();
    const View containers = ephemeral ? View() : spec[list.containers];
    const View statuses = pod["status"][list.statuses];
    if (ephemeral || !all_may_restart) {
      check_transitions(statuses, old["status"][list.statuses], containers,
                        spec["restartPolicy"].text(), path.field(list.statuses), errors);
    }
    check_container_statuses(statuses, containers, os, ephemeral, path.field(list.statuses),
                             errors);
  }
}

}  // namespace status_update

void validate_pod_status_update(View pod, View old, FieldErrors& errors) {
  const Path metadata("metadata");
  const View annotations = pod["metadata"]["annotations"];
  validate_special_annotations_update(annotations, old["metadata"]["annotations"],
                                      metadata.field("annotations"), errors);
  validate_special_annotations(annotations, pod["spec"], metadata.field("annotations"), errors);
  const Path path("status");
  const View status = pod["status"];
  status_update::check_conditions(status["conditions"], path.field("conditions"), errors);
  status_update::check_nomination(pod, old, path.field("nominatedNodeName"), errors);
  if (status["observedGeneration"].integer() < 0) {
    errors.invalid(path.field("observedGeneration"), status["observedGeneration"].integer(),
                   "must be a non-negative integer");
  }
  api::validate_immutable(status["qosClass"], old["status"]["qosClass"], path.field("qosClass"),
                          errors);
  status_update::check_containers(pod, old, path, errors);
  status_update::check_claims(status["resourceClaimStatuses"], pod["spec"]["resourceClaims"],
                              path.field("resourceClaimStatuses"), errors);
  status_update::check_extended_claim(status["extendedResourceClaimStatus"], pod["spec"],
                                      path.field("extendedResourceClaimStatus"), errors);
  status_update::check_addresses(status["podIPs"], old["status"]["podIPs"], path.field("podIPs"),
                                 errors);
  const View hosts = status["hostIPs"];
  if (!hosts.empty() && status["hostIP"].text() != hosts.item(0)["ip"].text()) {
    const Path list = path.field("hostIPs");
    const Path first = list.index(0);
    errors.invalid(first.field("ip"), hosts.item(0)["ip"].text(), "must be equal to `hostIP`");
  }
  status_update::check_addresses(hosts, old["status"]["hostIPs"], path.field("hostIPs"), errors);
}

}  // namespace proa::kinds::pods
