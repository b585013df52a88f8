#include "kubelet/pod/container/security_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kubelet/model/reference.h"
#include "kubelet/pod/container/cri_fields.h"
#include "kubelet/pod/container/profiles.h"

namespace proa::kubelet {
namespace security_context {

enum class Namespace : uint8_t { kPod = 0, kContainer = 1, kNode = 2, kTarget = 3 };

// The same everywhere, as upstream has them.
constexpr std::string_view kHidden[] = {
    "/proc/asound",     "/proc/acpi",        "/proc/interrupts",
    "/proc/kcore",      "/proc/keys",        "/proc/latency_stats",
    "/proc/timer_list", "/proc/timer_stats", "/proc/sched_debug",
    "/proc/scsi",       "/sys/firmware",     "/sys/devices/virtual/powercap"};
constexpr std::string_view kReadOnly[] = {"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys",
                                          "/proc/sysrq-trigger"};

// A field that the pod can set for all its containers.
api::View effective(const Pod& pod, api::View container, std::string_view name) {
  const api::View own = container["securityContext"][name];
  return own ? own : pod.spec()["securityContext"][name];
}

void write_id(const api::Edit& edit, std::string_view name, api::View id) {
  if (id) write_number(edit.object(name), "value", id.integer());
}

void write_selinux(const api::Edit& edit, api::View options) {
  if (!options) return;
  const api::Edit message = edit.object("selinux_options");
  for (const std::string_view field : {"user", "role", "type", "level"})
    write_text(message, field, options[field].text());
}

Result<void> write_groups(const api::Edit& edit, api::View context) {
  const auto push = [&](int64_t group) {
    edit.array("supplemental_groups").push(json::Value::integer(group));
  };
  if (context["fsGroup"]) push(context["fsGroup"].integer());
  for (const api::View group : context["supplementalGroups"].items()) push(group.integer());
  const std::string_view policy = context["supplementalGroupsPolicy"].text("Merge");
  if (policy != "Merge" && policy != "Strict") {
    return Status(Reason::kBadRequest,
                  fmt::format("unsupported supplementalGroupsPolicy: {}", policy));
  }
  if (policy == "Strict") edit.set("supplemental_groups_policy", 1);
  return {};
}

Result<void> write_namespaces(const api::Edit& edit, api::View spec, std::string_view target_id) {
  if (!spec["hostUsers"].flag(true)) {
    return Status(Reason::kBadRequest,
                  "can't set `spec.hostUsers: false`, runtime does not support user namespaces");
  }
  const api::Edit options = edit.object("namespace_options");
  const auto set = [&](std::string_view name, Namespace mode) {
    write_number(options, name, static_cast<int64_t>(mode));
  };
  set("network", spec["hostNetwork"].flag() ? Namespace::kNode : Namespace::kPod);
  set("ipc", spec["hostIPC"].flag() ? Namespace::kNode : Namespace::kPod);
  if (spec["hostPID"].flag()) {
    set("pid", Namespace::kNode);
  } else if (spec["shareProcessNamespace"].flag()) {
    set("pid", Namespace::kPod);
  } else if (target_id.empty()) {
    set("pid", Namespace::kContainer);
  } else {
    set("pid", Namespace::kTarget);
    options.set("target_id", target_id);
  }
  return {};
}

void write_capabilities(const api::Edit& edit, api::View capabilities) {
  if (!capabilities) return;
  const api::Edit message = edit.object("capabilities");
  message.copy("add_capabilities", capabilities["add"]);
  message.copy("drop_capabilities", capabilities["drop"]);
}

void write_paths(const api::Edit& edit, const MachineFacts& machine) {
  const auto write = [&](std::string_view name, auto& paths) {
    const api::Edit list = edit.array(name);
    for (const std::string_view path : paths) list.push(json::Value::string(edit.arena(), path));
  };
  write("masked_paths", kHidden);
  write("masked_paths", machine.hidden_paths);
  write("readonly_paths", kReadOnly);
}

// runAsUser, else the user of the image: a number, or a name that only the image can resolve.
// Without either, root.
void write_user(const api::Edit& edit, const SecurityInputs& inputs) {
  const api::View said = effective(inputs.pod, inputs.container, "runAsUser");
  if (said) return write_id(edit, "run_as_user", said);
  if (!inputs.image.uid && !inputs.image.user_name.empty()) {
    edit.set("run_as_username", std::string_view(inputs.image.user_name));
  } else {
    write_number(edit.object("run_as_user"), "value", inputs.image.uid.value_or(0));
  }
}

bool has_privileged_container(const Pod& pod) {
  const std::vector<ContainerSpec> all = containers_of(pod);
  return std::any_of(all.begin(), all.end(), [](const ContainerSpec& container) {
    return container.view["securityContext"]["privileged"].flag();
  });
}

}  // namespace security_context

Result<void> write_container_security(const api::Edit& edit, const SecurityInputs& inputs) {
  const Pod& pod = inputs.pod;
  const api::View container = inputs.container;
  const api::View own = container["securityContext"];
  security_context::write_capabilities(edit, own["capabilities"]);
  write_flag(edit, "privileged", own["privileged"].flag());
  TRY(security_context::write_namespaces(edit, pod.spec(), inputs.target_id));
  security_context::write_selinux(edit,
                                  security_context::effective(pod, container, "seLinuxOptions"));
  security_context::write_user(edit, inputs);
  security_context::write_id(edit, "run_as_group",
                             security_context::effective(pod, container, "runAsGroup"));
  write_flag(edit, "readonly_rootfs", own["readOnlyRootFilesystem"].flag());
  TRY(security_context::write_groups(edit, pod.spec()["securityContext"]));
  write_flag(edit, "no_new_privs", !own["allowPrivilegeEscalation"].flag(true));
  if (own["procMount"].text() != "Unmasked") security_context::write_paths(edit, inputs.machine);
  TRY(write_seccomp(edit, pod, container, inputs.root));
  return write_apparmor(edit, pod, container);
}

Result<void> write_sandbox_security(const api::Edit& edit, const Pod& pod) {
  const api::View context = pod.spec()["securityContext"];
  TRY(security_context::write_namespaces(edit, pod.spec(), {}));
  security_context::write_selinux(edit, context["seLinuxOptions"]);
  security_context::write_id(edit, "run_as_user", context["runAsUser"]);
  security_context::write_id(edit, "run_as_group", context["runAsGroup"]);
  TRY(security_context::write_groups(edit, context));
  write_flag(edit, "privileged", security_context::has_privileged_container(pod));
  // Whatever the containers have: the process of a sandbox does nothing that it would forbid.
  write_profile(edit.object("seccomp"), ProfileType::kRuntimeDefault);
  return {};
}

Result<void> check_non_root(const Pod& pod, api::View container, const cri::Image& image) {
  if (!security_context::effective(pod, container, "runAsNonRoot").flag()) return {};
  const std::string where =
      fmt::format("(pod: \"{}\", container: {})", pod_text(pod), container["name"].text());
  const auto refuse = [&](std::string_view why) {
    return Status(Reason::kBadRequest, fmt::format("{} {}", why, where));
  };
  const api::View user = security_context::effective(pod, container, "runAsUser");
  if (user) {
    if (user.integer() != 0) return {};
    return refuse("container's runAsUser breaks non-root policy");
  }
  if (!image.uid && !image.user_name.empty()) {
    return refuse(
        fmt::format("container has runAsNonRoot and image has non-numeric user ({}), "
                    "cannot verify user is non-root",
                    image.user_name));
  }
  const int64_t uid = image.uid.value_or(0);
  if (uid == 0) return refuse("container has runAsNonRoot and image will run as root");
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (uid > 0 && uid <= kMost) return {};
  return refuse(
      fmt::format("container has runAsNonRoot and image has an invalid user id ({0}). "
                  "(Must be 1-({1})): must be between 0 and {1}, inclusive",
                  uid, kMost));
}

}  // namespace proa::kubelet
