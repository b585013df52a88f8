#include "kubelet/node/agent/node_status.h"

#include <algorithm>
#include <array>

#include "api/object/edit.h"
#include "base/strings.h"
#include "kubelet/node/agent/node_resources.h"

namespace proa::kubelet {
namespace node_status {

constexpr size_t kMostImages = 50;
constexpr size_t kMostNames = 5;  // of one image

// The index of a condition; nullopt when there is none.
std::optional<size_t> find_condition(const api::Edit& conditions, std::string_view type) {
  for (size_t i = 0; i < conditions.size(); ++i) {
    if (conditions.item(i)["type"].text() == type) return i;
  }
  return std::nullopt;
}

api::Edit condition_of(const api::Edit& conditions, std::string_view type) {
  const std::optional<size_t> found = find_condition(conditions, type);
  if (found) return conditions.item(*found);
  const api::Edit added = conditions.push_object();
  added.set("type", type);
  return added;
}

struct Wording {
  std::string_view type;
  std::string_view reason_short, message_short, event_short;
  std::string_view reason_enough, message_enough, event_enough;
};
constexpr std::array<Wording, 3> kWordings{{
    {"MemoryPressure", "KubeletHasInsufficientMemory", "kubelet has insufficient memory available",
     "NodeHasInsufficientMemory", "KubeletHasSufficientMemory",
     "kubelet has sufficient memory available", "NodeHasSufficientMemory"},
    {"DiskPressure", "KubeletHasDiskPressure", "kubelet has disk pressure", "NodeHasDiskPressure",
     "KubeletHasNoDiskPressure", "kubelet has no disk pressure", "NodeHasNoDiskPressure"},
    {"PIDPressure", "KubeletHasInsufficientPID", "kubelet has insufficient PID available",
     "NodeHasInsufficientPID", "KubeletHasSufficientPID", "kubelet has sufficient PID available",
     "NodeHasSufficientPID"},
}};

NodeNews status_news(const NodeFacts& facts, std::string_view reason) {
  return {.reason = std::string(reason),
          .message =
              "Node " + facts.options.node_name.str() + " status is now: " + std::string(reason)};
}

void write_pressure(const api::Edit& conditions, const Wording& words, bool is_short,
                    const NodeFacts& facts, std::vector<NodeNews>& news) {
  const std::string now = format_time(facts.now);
  const std::string_view wanted = is_short ? "True" : "False";
  const api::Edit condition = condition_of(conditions, words.type);
  condition.set("lastHeartbeatTime", now);
  if (condition["status"].text() == wanted) return;
  condition.set("status", wanted);
  condition.set("reason", is_short ? words.reason_short : words.reason_enough);
  condition.set("message", is_short ? words.message_short : words.message_enough);
  condition.set("lastTransitionTime", now);
  news.push_back(status_news(facts, is_short ? words.event_short : words.event_enough));
}

// As upstream joins several errors.
std::string join_problems(const std::vector<std::string>& problems) {
  return problems.size() == 1 ? problems.front() : "[" + join(problems, ", ") + "]";
}

std::string ready_message(const PodNetworkSeen& network) {
  std::string message = "kubelet is posting ready status";
  if (!network.failure.empty()) message += ". WARNING: pod network: " + network.failure;
  for (const std::string& one : network.warnings) message += ". WARNING: " + one;
  return message;
}

void write_ready(const api::Edit& status, const NodeFacts& facts, std::vector<NodeNews>& news) {
  const std::string now = format_time(facts.now);
  const std::vector<std::string> problems =
      readiness_problems(facts.runtime, facts.network, status["capacity"]);
  const bool ready = problems.empty();
  const std::string_view wanted = ready ? "True" : "False";
  const api::Edit condition = condition_of(status.array("conditions"), "Ready");
  const std::string_view before = condition["status"].text();
  if (before != wanted) {
    // No Event for a new condition: it did not change.
    if (!before.empty()) news.push_back(status_news(facts, ready ? "NodeReady" : "NodeNotReady"));
    condition.set("lastTransitionTime", now);
  }
  condition.set("status", wanted);
  condition.set("reason", ready ? "KubeletReady" : "KubeletNotReady");
  condition.set("message", ready ? ready_message(facts.network) : join_problems(problems));
  condition.set("lastHeartbeatTime", now);
}

void write_conditions(const api::Edit& status, const NodeFacts& facts,
                      std::vector<NodeNews>& news) {
  const api::Edit conditions = status.array("conditions");
  const std::array<bool, 3> is_short{facts.pressures.memory, facts.pressures.disk,
                                     facts.pressures.processes};
  for (size_t i = 0; i < kWordings.size(); ++i) {
    write_pressure(conditions, kWordings[i], is_short[i], facts, news);
  }
  write_ready(status, facts, news);
}

void write_addresses(const api::Edit& status, const NodeFacts& facts) {
  status.remove("addresses");
  const api::Edit addresses = status.array("addresses");
  const auto add = [&](std::string_view type, const std::string& address) {
    const api::Edit added = addresses.push_object();
    added.set("type", type);
    added.set("address", address);
  };
  for (const std::string& address : facts.addresses) add("InternalIP", address);
  add("Hostname", facts.options.node_name.str());
}

std::string runtime_version(const RuntimeSeen& runtime) {
  if (!runtime.version) return "containerd://Unknown";
  return runtime.version->name + "://" + runtime.version->version;
}

void write_node_info(const api::Edit& status, const NodeFacts& facts, std::vector<NodeNews>& news) {
  const Machine& machine = facts.machine;
  const std::string_view boot = status["nodeInfo"]["bootID"].text();
  if (!boot.empty() && boot != machine.boot_id) {
    news.push_back({.warning = true,
                    .reason = "Rebooted",
                    .message = "Node " + facts.options.node_name.str() +
                               " has been rebooted, boot id: " + machine.boot_id});
  }
  const api::Edit info = status.object("nodeInfo");
  info.set("machineID", machine.machine_id);
  info.set("systemUUID", machine.system_uuid);
  info.set("bootID", machine.boot_id);
  info.set("kernelVersion", machine.kernel);
  info.set("osImage", machine.os_image);
  info.set("containerRuntimeVersion", runtime_version(facts.runtime));
  info.set("kubeletVersion", facts.kubelet_version);
  info.set("kubeProxyVersion", "");
  info.set("operatingSystem", "linux");
  info.set("architecture", architecture());
  if (machine.swap_bytes != 0) info.object("swap").set("capacity", machine.swap_bytes);
}

void write_images(const api::Edit& status, const NodeFacts& facts) {
  std::vector<const cri::Image*> images;
  for (const cri::Image& image : facts.images) images.push_back(&image);
  // By id among those of one size, so that a list which did not change stays the same.
  std::sort(images.begin(), images.end(), [](const cri::Image* a, const cri::Image* b) {
    return a->size != b->size ? a->size > b->size : a->id < b->id;
  });
  if (images.size() > kMostImages) images.resize(kMostImages);
  status.remove("images");
  if (images.empty()) return;
  const api::Edit list = status.array("images");
  for (const cri::Image* image : images) {
    const api::Edit added = list.push_object();
    const api::Edit names = added.array("names");
    for (const std::vector<std::string>* some : {&image->digests, &image->tags}) {
      for (const std::string& name : *some) {
        if (names.size() == kMostNames) break;
        names.push(json::Value::string(names.arena(), name));
      }
    }
    if (image->size != 0) added.set("sizeBytes", image->size);
  }
}

// Unchanged while the runtime is not ready.
void write_runtime(const api::Edit& status, const NodeFacts& facts) {
  if (!facts.runtime.readiness || !facts.runtime.readiness->runtime_ready) return;
  std::vector<cri::RuntimeHandler> handlers = facts.runtime.readiness->handlers;
  std::sort(handlers.begin(), handlers.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  status.remove("runtimeHandlers");
  if (!handlers.empty()) {
    const api::Edit list = status.array("runtimeHandlers");
    for (const cri::RuntimeHandler& handler : handlers) {
      const api::Edit added = list.push_object();
      added.set("name", handler.name);
      const api::Edit features = added.object("features");
      features.set("recursiveReadOnlyMounts", handler.recursive_read_only_mounts);
      features.set("userNamespaces", handler.user_namespaces);
    }
  }
  status.object("features")
      .set("supplementalGroupsPolicy", facts.runtime.readiness->supplemental_groups_policy);
}

bool conditions_differ(api::View before, api::View after) {
  if (before.size() != after.size()) return true;
  for (const api::View condition : after.items()) {
    const auto same = [&](const json::Value& other) {
      const api::View old(other);
      for (const char* field : {"type", "status", "reason", "message", "lastTransitionTime"}) {
        if (!(old[field] == condition[field])) return false;
      }
      return true;
    };
    if (std::none_of(before.items().begin(), before.items().end(), same)) return true;
  }
  return false;
}

}  // namespace node_status

std::vector<std::string> readiness_problems(const RuntimeSeen& runtime,
                                            const PodNetworkSeen& network, api::View capacity) {
  std::vector<std::string> problems;
  const auto sentence = [](std::string_view type, const std::string& reason,
                           const std::string& message) {
    return std::string(type) + "=false reason:" + reason + " message:" + message;
  };
  if (!runtime.ever_ready) {
    problems.emplace_back("container runtime status check may not have completed yet");
  } else if (runtime.down) {
    problems.emplace_back("container runtime is down");
  }
  if (runtime.readiness && !runtime.readiness->runtime_ready) {
    problems.push_back("container runtime not ready: " +
                       sentence("RuntimeReady", runtime.readiness->runtime_reason,
                                runtime.readiness->runtime_message));
  }
  if (!runtime.readiness) {
    problems.emplace_back("network state unknown");
  } else if (!runtime.readiness->network_ready) {
    problems.push_back("container runtime network not ready: " +
                       sentence("NetworkReady", runtime.readiness->network_reason,
                                runtime.readiness->network_message));
    if (!network.failure.empty()) problems.push_back("pod network: " + network.failure);
  }
  std::vector<std::string> missing;
  for (const char* resource : {"cpu", "memory", "pods", "ephemeral-storage"}) {
    if (!capacity[resource].exists()) missing.emplace_back(resource);
  }
  if (!missing.empty()) {
    problems.push_back("missing node capacity for resources: " + join(missing, ", "));
  }
  return problems;
}

json::Document make_node_status(api::View before, const NodeFacts& facts,
                                std::vector<NodeNews>& news) {
  json::Document made;
  made.root() =
      before.is(json::Kind::kObject) ? before.value()->copy(made.arena()) : json::Value::object();
  const api::Edit status(made);
  node_status::write_addresses(status, facts);
  write_resources(status, facts);
  node_status::write_node_info(status, facts, news);
  status.object("daemonEndpoints").object("kubeletEndpoint").set("Port", facts.options.port);
  node_status::write_images(status, facts);
  node_status::write_runtime(status, facts);
  node_status::write_conditions(status, facts, news);
  return made;
}

bool node_status_differs(api::View before, api::View after) {
  for (const json::Member& member : after.members()) {
    if (member.key == "conditions") continue;
    if (!(before[member.key] == api::View(member.value))) return true;
  }
  for (const json::Member& member : before.members()) {
    if (!after[member.key].exists()) return true;
  }
  return node_status::conditions_differ(before["conditions"], after["conditions"]);
}

}  // namespace proa::kubelet
