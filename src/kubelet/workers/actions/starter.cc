#include "kubelet/workers/actions/starter.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/log.h"
#include "base/strings.h"
#include "kubelet/host/mounts/folder.h"
#include "kubelet/model/reference.h"
#include "kubelet/pod/container/runtime_handler.h"
#include "kubelet/pod/container/sandbox_config.h"
#include "kubelet/pod/environment/environment.h"
#include "kubelet/runtime/cri/labels.h"
#include "kubelet/workers/actions/pod_files.h"

namespace proa::kubelet {
namespace starter {

const Log kLog{"kubelet"};
constexpr size_t kMostBytes = 64 * 1024;

// What there is of a file of the node; nothing when it can't be read.
std::string text_of(Files& files, const std::string& path) {
  Result<std::string> text = files.read_file(path, kMostBytes);
  return text.ok() ? std::move(*text) : std::string();
}

const cri::Container* last_ended(const cri::RuntimePod& running, std::string_view name) {
  for (const cri::Container& container : running.containers) {
    const bool ended = container.state == cri::ContainerState::kExited;
    if (container.name == name && ended) return &container;
  }
  return nullptr;
}

}  // namespace starter

PodFacts Starter::facts(const Pod& pod, const std::vector<std::string>& addresses) const {
  PodFacts facts = parts_.node.facts();
  facts.addresses = pod.uses_host_network() ? facts.host_addresses : addresses;
  return facts;
}

Result<Ground> Starter::prepare(const PodPtr& pod, PodMemory& memory, uint32_t attempt,
                                const std::vector<std::string>& addresses,
                                const Until& until) const {
  Ground ground{.pod = pod, .memory = memory};
  Result<std::string> parent = parts_.cgroups.ensure(*pod);
  if (!parent.ok()) {
    parts_.events.warning(reference_to(*pod), "FailedCreatePodContainer",
                          "unable to ensure pod container exists: " + parent.status().message());
    return parent.status();
  }
  ground.cgroup_parent = std::move(*parent);
  balance_shares(parts_);
  Result<MountedVolumes> volumes = parts_.volumes.mount(*pod, facts(*pod, addresses), until);
  if (!volumes.ok()) {
    parts_.events.warning(reference_to(*pod), "FailedMount", volumes.status().message());
    return volumes.status();
  }
  ground.volumes = std::move(*volumes);

  Result<json::Document> config = sandbox_config(*pod, attempt, ground.cgroup_parent);
  if (!config.ok()) return sandbox_failed(*pod, config.status());
  ground.sandbox_config = std::move(*config);
  return ground;
}

Result<json::Document> Starter::sandbox_config(const Pod& pod, uint32_t attempt,
                                               const std::string& cgroup_parent) const {
  const PodHostname hostname = TRY(hostname_for(pod, parts_.options));
  std::vector<DnsWarning> warnings;
  const DnsConfig dns = TRY(dns_for(
      pod, parts_.options, starter::text_of(parts_.files, parts_.options.resolv_conf), warnings));
  for (const DnsWarning& warning : warnings) {
    parts_.events.warning(reference_to(pod), warning.reason, warning.message);
  }
  return make_sandbox_config({.pod = pod,
                              .attempt = attempt,
                              .paths = parts_.paths,
                              .dns = dns,
                              .hostname = hostname,
                              .cgroup_parent = cgroup_parent,
                              .cgroup_v2 = parts_.machine.cgroup_v2});
}

Result<void> Starter::make_sandbox(const Ground& ground, const Until& until) const {
  const Pod& pod = *ground.pod;
  TRY(make_folders(parts_.paths.pod_logs(pod.name_space(), pod.name(), pod.uid()), 0755));
  const Result<std::string> handler = runtime_handler_of(parts_.objects, pod);
  if (!handler.ok()) return sandbox_failed(pod, handler.status());
  const Result<std::string> made =
      parts_.runtime.run_sandbox(ground.sandbox_config.root(), *handler, until);
  // Calls that were called off did not fail.
  if (!made.ok() && until.stop.stop_requested()) return made.status();
  if (!made.ok()) return sandbox_failed(pod, made.status());
  parts_.registry.made(pod.uid(), *made);
  return {};
}

Status Starter::sandbox_failed(const Pod& pod, const Status& cause) const {
  parts_.events.warning(reference_to(pod), "FailedCreatePodSandBox",
                        "Failed to create pod sandbox: " + cause.message());
  return cause;
}

void Starter::fail(const Ground& ground, const ContainerSpec& container, std::string_view reason,
                   const std::string& message, const Until& until) const {
  if (until.stop.stop_requested()) return;  // it did not fail, it was called off
  parts_.events.warning(reference_to(*ground.pod, container), "Failed", "Error: " + message);
  ground.memory.waiting[std::string(container.name())] = {std::string(reason), message};
}

// One that ended before waits before it is started again, unless it was stopped for a resize.
std::optional<Steady> Starter::backs_off(const Ground& ground, const ContainerSpec& container,
                                         const cri::RuntimePod& running) const {
  const cri::Container* ended = starter::last_ended(running, container.name());
  if (ended == nullptr || ground.memory.restarting.contains(ended->id)) return std::nullopt;
  const Time now = parts_.clock.now();
  const std::string name(container.name());
  const auto wait = ground.memory.backoff.start(name, {ended->id, ended->finished}, now);
  if (!wait) return std::nullopt;
  const std::string text = pod_text(*ground.pod);
  const bool told = ground.memory.waiting[name].reason == "CrashLoopBackOff";
  if (!told) {
    parts_.events.warning(
        reference_to(*ground.pod, container), "BackOff",
        fmt::format("Back-off restarting failed container {} in pod {}", name, text));
  }
  ground.memory.waiting[name] = {"CrashLoopBackOff",
                                 fmt::format("back-off {} restarting failed container={} pod={}",
                                             format_duration(wait->whole), name, text)};
  return parts_.clock.steady() + (wait->until - now);
}

// How often it was started before: as its last container knows, or else as its logs do.
int Starter::restarts(const Pod& pod, const ContainerSpec& container,
                      const cri::RuntimePod& running) const {
  const cri::Container* newest = running.newest(container.name());
  if (newest != nullptr) {
    const auto noted = newest->annotations.find(cri::kRestartCount);
    const std::optional<int64_t> count =
        noted == newest->annotations.end() ? std::nullopt : parse_int(noted->second);
    return static_cast<int>(count.value_or(newest->attempt)) + 1;
  }
  const Result<std::vector<std::string>> logs =
      parts_.files.list(parts_.paths.pod_logs(pod.name_space(), pod.name(), pod.uid()) + "/" +
                        std::string(container.name()));
  int next = 0;
  if (!logs.ok()) return next;
  for (const std::string& name : *logs) {
    const std::optional<int64_t> number = parse_int(name.substr(0, name.find('.')));
    if (number) next = std::max(next, static_cast<int>(*number) + 1);
  }
  return next;
}

Steady Starter::start(const Ground& ground, const ContainerSpec& container,
                      const cri::RuntimePod& running, const Until& until) const {
  const auto waits = backs_off(ground, container, running);
  if (waits) return *waits;
  const std::string name(container.name());
  const ImageState image =
      parts_.images.ensure(ground.pod, container, ground.sandbox_config.root());
  if (image.kind == ImageState::Kind::kPulling) {
    ground.memory.waiting.erase(name);
    return Steady::max();
  }
  if (image.kind == ImageState::Kind::kFailed) {
    ground.memory.waiting[name] = {image.reason, image.message};
    return image.again;
  }
  const cri::Sandbox& sandbox = *running.ready_sandbox();
  const PodFacts known = facts(*ground.pod, sandbox.addresses);
  const std::string address = known.addresses.empty() ? std::string() : known.addresses.front();
  const Result<json::Document> config =
      configure(ground, container, running, image, restarts(*ground.pod, container, running));
  if (!config.ok()) {
    fail(ground, container, "CreateContainerConfigError", config.status().message(), until);
    return parts_.clock.steady() + std::chrono::seconds(10);
  }
  // One that was made and perhaps not started: while it is there, another one might run beside it.
  const cri::Container* newest = running.newest(name);
  if (newest != nullptr && newest->state == cri::ContainerState::kCreated) {
    const Result<void> removed = parts_.runtime.remove_container(newest->id, until);
    if (!removed.ok() && !removed.is(Reason::kNotFound)) {
      fail(ground, container, "CreateContainerError", removed.status().message(), until);
      return parts_.clock.steady() + std::chrono::seconds(1);
    }
  }
  const Result<void> started =
      create_and_start(ground, container, sandbox.id, config->root(), address, until);
  return started.ok() ? Steady::max() : parts_.clock.steady() + std::chrono::seconds(10);
}

Result<json::Document> Starter::configure(const Ground& ground, const ContainerSpec& container,
                                          const cri::RuntimePod& running, const ImageState& image,
                                          int restarts) const {
  const Pod& pod = *ground.pod;
  const PodFacts known = facts(pod, running.ready_sandbox()->addresses);
  std::map<std::string, std::string, std::less<>> volume_paths;
  for (const auto& [name, volume] : ground.volumes) volume_paths[name] = volume.path;
  Environment environment = TRY(make_environment({.pod = pod,
                                                  .container = container.view,
                                                  .facts = known,
                                                  .objects = parts_.objects,
                                                  .services = parts_.services,
                                                  .volume_paths = &volume_paths,
                                                  .services_known = parts_.services_known()}));
  std::vector<ContainerMount> mounts =
      TRY(parts_.volumes.container_mounts(pod, container.view, ground.volumes, environment));
  std::vector<ContainerDevice> devices =
      TRY(parts_.volumes.container_devices(container.view, ground.volumes));
  const PodHostname hostname = TRY(hostname_for(pod, parts_.options));
  const std::string hosts =
      hosts_file(pod, known.addresses, hostname, starter::text_of(parts_.files, "/etc/hosts"));
  TRY(write_hosts_file(parts_.files, parts_.paths, pod, hosts));
  std::string target;
  const std::string_view target_name = container.view["targetContainerName"].text();
  if (container.kind == ContainerKind::kEphemeral && !target_name.empty()) {
    const cri::Container* found = running.newest(target_name);
    if (found == nullptr || found->state != cri::ContainerState::kRunning) {
      return Status(Reason::kNotFound,
                    fmt::format("unable to find target container {}", target_name));
    }
    target = found->id;
  }
  const ContainerInputs inputs{.pod = pod,
                               .container = container,
                               .attempt = static_cast<uint32_t>(restarts),
                               .restarts = restarts,
                               .paths = parts_.paths,
                               .machine = parts_.machine,
                               .image = image.image,
                               .image_ref = image.reference,
                               .environment = std::move(environment),
                               .mounts = std::move(mounts),
                               .devices = std::move(devices),
                               .target_id = std::move(target),
                               .hostname = hostname.hostname};
  TRY(prepare_container_files(parts_.files, inputs));
  return make_container_config(inputs);
}

Result<void> Starter::create_and_start(const Ground& ground, const ContainerSpec& container,
                                       const std::string& sandbox_id, const json::Value& config,
                                       const std::string& address, const Until& until) const {
  const Pod& pod = *ground.pod;
  const Result<std::string> made =
      parts_.runtime.create_container(sandbox_id, config, ground.sandbox_config.root(), until);
  if (!made.ok()) {
    fail(ground, container, "CreateContainerError", made.status().message(), until);
    return made.status();
  }
  parts_.registry.made(pod.uid(), *made);
  parts_.events.normal(reference_to(pod, container), "Created", "Container created");
  const Result<void> started = parts_.runtime.start_container(*made, until);
  if (!started.ok()) {
    fail(ground, container, "RunContainerError", started.status().message(), until);
    return started.status();
  }
  parts_.events.normal(reference_to(pod, container), "Started", "Container started");
  ground.memory.waiting.erase(std::string(container.name()));
  ground.memory.bounds[*made] = bounds_of(pod, container.view);
  if (container.view["lifecycle"]["postStart"]) {
    parts_.post_starts.begin({.pod = ground.pod,
                              .container = std::string(container.name()),
                              .container_id = *made,
                              .pod_address = address});
  }
  return {};
}

}  // namespace proa::kubelet
