#include "kubelet/pod/status/status_writer.h"

#include <algorithm>
#include <map>

#include "api/codec/json/decode.h"
#include "base/log.h"
#include "base/threads/mutex.h"
#include "client/informer/backoff.h"
#include "json/parse.h"
#include "kinds/core/pods/spec/annotations.h"
#include "kubelet/model/status_fields.h"
#include "kubelet/pod/status/pod_status.h"
#include "kubelet/pod/status/status_patch.h"

namespace proa::kubelet {
namespace status_writer {

const Log kLog("kubelet");

// Upstream tries again every ten seconds, or when another status comes.
constexpr client::Backoff kBackoff{.first = std::chrono::milliseconds(100),
                                   .most = std::chrono::seconds(10)};

// Several static pods may have the same key: the mirror belongs to the one it was created from.
bool is_mirror_of(const Pod& mirror, const Pod& pod) {
  return mirror.is_mirror() && mirror.key() == pod.key() &&
         mirror.metadata()["annotations"][kinds::pods::kMirrorAnnotation].text() == pod.uid();
}

using StatusPtr = std::shared_ptr<const json::Document>;

// What is known of one pod.
struct Entry {
  PodPtr pod = {};
  StatusPtr status = {};  // null: only finish() was called
  bool finished = false;
  bool waits = false;  // to be processed
  int failures = 0;
  Steady due = {};
  uint64_t version = 0;  // grows with each change
  // What still differs after a write: the server changed it, and it is not written again.
  std::string refused = {};
};

// One pass over one pod, without a lock.
struct Job {
  api::Uid uid = {};
  PodPtr pod = {};
  StatusPtr status = {};
  bool finished = false;
  uint64_t version = 0;
  std::string refused = {};
};

enum class Outcome : uint8_t { kDone, kGone };

class Writer final : public StatusWriter {
 public:
  explicit Writer(StatusWriterContext context)
      : context_(std::move(context)),
        client_(context_.client, context_.clock, context_.shutdown),
        type_(context_.pods.type->find("status")->type) {}
  ~Writer() override;

  void set(const PodPtr& pod, json::Document status) override EXCLUDES(mutex_);
  void finish(const PodPtr& pod) override EXCLUDES(mutex_);
  void seen(const PodPtr& pod) override EXCLUDES(mutex_);
  StatusPtr last(api::UidView pod_uid) const override EXCLUDES(mutex_);
  void forget(api::UidView pod_uid) override EXCLUDES(mutex_);

 private:
  // The status as the API would print it.
  json::Document normalise(json::Document status) const;
  Entry& change(const PodPtr& pod) REQUIRES(mutex_);
  // What waits is dropped.
  void close() EXCLUDES(mutex_);
  // Starts a task for the queued pods, if none runs.
  void wake() EXCLUDES(mutex_);
  void work() EXCLUDES(mutex_);
  // The pod that is due first; nullopt once nothing waits.
  std::optional<Job> take() EXCLUDES(mutex_);
  void put_back(const Job& job, const Result<Outcome>& result) EXCLUDES(mutex_);

  Result<Outcome> carry_out(Job& job);
  // The pod in the API server that gets the status; null if there is none.
  Result<PodPtr> find_told(const Job& job);
  Result<PodPtr> write_status(Job& job, PodPtr told);
  std::string patch_for(const Job& job, const Pod& told) const;
  Result<Outcome> remove(const Pod& told);
  bool may_run(api::UidView uid) const { return context_.may_run && context_.may_run(uid); }
  client::Place place_of(const Pod& pod, std::string_view subresource) const;

