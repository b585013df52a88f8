#include "kubelet/runtime/cri/messages.h"

#include <arpa/inet.h>

#include "api/codec/protobuf/wire.h"
#include "kubelet/runtime/cri/signals.h"

namespace proa::kubelet::cri {
namespace messages {

using api::View;

std::string text(View field) { return std::string(field.text()); }

Time time(View nanoseconds) { return Time(Duration(nanoseconds.integer())); }

std::vector<std::string> texts(View list) {
  std::vector<std::string> found;
  for (const View item : list.items()) found.push_back(text(item));
  return found;
}

Labels labels(View map) {
  Labels found;
  for (const auto& [key, value] : map.members()) found.emplace(key, View(value).text());
  return found;
}

bool is_address(const std::string& text) {
  in6_addr parsed{};
  return ::inet_pton(AF_INET, text.c_str(), &parsed) == 1 ||
         ::inet_pton(AF_INET6, text.c_str(), &parsed) == 1;
}

// One that can't be read makes all of them void, as in upstream's determinePodSandboxIPs.
std::vector<std::string> addresses(View network) {
  std::vector<std::string> found;
  if (!network["ip"].text().empty()) found.push_back(text(network["ip"]));
  for (const View more : network["additional_ips"].items()) found.push_back(text(more["ip"]));
  for (const auto& address : found) {
    if (!is_address(address)) return {};
  }
  return found;
}

SandboxState sandbox_state(int64_t number) {
  return number == 0 ? SandboxState::kReady : SandboxState::kNotReady;
}

ContainerState container_state(int64_t number) {
  return number >= 0 && number <= 2 ? static_cast<ContainerState>(number)
                                    : ContainerState::kUnknown;
}

std::vector<std::string> mounted_images(View mounts) {
  std::vector<std::string> found;
  for (const View mount : mounts.items()) {
    const std::string_view image = mount["image"]["image"].text();
    if (!image.empty()) found.emplace_back(image);
  }
  return found;
}

std::optional<ContainerUser> user(View said) {
  if (!said.exists()) return std::nullopt;
  ContainerUser found{.uid = said["uid"].integer(), .gid = said["gid"].integer()};
  for (const View group : said["supplemental_groups"].items())
    found.supplemental_groups.push_back(group.integer());
  return found;
}

std::optional<ContainerResources> resources(View said) {
  if (!said.exists()) return std::nullopt;
  return ContainerResources{.cpu_period = said["cpu_period"].integer(),
                            .cpu_quota = said["cpu_quota"].integer(),
                            .cpu_shares = said["cpu_shares"].integer(),
                            .memory_limit = said["memory_limit_in_bytes"].integer()};
}

}  // namespace messages

Sandbox read_sandbox(api::View message) {
  const api::View metadata = message["metadata"];
  return {.id = messages::text(message["id"]),
          .name = messages::text(metadata["name"]),
          .name_space = messages::text(metadata["namespace"]),
          .uid = api::Uid(metadata["uid"].text()),
          .attempt = static_cast<uint32_t>(metadata["attempt"].integer()),
          .state = messages::sandbox_state(message["state"].integer()),
          .created = messages::time(message["created_at"]),
          .runtime_handler = messages::text(message["runtime_handler"]),
          .addresses = messages::addresses(message["network"]),
          .labels = messages::labels(message["labels"]),
          .annotations = messages::labels(message["annotations"])};
}

Container read_container(api::View message) {
  Container found;
  found.id = messages::text(message["id"]);
  found.sandbox_id = messages::text(message["pod_sandbox_id"]);
  found.name = messages::text(message["metadata"]["name"]);
  found.attempt = static_cast<uint32_t>(message["metadata"]["attempt"].integer());
  found.state = messages::container_state(message["state"].integer());
  found.created = messages::time(message["created_at"]);
  found.started = messages::time(message["started_at"]);
  found.finished = messages::time(message["finished_at"]);
  found.exit_code = static_cast<int>(message["exit_code"].integer());
  found.image = messages::text(message["image"]["image"]);
  found.image_ref = messages::text(message["image_ref"]);
  found.image_id = messages::text(message["image_id"]);
  // Runtimes of before CRI 1.30 know the reference alone.
  if (found.image_id.empty()) found.image_id = found.image_ref;
  found.mounted_images = messages::mounted_images(message["mounts"]);
  found.reason = messages::text(message["reason"]);
  found.message = messages::text(message["message"]);
  found.log_path = messages::text(message["log_path"]);
  found.labels = messages::labels(message["labels"]);
  found.annotations = messages::labels(message["annotations"]);
  found.user = messages::user(message["user"]["linux"]);
  found.resources = messages::resources(message["resources"]["linux"]);
  found.stop_signal = signal_name(message["stop_signal"].integer());
  return found;
}

Image read_image(api::View message) {
  Image found{.id = messages::text(message["id"]),
              .tags = messages::texts(message["repo_tags"]),
              .digests = messages::texts(message["repo_digests"]),
              .size = message["size"].integer(),
              .user_name = messages::text(message["username"]),
              .pinned = message["pinned"].flag()};
  // There, but empty, it is root.
  if (message["uid"].exists()) found.uid = message["uid"]["value"].integer();
  return found;
}

RuntimeReadiness read_readiness(api::View message) {
  RuntimeReadiness found;
  for (const api::View condition : message["status"]["conditions"].items()) {
    if (condition["type"].text() == "RuntimeReady") {
      found.runtime_ready = condition["status"].flag();
      found.runtime_reason = messages::text(condition["reason"]);
      found.runtime_message = messages::text(condition["message"]);
    } else if (condition["type"].text() == "NetworkReady") {
      found.network_ready = condition["status"].flag();
      found.network_reason = messages::text(condition["reason"]);
      found.network_message = messages::text(condition["message"]);
    }
  }
  for (const api::View handler : message["runtime_handlers"].items()) {
    const api::View features = handler["features"];
    found.handlers.push_back(
        {.name = messages::text(handler["name"]),
         .recursive_read_only_mounts = features["recursive_read_only_mounts"].flag(),
         .user_namespaces = features["user_namespaces"].flag()});
  }
  found.supplemental_groups_policy = message["features"]["supplemental_groups_policy"].flag();
  return found;
}

FilesystemUse read_filesystem(api::View message) {
  return {.mountpoint = messages::text(message["fs_id"]["mountpoint"]),
          .used_bytes = message["used_bytes"]["value"].integer(),
          .inodes_used = message["inodes_used"]["value"].integer()};
}

Result<ExecResult> read_exec_result(std::string_view message) {
  ExecResult found;
  api::WireReader reader(message);
  api::WireField field;
  while (reader.next(field)) {
    if (field.number == 1) {
      found.output = field.bytes;
    } else if (field.number == 2) {
      found.errors = field.bytes;
    } else if (field.number == 3) {
      found.exit_code = static_cast<int32_t>(field.value);
    }
  }
  if (!reader.error().empty()) return Status(Reason::kInternalError, std::string(reader.error()));
  return found;
}

}  // namespace proa::kubelet::cri
