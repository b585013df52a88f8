#include "apiserver/front/local/local_watch.h"

#include "custom/definition/definition.h"

#include "apiserver/objects/conversion.h"

namespace proa::apiserver {
namespace local_watch {

constexpr size_t kEventsAtOnce = 256;

client::EventType type_of(EventType type) {
  switch (type) {
    case EventType::kAdded:
      return client::EventType::kAdded;
    case EventType::kModified:
      return client::EventType::kModified;
    case EventType::kDeleted:
      return client::EventType::kDeleted;
    case EventType::kBookmark:
      break;
  }
  return client::EventType::kBookmark;
}

api::ObjectPtr bookmark(const api::Resource& resource, const WatchEvent& event) {
  std::string text = "{\"kind\":\"" + std::string(resource.type->name) + "\",\"apiVersion\":\"" +
                     std::string(resource.group_version()) +
                     "\",\"metadata\":{\"resourceVersion\":\"" +
                     std::to_string(event.revision.value) + "\"";
  if (event.initial_events_end) {
    text += R"(,"annotations":{"k8s.io/initial-events-end":"true"})";
  }
  return api::Object::make(text + "}}");
}

}  // namespace local_watch

struct LocalWatch::Wake {
  Mutex mutex;
  CondVar changed;
  bool called GUARDED_BY(mutex) = false;
  std::function<void()> listener GUARDED_BY(mutex);

  void call() EXCLUDES(mutex) {
    std::function<void()> tell;
    {
      MutexLock lock(mutex);
      called = true;
      changed.notify_all();
      tell = listener;
    }
    if (tell) tell();
  }
  void listen(std::function<void()> wake) EXCLUDES(mutex) {
    MutexLock lock(mutex);
    listener = std::move(wake);
  }
  void notify() EXCLUDES(mutex) {
    MutexLock lock(mutex);
    changed.notify_all();
  }
};

Result<std::unique_ptr<client::Watch>> LocalWatch::open(store::Store& store, Clock& clock,
                                                        const Request& request,
                                                        const ListOptions& options) {
  auto wake = std::make_shared<Wake>();
  std::unique_ptr<WatchCursor> cursor =
      TRY(WatchCursor::open(store, request, options, [wake] { wake->call(); }));
  return std::unique_ptr<client::Watch>(
      new LocalWatch(request, clock, std::move(wake), std::move(cursor)));
}

Result<std::vector<client::Event>> LocalWatch::translate(
    const std::vector<WatchEvent>& found) const {
  std::vector<client::Event> events;
  events.reserve(found.size());
  for (const WatchEvent& event : TRY(in_served_form(found, *resource_))) {
    events.push_back(
        {local_watch::type_of(event.type),
         event.object == nullptr ? local_watch::bookmark(*resource_, event) : event.object});
  }
  return events;
}

LocalWatch::LocalWatch(const Request& request, Clock& clock, std::shared_ptr<Wake> wake,
                       std::unique_ptr<WatchCursor> cursor)
    : resource_(request.resource),
      audit_(request.audit),
      clock_(clock),
      wake_(std::move(wake)),
      cursor_(std::move(cursor)) {
  if (!resource_->custom) return;
  replaced_ = custom::custom_resource(*resource_).definition().replaced();
  on_replaced_ = std::make_unique<std::stop_callback<std::function<void()>>>(
      replaced_, [wake = wake_] { wake->call(); });
}

LocalWatch::~LocalWatch() { wake_->listen(nullptr); }

bool LocalWatch::on_ready(std::function<void()> wake) {
  wake_->listen(std::move(wake));
  return true;
}

Result<std::vector<client::Event>> LocalWatch::next(const Until& until) {
  const std::stop_callback stopped(until.stop, [this] { wake_->notify(); });
  while (true) {
    // So that it is listed again, as it is defined now.
    if (replaced_.stop_requested())
      return Status(Reason::kExpired, "the definition of the resource has changed");
    {
      MutexLock lock(wake_->mutex);
      wake_->called = false;
    }
    const std::vector<WatchEvent> found = TRY(cursor_->next(local_watch::kEventsAtOnce));
    std::vector<client::Event> events = TRY(translate(found));
    if (!events.empty()) return events;
    if (!cursor_->has_begun()) continue;
    MutexLock lock(wake_->mutex);
    while (!wake_->called) {
      if (until.stop.stop_requested() || clock_.steady() >= until.deadline) return events;
      clock_.wait_until(wake_->changed, wake_->mutex, until.deadline);
    }
  }
}

}  // namespace proa::apiserver
