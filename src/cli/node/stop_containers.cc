#include "cli/node/stop_containers.h"

#include <algorithm>

#include "api/object/edit.h"
#include "base/log.h"
#include "base/strings.h"
#include "base/threads/group.h"
#include "json/parse.h"
#include "json/print.h"
#include "kubelet/pod/handlers/hooks.h"
#include "kubelet/runtime/cri/labels.h"

namespace proa::cli {
namespace stopping {

namespace cri = kubelet::cri;

const Log kLog{"cli"};
constexpr Duration kCallTimeout = std::chrono::minutes(2);
// What a container gets in any case to end by itself, as from a kubelet.
constexpr Duration kLeastGrace = std::chrono::seconds(2);
constexpr int64_t kUnknownGraceSeconds = 30;  // the API's default
// All at once: they wait for grace periods.
constexpr size_t kMaxThreads = 512;

std::string text_of(const cri::Labels& labels, std::string_view key) {
  const auto found = labels.find(key);
  return found == labels.end() ? std::string() : found->second;
}

Duration grace_of(const cri::Container& container, std::optional<Duration> most_grace) {
  const std::string seconds = text_of(container.annotations, cri::kPodTerminationGrace);
  const Duration grace =
      kubelet::bounded_seconds(parse_int(seconds).value_or(kUnknownGraceSeconds));
  return std::min(grace, most_grace.value_or(Duration::max()));
}

// The pod as far as handlers need it. Annotations that cannot be read are left out.
std::string pod_of(const cri::Container& container) {
  json::Document document;
  document.root() = json::Value::object();
  const api::Edit pod(document);
  const api::Edit metadata = pod.object("metadata");
  metadata.set("name", text_of(container.labels, cri::kPodName));
  metadata.set("namespace", text_of(container.labels, cri::kPodNamespace));
  metadata.set("uid", text_of(container.labels, cri::kPodUid));
  const api::Edit spec = pod.object("spec").array("containers").push_object();
  spec.set("name", container.name);
  const auto copy = [&](std::string_view annotation, const api::Edit& to, std::string_view field) {
    const auto value = json::parse(text_of(container.annotations, annotation));
    if (value.ok()) to.copy(field, api::View(value->root()));
  };
  copy(cri::kContainerPorts, spec, "ports");
  copy(cri::kPreStopHandler, spec.object("lifecycle"), "preStop");
  return json::print(document.root());
}

Result<void> run_handler(cri::Runtime& runtime, Clock& clock, const cri::Container& container,
                         const Until& until) {
  if (!container.annotations.contains(std::string(cri::kPreStopHandler))) return {};
  const kubelet::PodPtr pod =
      TRY(kubelet::Pod::read(api::Object::make(pod_of(container)), kubelet::Pod::Source::kApi));
  const api::View spec = pod->spec()["containers"].item(0);
  const cri::Sandbox sandbox = TRY(runtime.sandbox(container.sandbox_id, until));
  // A pod in the host's network has no address of its own.
  const std::string address = sandbox.addresses.empty() ? "127.0.0.1" : sandbox.addresses.front();
  kubelet::Hooks hooks(runtime, clock);
  return hooks.run(*pod, spec, container.id, address, spec["lifecycle"]["preStop"], until);
}

Result<void> stop(cri::Runtime& runtime, Clock& clock, const cri::Container& container,
                  Duration grace, const std::stop_token& stop) {
  const Steady end = clock.steady() + grace;
  if (grace > Duration::zero()) {
    const Result<void> handled =
        run_handler(runtime, clock, container, Until::after(clock, grace, stop));
    if (!handled.ok()) {
      kLog.warn("preStop handler failed",
                {{"container", container.name}, {"error", handled.status()}});
    }
  }
  const Duration left = std::max<Duration>(end - clock.steady(), kLeastGrace);
  return runtime.stop_container(container.id, left, Until::after(clock, kCallTimeout + left, stop));
}

}  // namespace stopping

Result<Duration> longest_grace(kubelet::cri::Runtime& runtime, Clock& clock) {
  Duration longest{0};
  for (const auto& container :
       TRY(runtime.containers({}, Until::after(clock, stopping::kCallTimeout)))) {
    if (container.state != kubelet::cri::ContainerState::kRunning) continue;
    longest = std::max(longest, stopping::grace_of(container, std::nullopt));
  }
  return longest;
}

Result<void> stop_containers(
    kubelet::cri::Runtime& runtime, Clock& clock, std::optional<Duration> most_grace,
    const std::function<bool(const kubelet::cri::Labels& labels)>& chosen) {
  const auto containers = TRY(runtime.containers({}, Until::after(clock, stopping::kCallTimeout)));
  WorkerPool pool({.max_threads = stopping::kMaxThreads});
  Group group(pool, clock);
  for (const auto& container : containers) {
    if (container.state != kubelet::cri::ContainerState::kRunning) continue;
    if (!chosen(container.labels)) continue;
    const Duration grace = stopping::grace_of(container, most_grace);
    group.run([&runtime, &clock, &container, grace](const std::stop_token& stop) {
      return stopping::stop(runtime, clock, container, grace, stop);
    });
  }
  return group.wait();
}

}  // namespace proa::cli
