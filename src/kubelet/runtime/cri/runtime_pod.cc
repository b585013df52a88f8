#include "kubelet/runtime/cri/runtime_pod.h"

#include <algorithm>

namespace proa::kubelet::cri {
namespace runtime_pod {

// Of the same moment the later attempt is the newer one.
template <typename T>
void sort_newest_first(std::vector<T>& things) {
  std::stable_sort(things.begin(), things.end(), [](const T& a, const T& b) {
    return a.created != b.created ? a.created > b.created : a.attempt > b.attempt;
  });
}

}  // namespace runtime_pod

const Sandbox* RuntimePod::ready_sandbox() const {
  const bool ready = !sandboxes.empty() && sandboxes.front().state == SandboxState::kReady;
  return ready ? &sandboxes.front() : nullptr;
}

const Container* RuntimePod::newest(std::string_view name) const {
  const auto found = std::find_if(containers.begin(), containers.end(),
                                  [&](const Container& one) { return one.name == name; });
  return found == containers.end() ? nullptr : &*found;
}

const Container* RuntimePod::previous(std::string_view name) const {
  const Container* current = newest(name);
  for (const Container& one : containers) {
    if (&one != current && one.name == name && one.state == ContainerState::kExited) return &one;
  }
  return nullptr;
}

bool RuntimePod::any_running() const {
  return std::any_of(containers.begin(), containers.end(),
                     [](const Container& one) { return one.state == ContainerState::kRunning; });
}

// Lists have no addresses; sandboxes that are not ready have none that count.
Result<std::vector<Sandbox>> inspect_sandboxes(Runtime& runtime, api::UidView pod_uid,
                                               const Until& until) {
  std::vector<Sandbox> found;
  auto listed = TRY(runtime.sandboxes(pod_uid, until));
  for (Sandbox& one : listed) {
    if (one.state != SandboxState::kReady) {
      found.push_back(std::move(one));
      continue;
    }
    auto whole = runtime.sandbox(one.id, until);
    if (whole.is(Reason::kNotFound)) continue;  // removed since the list was made
    if (!whole.ok()) return whole.status();
    found.push_back(std::move(*whole));
  }
  runtime_pod::sort_newest_first(found);
  return found;
}

Result<std::vector<Container>> inspect_containers(Runtime& runtime, api::UidView pod_uid,
                                                  const Until& until) {
  std::vector<Container> found;
  const auto listed = TRY(runtime.containers({.pod_uid = api::Uid(pod_uid)}, until));
  for (const Container& one : listed) {
    auto whole = runtime.container(one.id, until);
    if (whole.is(Reason::kNotFound)) continue;
    if (!whole.ok()) return whole.status();
    whole->sandbox_id = one.sandbox_id;
    found.push_back(std::move(*whole));
  }
  runtime_pod::sort_newest_first(found);
  return found;
}

Result<RuntimePod> inspect_pod(Runtime& runtime, api::UidView pod_uid, const Until& until) {
  RuntimePod pod;
  pod.sandboxes = TRY(inspect_sandboxes(runtime, pod_uid, until));
  pod.containers = TRY(inspect_containers(runtime, pod_uid, until));
  return pod;
}

}  // namespace proa::kubelet::cri
