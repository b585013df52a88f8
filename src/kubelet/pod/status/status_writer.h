#pragma once

#include <functional>
#include <memory>

#include "base/random.h"
#include "base/threads/pool.h"
#include "client/bounded_client.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

// Writes statuses of pods to the API server, only if they differ from what it has; those of static
// pods to their mirrors. Never blocks the caller. From any thread.
class StatusWriter {
 public:
  virtual ~StatusWriter() = default;
  virtual void set(const PodPtr& pod, json::Document status) = 0;
  // Nothing of a deleted pod is left on the node: writes its final status, then removes it from the
  // API server. A pod that is not deleted (yet), or a mirror, only gets its final status.
  virtual void finish(const PodPtr& pod) = 0;
  // The API server's version of a pod that was set() before, or of its mirror: statuses that others
  // changed, or that a stale write reverted, are written again.
  virtual void seen(const PodPtr& pod) = 0;
  // The status as set last; null if there is none.
  virtual std::shared_ptr<const json::Document> last(api::UidView pod_uid) const = 0;
  virtual void forget(api::UidView pod_uid) = 0;
};

struct StatusWriterContext {
  client::Client& client;
  const api::Resource& pods;
  Clock& clock;
  Random& random;
  WorkerPool& pool;
  // The mirror of a static pod; null if there is none.
  std::function<PodPtr(const api::PodKey& pod)> mirror_of;
  // Whether containers of a pod may still run: a final phase is only written once they cannot.
  // Empty: they cannot. set() is called again when that changes.
  std::function<bool(api::UidView pod_uid)> may_run = {};
  // Whether a pod is no longer wanted, as far as this node knows. Empty: all are wanted.
  std::function<bool(api::UidView pod_uid)> is_gone = {};
  std::stop_token shutdown = {};  // cancels writes
};
// Everything outlives it. Destruction waits for the current write; queued ones are dropped.
std::unique_ptr<StatusWriter> make_status_writer(StatusWriterContext context);

}  // namespace proa::kubelet
