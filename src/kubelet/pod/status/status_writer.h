#pragma once

#include <functional>
#include <memory>

#include "base/random.h"
#include "base/threads/pool.h"
#include "client/bounded_client.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

// Brings statuses of pods to the API, only when they differ from what it has. Of a static pod: to
// its mirror. Writing never holds up who computed it. From any thread.
class StatusWriter {
 public:
  virtual ~StatusWriter() = default;
  virtual void set(const PodPtr& pod, json::Document status) = 0;
  // Nothing of a deleted pod is left here: takes it out of the API, after its last status went out,
  // which says that it is over. Of a pod that is not deleted (yet), or a mirror, only the latter.
  virtual void finish(const PodPtr& pod) = 0;
  // What the API has now of a pod that was set() before, or of the mirror of one: statuses that
  // others changed, or that a stale write turned back, are written again.
  virtual void seen(const PodPtr& pod) = 0;
  // The status as set last; null when there is none.
  virtual std::shared_ptr<const json::Document> last(const std::string& pod_uid) const = 0;
  virtual void forget(const std::string& pod_uid) = 0;
};

struct StatusWriterContext {
  client::Client& client;
  const api::Resource& pods;
  Clock& clock;
  Random& random;
  WorkerPool& pool;
  // The mirror of a static pod, by its full name: its uid and where it is; null when there is none.
  std::function<PodPtr(const std::string& full_name)> mirror_of;
  // Whether containers of a pod (its uid) may run still: only when they can't, the API is told that
  // a pod is over. Empty: they can't. When that changes, set() is called once more.
  std::function<bool(const std::string& pod_uid)> may_run = {};
  // Whether nobody wants a pod any more, as far as this node was told. Empty: they are all wanted.
  std::function<bool(const std::string& pod_uid)> is_gone = {};
};
// Everything outlives it. Its end waits for the write that is under way; what waits behind it is
// dropped.
std::unique_ptr<StatusWriter> make_status_writer(StatusWriterContext context);

}  // namespace proa::kubelet
