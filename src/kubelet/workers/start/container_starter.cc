#include "kubelet/workers/start/container_starter.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "base/strings.h"
#include "kubelet/model/reference.h"
#include "kubelet/workers/start/pod_files.h"

namespace proa::kubelet {
namespace container_starter {

const Log kLog{"kubelet"};
// Before a container whose configuration or creation failed is tried again: no event reports that
// the cause is gone.
constexpr Duration kStartRetryDelay = std::chrono::seconds(10);
// Before the removal of a container that was created but never started is tried again.
constexpr Duration kRemoveRetryDelay = std::chrono::seconds(1);

const cri::Container* last_exited(const cri::RuntimePod& running, std::string_view name) {
  for (const cri::Container& container : running.containers) {
    const bool exited = container.state == cri::ContainerState::kExited;
    if (container.name == name && exited) return &container;
  }
  return nullptr;
}

}  // namespace container_starter

void ContainerStarter::fail(const PreparedPod& prepared, const ContainerSpec& container,
                            std::string_view reason, const std::string& message,
                            const Until& until) const {
  if (until.stop.stop_requested()) return;  // cancelled, not failed
  context_.events.warning(reference_to(*prepared.pod, container), "Failed", "Error: " + message);
  prepared.memory.waiting[std::string(container.name())] = {std::string(reason), message};
}

// Containers that were stopped for a resize start again at once.
std::optional<Steady> ContainerStarter::back_off(const PreparedPod& prepared,
                                                 const ContainerSpec& container,
                                                 const cri::RuntimePod& running) const {
  const cri::Container* exited = container_starter::last_exited(running, container.name());
  if (exited == nullptr || prepared.memory.restarting.contains(exited->id)) return std::nullopt;
  const Time now = context_.clock.now();
  const std::string name(container.name());
  const auto wait = prepared.memory.backoff.start(name, {exited->id, exited->finished}, now);
  if (!wait) return std::nullopt;
  const std::string text = pod_text(*prepared.pod);
  const bool reported = prepared.memory.waiting[name].reason == "CrashLoopBackOff";
  if (!reported) {
    context_.events.warning(
        reference_to(*prepared.pod, container), "BackOff",
        fmt::format("Back-off restarting failed container {} in pod {}", name, text));
  }
  prepared.memory.waiting[name] = {"CrashLoopBackOff",
                                   fmt::format("back-off {} restarting failed container={} pod={}",
                                               format_duration(wait->whole), name, text)};
  return context_.clock.steady() + (wait->until - now);
}

ImageState ContainerStarter::ensure_volume_images(const PreparedPod& prepared,
                                                  const ContainerSpec& container,
                                                  MountedVolumes& volumes) const {
  ImageState all{.kind = ImageState::Kind::kReady};
  for (const api::View mount : container.view["volumeMounts"].items()) {
    const auto found = volumes.find(mount["name"].text());
    if (found == volumes.end() || !found->second.image) continue;
    VolumeImage& image = *found->second.image;
    const ImageState& state = prepared.memory.volume_images.find(found->first, [&] {
      return context_.images.ensure_volume(prepared.pod, found->first, image,
                                           prepared.sandbox_config.root());
    });
    if (state.kind == ImageState::Kind::kReady) {
      image.resolved = state.reference;
    } else if (state.kind == ImageState::Kind::kFailed) {
      context_.events.warning(reference_to(*prepared.pod, container), "Failed",
                              "Error: " + state.reason);
      const Steady again = std::min(all.again, state.again);
      all = state;
      all.again = again;
    } else if (all.kind == ImageState::Kind::kReady) {
      all.kind = ImageState::Kind::kPulling;
    }
  }
  return all;
}

ImageState ContainerStarter::ensure_images(const PreparedPod& prepared,
                                           const ContainerSpec& container,
                                           MountedVolumes& volumes) const {
  const ImageState mounted = ensure_volume_images(prepared, container, volumes);
  if (mounted.kind != ImageState::Kind::kReady) return mounted;
  ImageState own = context_.images.ensure(prepared.pod, container, prepared.sandbox_config.root());
  if (own.kind != ImageState::Kind::kReady) return own;
  for (const auto& [name, volume] : volumes) {
    if (volume.image && !volume.image->resolved.empty()) prepared.memory.volume_images.use(name);
  }
  return own;
}

Steady ContainerStarter::start(const PreparedPod& prepared, const ContainerSpec& container,
                               const cri::RuntimePod& running, const PodFacts& facts,
                               const Until& until) const {
  const std::optional<Steady> backed_off = back_off(prepared, container, running);
  if (backed_off) return *backed_off;
  const std::string name(container.name());
  MountedVolumes volumes = prepared.volumes;
  const ImageState image = ensure_images(prepared, container, volumes);
  if (image.kind == ImageState::Kind::kPulling) {
    prepared.memory.waiting.erase(name);
    return Steady::max();
  }
  if (image.kind == ImageState::Kind::kFailed) {
    prepared.memory.waiting[name] = {image.reason, image.message};
    return image.again;
  }
  const Result<json::Document> config = context_.configurer.configure(
      {.pod = *prepared.pod,
       .container = container,
       .running = running,
       .volumes = volumes,
       .facts = facts,
       .image = image,
       .restarts = context_.configurer.count_restarts(*prepared.pod, container, running)});
  if (!config.ok()) {
    fail(prepared, container, "CreateContainerConfigError", config.status().message(), until);
    return context_.clock.steady() + container_starter::kStartRetryDelay;
  }
  const Result<void> removed = remove_created(running, name, until);
  if (!removed.ok()) {
    fail(prepared, container, "CreateContainerError", removed.status().message(), until);
    return context_.clock.steady() + container_starter::kRemoveRetryDelay;
  }
  const Result<void> network = prepare_network(*prepared.pod, facts, until);
  if (!network.ok()) {
    fail(prepared, container, "CreateContainerError", network.status().message(), until);
    return context_.clock.steady() + container_starter::kStartRetryDelay;
  }
  const std::string address = facts.addresses.empty() ? std::string() : facts.addresses.front();
  const Result<void> started = create_and_start(prepared, container, running.ready_sandbox()->id,
                                                config->root(), address, until);
  if (started.ok()) return Steady::max();
  return context_.clock.steady() + container_starter::kStartRetryDelay;
}

Result<void> ContainerStarter::prepare_network(const Pod& pod, const PodFacts& facts,
                                               const Until& until) const {
  if (!context_.prepare_network || pod.uses_host_network()) return {};
  return context_.prepare_network(pod, facts.addresses, until);
}

// A container that was created and perhaps never started: left alone, it might run beside the one
// that replaces it.
Result<void> ContainerStarter::remove_created(const cri::RuntimePod& running, std::string_view name,
                                              const Until& until) const {
  const cri::Container* newest = running.newest(name);
  if (newest == nullptr || newest->state != cri::ContainerState::kCreated) return {};
  Result<void> removed = context_.runtime.remove_container(newest->id, until);
  if (removed.is(Reason::kNotFound)) return {};
  return removed;
}

Result<void> ContainerStarter::create_and_start(
    const PreparedPod& prepared, const ContainerSpec& container, const std::string& sandbox_id,
    const json::Value& config, const std::string& address, const Until& until) const {
  const Pod& pod = *prepared.pod;
  const Result<std::string> made =
      context_.runtime.create_container(sandbox_id, config, prepared.sandbox_config.root(), until);
  if (!made.ok()) {
    fail(prepared, container, "CreateContainerError", made.status().message(), until);
    return made.status();
  }
  context_.registry.made(pod.uid(), *made);
  context_.events.normal(reference_to(pod, container), "Created", "Container created");
  const Result<void> started = context_.runtime.start_container(*made, until);
  if (!started.ok()) {
    fail(prepared, container, "RunContainerError", started.status().message(), until);
    return started.status();
  }
  context_.events.normal(reference_to(pod, container), "Started", "Container started");
  const Result<void> linked =
      link_log(context_.paths, pod, container.name(), api::View(config)["log_path"].text(), *made);
  if (!linked.ok()) {
    container_starter::kLog.warn("linking a container's log failed", {{"error", linked.status()}});
  }
  prepared.memory.waiting.erase(std::string(container.name()));
  prepared.memory.bounds[*made] = bounds_of(pod, container.view);
  if (container.fields->lifecycle.post_start) {
    context_.post_starts.begin({.pod = prepared.pod,
                                .container = std::string(container.name()),
                                .container_id = *made,
                                .pod_address = address});
  }
  return {};
}

}  // namespace proa::kubelet
