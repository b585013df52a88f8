#include "cli/server/store_events.h"

#include "api/schema/builtin.h"
#include "base/time.h"

namespace proa::cli {
namespace store_events {

client::ObjectReference subject(const std::string& node_name) {
  client::ObjectReference about;
  about.api_version = "v1";
  about.kind = node_name.empty() ? "Namespace" : "Node";
  about.name = node_name.empty() ? "kube-system" : node_name;
  // As kubelets refer to their Node.
  if (!node_name.empty()) about.uid = node_name;
  return about;
}

apiserver::User identity() {
  return {.name = "system:apiserver", .uid = {}, .groups = {"system:masters"}, .extra = {}};
}

const api::Resource& events_resource() {
  return *api::builtin_schema().find_resource("", "v1", "events");
}

}  // namespace store_events

struct StoreEvents::Recording {
  Recording(apiserver::ApiServer& api, Clock& clock, const std::string& node_name)
      : about(store_events::subject(node_name)),
        client(api.client(store_events::identity())),
        recorder(*client, clock, pool, store_events::events_resource(), {"proa-store", node_name}) {
  }

  const client::ObjectReference about;
  const std::unique_ptr<client::Client> client;
  WorkerPool pool{WorkerPool::Options{.max_threads = 1}};
  client::EventRecorder recorder;
};

StoreEvents::StoreEvents(Clock& clock) : clock_(clock) {}
StoreEvents::~StoreEvents() { stop(); }

void StoreEvents::changed(const store::StoreHealth& health) {
  MutexLock lock(mutex_);
  if (!health.ok()) {
    if (!outage_) outage_ = {health.cause, clock_.steady()};
    return;
  }
  const std::optional<Outage> ended = std::exchange(outage_, std::nullopt);
  if (recording_ == nullptr || !ended) return;
  const auto lasted =
      std::chrono::duration_cast<std::chrono::seconds>(clock_.steady() - ended->since);
  recording_->recorder.warning(recording_->about, "StoreNotWritable", ended->cause);
  recording_->recorder.normal(
      recording_->about, "StoreWritable",
      "the store accepts all writes again, after " + format_duration(lasted));
}

void StoreEvents::start(apiserver::ApiServer& api, const std::string& node_name) {
  auto recording = std::make_unique<Recording>(api, clock_, node_name);
  MutexLock lock(mutex_);
  recording_ = std::move(recording);
}

void StoreEvents::stop() {
  // Destroyed without the lock: that waits for an Event to be written.
  std::unique_ptr<Recording> recording;
  MutexLock lock(mutex_);
  recording = std::exchange(recording_, nullptr);
}

}  // namespace proa::cli