  const StatusWriterContext context_;
  const client::BoundedClient client_;
  const api::Type* const type_;  // PodStatus
  mutable Mutex mutex_;
  CondVar changed_;
  std::map<api::Uid, Entry, std::less<>> entries_ GUARDED_BY(mutex_);
  bool working_ GUARDED_BY(mutex_) = false;
  bool closed_ GUARDED_BY(mutex_) = false;
  // Last: nothing can be written any more, and whoever waits for an attempt should not.
  const std::stop_callback<std::function<void()>> stopped_{context_.shutdown, [this] { close(); }};
};

void Writer::close() {
  MutexLock lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

Writer::~Writer() {
  close();
  MutexLock lock(mutex_);
  while (working_) changed_.wait(mutex_);
}

json::Document Writer::normalise(json::Document status) const {
  json::Document copy = status.copy();
  auto decoded = api::decode_document(std::move(copy), *type_, api::FieldValidation::kIgnore);
  if (decoded.ok()) return std::move(decoded->document);
  kLog.error("encoding a pod status failed", {{"error", decoded.status()}});
  return status;
}

Entry& Writer::change(const PodPtr& pod) {
  Entry& entry = entries_[pod->uid()];
  entry.pod = pod;
  entry.waits = true;
  entry.failures = 0;
  entry.due = {};
  ++entry.version;
  return entry;
}

void Writer::set(const PodPtr& pod, json::Document status) {
  auto fresh = std::make_shared<const json::Document>(normalise(std::move(status)));
  {
    MutexLock lock(mutex_);
    const auto found = entries_.find(pod->uid());
    const bool same = found != entries_.end() && found->second.status != nullptr &&
                      found->second.status->root() == fresh->root();
    // An unchanged status of a deleted pod is written again: only now may its phase be final.
    if (same && !pod->deleted_at() && !is_final_phase(phase_of(*fresh))) {
      found->second.pod = pod;
      return;
    }
    change(pod).status = std::move(fresh);
  }
  wake();
}

void Writer::finish(const PodPtr& pod) {
  {
    MutexLock lock(mutex_);
    change(pod).finished = true;
  }
  wake();
}

void Writer::seen(const PodPtr& pod) {
  Job job;
  {
    MutexLock lock(mutex_);
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&pod](const auto& one) {
      if (!one.second.pod->is_static()) return one.first == pod->uid();
      return is_mirror_of(*pod, *one.second.pod);
    });
    if (found == entries_.end() || found->second.status == nullptr || found->second.waits) return;
    job = {.uid = found->first,
           .pod = found->second.pod,
           .status = found->second.status,
           .finished = found->second.finished,
           .version = found->second.version,
           .refused = found->second.refused};
  }
  const std::string patch = patch_for(job, *pod);
  const bool leaves = job.finished && pod->deleted_at();
  if (!leaves && (patch.empty() || patch == job.refused)) return;
  {
    MutexLock lock(mutex_);
    const auto found = entries_.find(job.uid);
    if (found == entries_.end()) return;
    change(found->second.pod);
  }
  wake();
}

StatusPtr Writer::last(api::UidView pod_uid) const {
  MutexLock lock(mutex_);
  const auto found = entries_.find(pod_uid);
  return found == entries_.end() ? nullptr : found->second.status;
}

void Writer::forget(api::UidView pod_uid) {
  MutexLock lock(mutex_);
  const auto found = entries_.find(pod_uid);
  if (found != entries_.end()) entries_.erase(found);
}

void Writer::wake() {
  {
    MutexLock lock(mutex_);
    changed_.notify_all();
    if (working_ || closed_) return;
    working_ = true;
  }
  if (context_.pool.submit([this] { work(); })) return;
  kLog.warn("status writes wait for a free thread");
  MutexLock lock(mutex_);
  working_ = false;
  changed_.notify_all();
}

void Writer::work() {
  while (std::optional<Job> job = take()) {
    const Result<Outcome> result = carry_out(*job);
    put_back(*job, result);
  }
}

std::optional<Job> Writer::take() {
  MutexLock lock(mutex_);
  while (!closed_) {
    Steady first = Steady::max();
    for (auto& [uid, entry] : entries_) {
      if (!entry.waits) continue;
      first = std::min(first, entry.due);
      if (entry.due > context_.clock.steady()) continue;
      entry.waits = false;
      return Job{.uid = uid,
                 .pod = entry.pod,
                 .status = entry.status,
                 .finished = entry.finished,
                 .version = entry.version};
    }
    if (first == Steady::max()) break;
    context_.clock.wait_until(changed_, mutex_, first);
  }
  working_ = false;
  changed_.notify_all();
  return std::nullopt;
}

void Writer::put_back(const Job& job, const Result<Outcome>& result) {
  // A node may not read deleted pods, so it is not notified of them.
  const bool forbidden = result.is(Reason::kForbidden);
  const bool gone = result.ok() ? *result == Outcome::kGone
                                : forbidden && context_.is_gone && context_.is_gone(job.uid);
  MutexLock lock(mutex_);
  const auto found = entries_.find(job.uid);
  if (found == entries_.end()) return;
  // What came meanwhile is about a pod that is gone as well.
  if (gone) {
    entries_.erase(found);
    return;
  }
  if (result.ok()) {
    found->second.refused = job.refused;
    return;
  }
  // A deletion may be noticed here first: the registry knows of it by the next attempt.
  if (!forbidden || found->second.failures > 0) {
    kLog.warn("pod status update failed",
              {{"pod", job.pod->key().str()}, {"error", result.status()}});
  }
  if (found->second.version != job.version) return;  // another one waits already
  found->second.waits = true;
  found->second.due =
      context_.clock.steady() + kBackoff.after(++found->second.failures, context_.random);
}

client::Place Writer::place_of(const Pod& pod, std::string_view subresource) const {
  return {.resource = &context_.pods,
          .name_space = std::string(pod.name_space()),
          .name = std::string(pod.name()),
          .subresource = std::string(subresource)};
}

Result<PodPtr> Writer::find_told(const Job& job) {
  api::Uid uid = job.uid;
  if (job.pod->is_static()) {
    const PodPtr mirror = context_.mirror_of ? context_.mirror_of(job.pod->key()) : PodPtr();
    if (mirror == nullptr || !is_mirror_of(*mirror, *job.pod)) return PodPtr();
    uid = mirror->uid();
  }
  auto object = client_.get(place_of(*job.pod, {}));
  if (object.is(Reason::kNotFound)) return PodPtr();
  if (!object.ok()) return object.status();
  if (uid != (*object)->metadata().uid) return PodPtr();  // another one of that name
  return Pod::read(*object, Pod::Source::kApi);
}

std::string Writer::patch_for(const Job& job, const Pod& told) const {
  return make_status_patch({.told = told,
                            .pod = *job.pod,
                            .status = job.status->root(),
                            .may_run = may_run(job.uid),
                            .finished = job.finished,
                            .now = context_.clock.now()});
}

Result<PodPtr> Writer::write_status(Job& job, PodPtr told) {
  if (job.status == nullptr) return told;
  const std::string patch = patch_for(job, *told);
  if (patch.empty()) return told;
  const auto object = TRY(client_.patch(place_of(*told, "status"), api::PatchType::kStrategic,
                                        json::parse_literal(patch), {}));
  PodPtr written = TRY(Pod::read(object, Pod::Source::kApi));
  job.refused = patch_for(job, *written);
  return written;
}

Result<Outcome> Writer::remove(const Pod& told) {
  const auto removed =
      client_.remove(place_of(told, {}), {.grace_seconds = 0, .uid = told.uid().str()});
  if (removed.ok() || removed.is(Reason::kNotFound) || removed.is(Reason::kConflict))
    return Outcome::kGone;
  return removed.status();
}

Result<Outcome> Writer::carry_out(Job& job) {
  PodPtr told = TRY(find_told(job));
  if (told == nullptr) return job.pod->is_static() ? Outcome::kDone : Outcome::kGone;
  auto written = write_status(job, std::move(told));
  if (written.is(Reason::kNotFound)) return Outcome::kGone;
  if (!written.ok()) return written.status();
  if (!job.finished || !(*written)->deleted_at() || (*written)->is_mirror()) return Outcome::kDone;
  return remove(**written);
}

}  // namespace status_writer

std::unique_ptr<StatusWriter> make_status_writer(StatusWriterContext context) {
  return std::make_unique<status_writer::Writer>(std::move(context));
}

}  // namespace proa::kubelet
