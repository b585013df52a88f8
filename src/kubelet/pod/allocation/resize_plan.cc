#include "kubelet/pod/allocation/resize_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "base/strings.h"

namespace proa::kubelet {
namespace resize_plan {

using Update = ResizePlan::Update;

bool requires_restart(const ContainerSpec& container, std::string_view resource) {
  for (const objects::ResizePolicy& policy : container.fields->resize_policies) {
    if (policy.resource == resource) return policy.restart_policy == "RestartContainer";
  }
  return false;
}

bool has_other_memory(const ContainerBounds& a, const ContainerBounds& b) {
  return a.memory_limit != b.memory_limit || a.memory_request != b.memory_request;
}

bool has_other_cpu(const ContainerBounds& a, const ContainerBounds& b) {
  return a.cpu_limit != b.cpu_limit || a.cpu_request != b.cpu_request;
}

// No limit is more than any.
int64_t bound(int64_t limit) { return limit == 0 ? std::numeric_limits<int64_t>::max() : limit; }

bool shrinks(int64_t limit_before, int64_t limit, int64_t request_before, int64_t request) {
  if (limit_before != limit) return bound(limit) < bound(limit_before);
  return request < request_before;
}

void give_back_first(std::vector<Update>& updates,
                     const std::function<bool(const Update&)>& gives_back) {
  std::stable_partition(updates.begin(), updates.end(), gives_back);
}

}  // namespace resize_plan

ResizePlan plan_resize(const Pod& pod, const cri::RuntimePod& running,
                       const BoundsOfContainers& now) {
  using Update = ResizePlan::Update;
  ResizePlan plan;
  for (const ContainerSpec& container : containers_of(pod)) {
    const cri::Container* found = running.newest(container.name());
    if (container.kind == ContainerKind::kEphemeral || found == nullptr ||
        found->state != cri::ContainerState::kRunning) {
      continue;
    }
    const auto has = now.find(found->id);
    if (has == now.end()) continue;
    const Update update{.id = found->id,
                        .container = container,
                        .now = has->second,
                        .wanted = bounds_of(pod, container.view)};
    const bool memory = resize_plan::has_other_memory(update.now, update.wanted);
    const bool cpu = resize_plan::has_other_cpu(update.now, update.wanted);
    // Init containers that run to completion are never restarted for a resize.
    const bool may_restart = container.kind != ContainerKind::kInit;
    if (may_restart && ((memory && resize_plan::requires_restart(container, "memory")) ||
                        (cpu && resize_plan::requires_restart(container, "cpu")))) {
      plan.restart.insert(found->id);
      continue;
    }
    if (memory) plan.memory.push_back(update);
    if (cpu) plan.cpu.push_back(update);
  }
  resize_plan::give_back_first(plan.memory, [](const Update& one) {
    return resize_plan::shrinks(one.now.memory_limit, one.wanted.memory_limit,
                                one.now.memory_request, one.wanted.memory_request);
  });
  resize_plan::give_back_first(plan.cpu, [](const Update& one) {
    return resize_plan::shrinks(one.now.cpu_limit, one.wanted.cpu_limit, one.now.cpu_request,
                                one.wanted.cpu_request);
  });
  return plan;
}

std::string find_memory_in_use(const std::vector<MemoryCut>& cuts) {
  std::vector<std::string> problems;
  for (const MemoryCut& cut : cuts) {
    const std::string whose =
        cut.container.empty() ? "pod" : fmt::format("container \"{}\"", cut.container);
    if (!cut.used) {
      problems.push_back(fmt::format("missing {} memory usage", whose));
    } else if (*cut.used >= cut.limit) {
      problems.push_back(
          fmt::format("attempting to set {} memory limit ({}) below current usage ({})", whose,
                      cut.limit, *cut.used));
    }
  }
  if (problems.empty()) return {};
  const std::string all = join(problems, ", ");
  return "cannot decrease memory limits: " + (problems.size() == 1 ? all : "[" + all + "]");
}

}  // namespace proa::kubelet
