#include "client/events/recorder.h"

#include "api/object/edit.h"
#include "base/log.h"
#include "json/print.h"

namespace proa::client {
namespace recorder {

const Log kLog{"client"};

// The limit of upstream's recorders; more means that the server is unreachable.
constexpr size_t kMaxWaiting = 1000;
// About Events that were dropped: a namespace that ends refuses those of all its objects.
constexpr uint32_t kMostLines = 10;
constexpr Duration kLinePeriod = std::chrono::seconds(10);

void write_reference(const ObjectReference& about, const api::Edit& out) {
  const auto set = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) out.set(name, value);
  };
  set("kind", about.kind);
  set("namespace", about.name_space);
  set("name", about.name);
  set("uid", about.uid);
  set("apiVersion", about.api_version);
  set("resourceVersion", about.resource_version);
  set("fieldPath", about.field_path);
}

// Events of cluster-scoped objects are in "default".
std::string name_space_of(const ObjectReference& about) {
  return about.name_space.empty() ? "default" : about.name_space;
}

json::Document count_patch(const Occurrence& occurrence, const EventPlan& plan) {
  json::Document document({}, json::Value::object());
  const api::Edit patch(document);
  patch.set("count", plan.count);
  patch.set("lastTimestamp", format_time(occurrence.at));
  patch.set("message", plan.message);
  return document;
}

}  // namespace recorder

EventRecorder::EventRecorder(Client& client, Clock& clock, WorkerPool& pool,
                             const api::Resource& events, Source source)
    : client_(client, clock, stop_.get_token()),
      clock_(clock),
      pool_(pool),
      events_(events),
      source_(std::move(source)),
      dropped_(clock, recorder::kMostLines, recorder::kLinePeriod) {}

EventRecorder::~EventRecorder() {
  MutexLock lock(mutex_);
  closed_ = true;
  waiting_.clear();
  while (writing_) idle_.wait(mutex_);
}

void EventRecorder::record(const ObjectReference& about, std::string_view type,
                           std::string_view reason, std::string message) {
  {
    MutexLock lock(mutex_);
    if (closed_ || waiting_.size() >= recorder::kMaxWaiting) return;
    waiting_.push_back({.about = about,
                        .type = std::string(type),
                        .reason = std::string(reason),
                        .message = std::move(message),
                        .at = clock_.now()});
    if (std::exchange(writing_, true)) return;
  }
  // Not under the lock: a pool may run it synchronously.
  if (pool_.submit([this] { write_all(); })) return;
  // If the pool is full now, the next Event tries again.
  MutexLock lock(mutex_);
  writing_ = false;
  idle_.notify_all();
}

void EventRecorder::flush() {
  MutexLock lock(mutex_);
  while (writing_) idle_.wait(mutex_);
}

void EventRecorder::write_all() {
  mutex_.lock();
  while (!waiting_.empty()) {
    const Occurrence occurrence = std::move(waiting_.front());
    waiting_.pop_front();
    mutex_.unlock();
    if (const Result<void> written = write(occurrence); !written)
      tell(occurrence, written.status());
    mutex_.lock();
  }
  writing_ = false;
  idle_.notify_all();
  mutex_.unlock();
}

void EventRecorder::tell(const Occurrence& occurrence, const Status& why) {
  const auto omitted = dropped_.next();
  if (!omitted) return;
  recorder::kLog.info("event dropped",
                      {{"reason", occurrence.reason}, {"why", why}, {"omitted", *omitted}});
}

Result<void> EventRecorder::write(const Occurrence& occurrence) {
  const std::optional<EventPlan> plan = correlator_.plan(occurrence);
  if (!plan) return {};
  Place place{.resource = &events_,
              .name_space = recorder::name_space_of(occurrence.about),
              .name = plan->name,
              .subresource = {}};
  if (!plan->is_new()) {
    const Result<api::ObjectPtr> counted = client_.patch(
        place, api::PatchType::kStrategic, recorder::count_patch(occurrence, *plan), {});
    if (counted) return {};
    // Events expire: it is created again, with its count.
    if (!counted.is(Reason::kNotFound)) return counted.status();
  }
  TRY(client_.create(place, event_object(occurrence, *plan), {}));
  return {};
}

json::Document EventRecorder::event_object(const Occurrence& occurrence,
                                           const EventPlan& plan) const {
  json::Document document;
  document.root() = json::Value::object();
  const api::Edit event(document);
  event.set("kind", "Event");
  event.set("apiVersion", "v1");
  event.object("metadata").set("name", plan.name);
  event.object("metadata").set("namespace", recorder::name_space_of(occurrence.about));
  recorder::write_reference(occurrence.about, event.object("involvedObject"));
  event.set("reason", occurrence.reason);
  event.set("message", plan.message);
  event.object("source").set("component", source_.component);
  if (!source_.host.empty()) event.object("source").set("host", source_.host);
  event.set("firstTimestamp", format_time(plan.first));
  event.set("lastTimestamp", format_time(occurrence.at));
  event.set("count", plan.count);
  event.set("type", occurrence.type);
  event.set("reportingComponent", source_.component);
  event.set("reportingInstance", source_.host);
  return document;
}

}  // namespace proa::client
