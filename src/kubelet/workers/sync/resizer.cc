#include "kubelet/workers/sync/resizer.h"

#include <algorithm>

#include "api/object/edit.h"
#include "kubelet/host/cgroups/cpu_shares.h"
#include "kubelet/host/cgroups/pod_resources.h"
#include "kubelet/pod/container/container_config.h"

namespace proa::kubelet {
namespace resizer {

const cri::Container* find(const cri::RuntimePod& running, std::string_view id) {
  for (const cri::Container& container : running.containers) {
    if (container.id == id) return &container;
  }
  return nullptr;
}

// What runs is known from when it was started, or else found. What is gone is forgotten.
void note_bounds(const Pod& pod, const cri::RuntimePod& running, BoundsOfContainers& bounds) {
  std::erase_if(bounds,
                [&running](const auto& one) { return find(running, one.first) == nullptr; });
  for (const ContainerSpec& container : containers_of(pod)) {
    const cri::Container* found = running.newest(container.name());
    if (found == nullptr || found->state != cri::ContainerState::kRunning) continue;
    if (!bounds.contains(found->id)) bounds[found->id] = bounds_found(pod, container, *found);
  }
}

// CRI leaves out what is not bounded.
void write(const api::Edit& resources, std::string_view name, int64_t number) {
  if (number == 0) {
    resources.remove(name);
  } else {
    resources.set(name, number);
  }
}

bool is_running(const cri::RuntimePod& running, std::string_view id) {
  const cri::Container* found = find(running, id);
  return found != nullptr && found->state == cri::ContainerState::kRunning;
}

}  // namespace resizer

ResizePlan Resizer::make_plan(const Pod& pod, const cri::RuntimePod& running,
                              PodMemory& memory) const {
  resizer::note_bounds(pod, running, memory.bounds);
  ResizePlan plan = plan_resize(pod, running, memory.bounds);
  // One whose successor is there has done its part.
  std::erase_if(memory.restarting, [&running](const std::string& id) {
    const cri::Container* found = resizer::find(running, id);
    return found == nullptr || running.newest(found->name) != found;
  });
  memory.restarting.insert(plan.restart.begin(), plan.restart.end());
  return plan;
}

// If it cannot be read, the write reports why.
void Resizer::add_cut_of_pod(const Pod& pod, std::vector<MemoryCut>& cuts) const {
  const int64_t limit = pod_values(pod, {}).memory.value_or(0);
  const Result<MemoryUse> use = cgroups_.memory(pod, {});
  if (limit == 0 || !use.ok() || use->limit <= limit) return;
  cuts.insert(cuts.begin(), {.container = {}, .limit = limit, .used = use->used});
}

std::vector<MemoryCut> Resizer::memory_cuts(const Pod& pod, const ResizePlan& plan) const {
  std::vector<MemoryCut> cuts;
  for (const ResizePlan::Update& update : plan.memory) {
    const int64_t before = update.now.memory_limit;
    const int64_t after = update.wanted.memory_limit;
    if (after == 0 || (before != 0 && before <= after)) continue;
    const Result<MemoryUse> use = cgroups_.memory(pod, update.id);
    MemoryCut& cut = cuts.emplace_back();
    cut.container = update.container.name();
    cut.limit = after;
    if (use.ok()) cut.used = use->used;
  }
  return cuts;
}

Result<void> Resizer::update(const Pod& pod, const ResizePlan::Update& update,
                             const ContainerBounds& to, PodMemory& memory,
                             const Until& until) const {
  json::Document document = TRY(make_container_resources(pod, update.container.view, machine_));
  const api::Edit resources(document);
  const int64_t asked = to.cpu_request > 0 ? to.cpu_request : to.cpu_limit;
  resizer::write(resources, "cpu_quota", quota_of(to.cpu_limit));
  resizer::write(resources, "cpu_shares", shares_of(asked));
  resizer::write(resources, "memory_limit_in_bytes", to.memory_limit);
  TRY(runtime_.update_resources(update.id, document.root(), until));
  memory.bounds[update.id] = to;
  return {};
}

Result<void> Resizer::carry_out(const Pod& pod, const cri::RuntimePod& running,
                                const ResizePlan& plan, PodMemory& memory,
                                const Until& until) const {
  memory.cgroup_sized = false;
  const bool waits =
      std::any_of(memory.restarting.begin(), memory.restarting.end(),
                  [&running](const std::string& id) { return resizer::is_running(running, id); });
  std::vector<MemoryCut> cuts = memory_cuts(pod, plan);
  if (!waits) add_cut_of_pod(pod, cuts);
  const std::string in_use = find_memory_in_use(cuts);
  if (!in_use.empty()) return Status(Reason::kConflict, in_use);
  shares_.balance();
  TRY(cgroups_.resize(pod, Change::kRaise));
  for (const ResizePlan::Update& one : plan.memory) {
    ContainerBounds to = memory.bounds[one.id];
    to.memory_request = one.wanted.memory_request;
    to.memory_limit = one.wanted.memory_limit;
    TRY(update(pod, one, to, memory, until));
  }
  for (const ResizePlan::Update& one : plan.cpu) {
    ContainerBounds to = memory.bounds[one.id];
    to.cpu_request = one.wanted.cpu_request;
    to.cpu_limit = one.wanted.cpu_limit;
    TRY(update(pod, one, to, memory, until));
  }
  if (waits) return {};
  TRY(cgroups_.resize(pod, Change::kLower));
  memory.cgroup_sized = true;
  return {};
}

void Resizer::begin(ReconcileState& state, ResizePlan& plan) const {
  plan = make_plan(*state.pod, state.running, state.memory);
  if (plan.empty()) return;
  allocations_.begin(state.pod);
  reporter_.publish(state);
}

Result<void> Resizer::apply(ReconcileState& state, const ResizePlan& plan) const {
  const bool in_progress = allocations_.conditions(state.uid()).in_progress.has_value();
  if (plan.empty() && state.memory.cgroup_sized && !in_progress) return {};
  Result<void> done =
      carry_out(*state.pod, state.running, plan, state.memory, state.call_deadline());
  if (!done.ok() && state.stop.stop_requested()) return done;
  if (!done.ok()) allocations_.fail(state.pod, done.status().message());
  if (!plan.memory.empty() || !plan.cpu.empty()) {
    state.running.containers =
        TRY(cri::inspect_containers(runtime_, state.uid(), state.call_deadline()));
  }
  return done;
}

void Resizer::end(ReconcileState& state) const {
  // Containers that still have to exit lead to another reconcile.
  if (!state.memory.cgroup_sized) return;
  if (!make_plan(*state.pod, state.running, state.memory).empty()) return;
  allocations_.complete(state.pod);
}

}  // namespace proa::kubelet
