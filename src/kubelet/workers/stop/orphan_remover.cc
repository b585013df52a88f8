#include "kubelet/workers/stop/orphan_remover.h"

#include "base/strings.h"
#include "kubelet/runtime/cri/labels.h"
#include "kubelet/workers/start/pod_files.h"

namespace proa::kubelet {
namespace orphan_remover {

// For containers that carry no termination grace period: upstream's minimum.
constexpr int64_t kUnknownGraceSeconds = 2;

std::string text_of(const cri::Labels& labels, std::string_view key) {
  const auto found = labels.find(key);
  return found == labels.end() ? std::string() : found->second;
}

// The termination grace period, from the annotations that the container was created with.
Duration recorded_grace(const cri::Container& container) {
  const std::string deletion = text_of(container.annotations, cri::kPodDeletionGrace);
  const std::string spec = text_of(container.annotations, cri::kPodTerminationGrace);
  return bounded_seconds(
      parse_int(deletion.empty() ? spec : deletion).value_or(kUnknownGraceSeconds));
}

}  // namespace orphan_remover

bool OrphanRemover::stop_containers(api::UidView uid, const cri::RuntimePod& running) const {
  bool any = false;
  for (const cri::Container& container : running.containers) {
    if (!may_run(container)) continue;
    any = true;
    context_.containers.stop({.pod = nullptr,
                              .pod_uid = api::Uid(uid),
                              .container = container,
                              .pod_address = {},
                              .message = {},
                              .grace = orphan_remover::recorded_grace(container)});
  }
  return any;
}

Result<void> OrphanRemover::remove(api::UidView uid, const cri::RuntimePod& running,
                                   const std::function<Until()>& deadline) const {
  if (!running.empty()) context_.pods.thaw(uid);
  if (stop_containers(uid, running)) return {};
  for (const cri::Container& container : running.containers) {
    Result<void> removed = context_.runtime.remove_container(container.id, deadline());
    if (!removed.ok() && !removed.is(Reason::kNotFound)) return removed;
  }
  for (const cri::Sandbox& sandbox : running.sandboxes) {
    TRY(context_.runtime.stop_sandbox(sandbox.id, deadline()));
    TRY(context_.runtime.remove_sandbox(sandbox.id, deadline()));
  }
  TRY(remove_logs(context_.files, context_.paths, uid));
  TRY(context_.host.release(uid));
  context_.registry.forget(uid);
  return {};
}

}  // namespace proa::kubelet
