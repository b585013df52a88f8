#include "kinds/core/pods/containers/containers.h"

#include <fmt/format.h>

#include "kinds/core/pods/containers/environment.h"
#include "kinds/core/pods/containers/mounts.h"
#include "kinds/core/pods/containers/probes.h"
#include "kinds/core/pods/containers/requirements.h"
#include "kinds/core/pods/spec/security.h"
#include "kinds/core/resources/resources.h"

namespace proa::kinds::pods {

namespace containers {

void check_ports(View ports, const Path& path, FieldErrors& errors) {
  std::set<std::string_view> names;
  each(ports, path, [&](View port, const Path& at) {
    const std::string_view name = port["name"].text();
    if (const auto problems = api::check_port_name(name); !name.empty() && !problems.empty()) {
      for (const std::string& problem : problems) errors.invalid(at.field("name"), name, problem);
    } else if (!name.empty() && !names.insert(name).second) {
      errors.duplicate(at.field("name"), name);
    }
    if (port["containerPort"].integer() == 0) {
      errors.required(at.field("containerPort"));
    } else {
      check_port(port["containerPort"], at.field("containerPort"), errors);
    }
    if (port["hostPort"].integer() != 0) check_port(port["hostPort"], at.field("hostPort"), errors);
    require_one_of(port["protocol"], {"SCTP", "TCP", "UDP"}, at.field("protocol"), errors);
  });
}

void check_host_port(View port, std::set<std::string>& taken, const Path& path,
                     FieldErrors& errors) {
  const int64_t number = port["hostPort"].integer();
  if (number == 0) return;
  const std::string key =
      fmt::format("{}/{}/{}", port["protocol"].text(), port["hostIP"].text(), number);
  if (!taken.insert(key).second) errors.duplicate(path.field("hostPort"), key);
}

void check_host_ports(View container, std::set<std::string>& taken, const Path& path,
                      FieldErrors& errors) {
  each(container["ports"], path.field("ports"),
       [&](View port, const Path& at) { check_host_port(port, taken, at, errors); });
}

void check_resize_policies(View policies, std::string_view restart_policy, const Path& path,
                           FieldErrors& errors) {
  std::set<std::string_view> resources;
  each(policies, path, [&](View policy, const Path& at) {
    const std::string_view resource = policy["resourceName"].text();
    if (!resources.insert(resource).second) errors.duplicate(at, resource);
    require_one_of(policy["resourceName"], {"cpu", "memory"}, path, errors);
    require_one_of(policy["restartPolicy"], {"NotRequired", "RestartContainer"}, path, errors);
    if (restart_policy == "Never" && policy["restartPolicy"].text() != "NotRequired") {
      errors.invalid(path, policy["restartPolicy"].text(),
                     "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
    }
  });
}

// Rules of containers in all three lists.
void check_common(View container, const PodContext& pod, const Path& path, FieldErrors& errors) {
  if (require_text(container, "name", path, errors))
    check_text(container["name"], api::check_dns1123_label, path.field("name"), errors);
  require_text(container, "image", path, errors);
  require_one_of(container["terminationMessagePolicy"], {"File", "FallbackToLogsOnError"},
                 path.field("terminationMessagePolicy"), errors);
  check_ports(container["ports"], path.field("ports"), errors);
  validate_environment(container["env"], path.field("env"), errors);
  validate_environment_sources(container["envFrom"], path.field("envFrom"), errors);
  validate_mounts(container, pod, path.field("volumeMounts"), errors);
  validate_devices(container, pod, path.field("volumeDevices"), errors);
  require_one_of(container["imagePullPolicy"], {"Always", "IfNotPresent", "Never"},
                 path.field("imagePullPolicy"), errors);
  validate_requirements(container["resources"], RequirementsOf::kContainer, pod.claims,
                        path.field("resources"), errors);
  check_resize_policies(container["resizePolicy"], pod.spec["restartPolicy"].text(),
                        path.field("resizePolicy"), errors);
  validate_container_security(container["securityContext"], pod.host_users(),
                              path.field("securityContext"), errors);
}

// Templates may have an image with spaces: some tools use placeholders until the pod is created.
void check_image(View container, const Path& path, FieldErrors& errors) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const std::string_view image = container["image"].text();
  if (image.empty()) return;
  if (kSpace.find(image.front()) != std::string_view::npos ||
      kSpace.find(image.back()) != std::string_view::npos) {
    errors.invalid(path.field("image"), image, "must not have leading or trailing whitespace");
  }
}

constexpr std::string_view kRulesNeedPolicy =
    "must specify restartPolicy when restart rules are used";

// restartPolicy and restartPolicyRules of a container.
void check_restart(View container, const Path& path, FieldErrors& errors) {
  const View policy = container["restartPolicy"];
  const View rules = container["restartPolicyRules"];
  const Path policy_path = path.field("restartPolicy");
  const Path rules_path = path.field("restartPolicyRules");
  if (!policy.exists() && rules.empty()) return;
  if (!policy.exists()) {
    errors.required(policy_path, kRulesNeedPolicy);
  } else {
    check_one_of(policy, {"Always", "Never", "OnFailure"}, policy_path, errors);
  }
  if (rules.size() > 20) errors.too_many(rules_path, rules.size(), 20);
  each(rules, rules_path, [&](View rule, const Path& at) {
    if (const auto action = rule["action"].text();
        !contains({"Restart", "RestartAllContainers"}, action)) {
      errors.not_supported(at.field("action"), action, {"Restart", "RestartAllContainers"});
    }
    const View codes = rule["exitCodes"];
    if (!codes.exists()) return errors.required(at.field("exitCodes"), "must be specified");
    if (const auto operation = codes["operator"].text(); !contains({"In", "NotIn"}, operation))
      errors.not_supported(at.field("exitCodes.operator"), operation, {"In", "NotIn"});
    if (codes["values"].size() > 255)
      errors.too_many(at.field("exitCodes.values"), codes["values"].size(), 255);
  });
}

void check_main(const PodContext& pod, const Path& path, FieldErrors& errors) {
  const View list = pod.spec["containers"];
  if (list.empty()) return errors.required(path);
  std::set<std::string_view> names;
  std::set<std::string> host_ports;
  each(list, path, [&](View container, const Path& at) {
    check_common(container, pod, at, errors);
    const std::string_view name = container["name"].text();
    if (!names.insert(name).second) errors.duplicate(at.field("name"), name);
    validate_probes(container, pod.grace_period(), at, errors);
    check_restart(container, at, errors);
    if (pod.is_pod()) check_image(container, at, errors);
    check_host_ports(container, host_ports, at, errors);
  });
}

void check_one_init(View container, const PodContext& pod, const Path& at, FieldErrors& errors) {
  const bool sidecar = is_sidecar(container);
  check_common(container, pod, at, errors);
  if (container["restartPolicy"].exists()) {
    check_restart(container, at, errors);
  } else if (!container["restartPolicyRules"].empty()) {
    errors.required(at.field("restartPolicy"), kRulesNeedPolicy);
  }
  // Init containers run one after the other, so ports conflict only within one.
  std::set<std::string> host_ports;
  check_host_ports(container, host_ports, at, errors);
  if (pod.is_pod()) check_image(container, at, errors);
  if (sidecar) return validate_probes(container, pod.grace_period(), at, errors);
  for (const std::string_view field :
       {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"}) {
    if (container[field].exists()) {
      errors.forbidden(at.field(field),
                       "may not be set for init containers without restartPolicy=Always");
    }
  }
  each(container["resizePolicy"], at.field("resizePolicy"), [&](View policy, const Path& item) {
    if (policy["restartPolicy"].text() == "RestartContainer") {
      errors.invalid(item.field("restartPolicy"), "RestartContainer",
                     "must not be set to 'RestartContainer' for non-sidecar initContainers");
    }
  });
}

std::set<std::string_view> names_of(View list) {
  std::set<std::string_view> names;
  for (const View container : list.items()) names.insert(container["name"].text());
  return names;
}

void check_init(const PodContext& pod, const Path& path, FieldErrors& errors) {
  std::set<std::string_view> names = names_of(pod.spec["containers"]);
  each(pod.spec["initContainers"], path, [&](View container, const Path& at) {
    check_one_init(container, pod, at, errors);
    const std::string_view name = container["name"].text();
    if (names.contains(name)) {
      errors.duplicate(at.field("name"), name);
    } else if (!name.empty()) {
      names.insert(name);
    }
  });
}

// Ephemeral containers must not have fields that tie them to the pod's life cycle.
void check_ephemeral_fields(View container, const Path& at, FieldErrors& errors) {
  constexpr std::string_view kRefusal = "cannot be set for an Ephemeral Container";
  for (const std::string_view field :
       {"ports", "resources", "resizePolicy", "restartPolicy", "restartPolicyRules",
        "livenessProbe", "readinessProbe", "startupProbe", "lifecycle"}) {
    const View value = container[field];
    const bool plain =
        value.is(json::Kind::kString) || field.ends_with("Probe") || field == "lifecycle";
    if (plain ? value.exists() : !value.empty()) errors.forbidden(at.field(field), kRefusal);
  }
  each(container["volumeMounts"], at.field("volumeMounts"), [&](View mount, const Path& item) {
    for (const std::string_view field : {"subPath", "subPathExpr"})
      if (!mount[field].text().empty()) errors.forbidden(item.field(field), kRefusal);
  });
}

void check_ephemeral(const PodContext& pod, const Path& path, FieldErrors& errors) {
  std::set<std::string_view> targets = names_of(pod.spec["containers"]);
  targets.merge(names_of(pod.spec["initContainers"]));
  std::set<std::string_view> names = targets;
  each(pod.spec["ephemeralContainers"], path, [&](View container, const Path& at) {
    check_common(container, pod, at, errors);
    check_image(container, at, errors);
    const std::string_view name = container["name"].text();
    if (!names.insert(name).second) errors.duplicate(at.field("name"), name);
    const std::string_view target = container["targetContainerName"].text();
    if (!target.empty() && !targets.contains(target))
      errors.not_found(at.field("targetContainerName"), target);
    check_ephemeral_fields(container, at, errors);
  });
}

}  // namespace containers

void validate_containers(const PodContext& pod, const Path& path, FieldErrors& errors) {
  containers::check_main(pod, path.field("containers"), errors);
  containers::check_init(pod, path.field("initContainers"), errors);
  containers::check_ephemeral(pod, path.field("ephemeralContainers"), errors);
}

}  // namespace proa::kinds::pods
