#include "client/informer/reflector.h"

#include "base/log.h"
#include "base/strings.h"
#include "base/threads/guarded.h"
#include "json/text/scan.h"

namespace proa::client {
namespace reflector {

const Log kLog{"client"};

// The back-off of upstream's reflectors.
constexpr Backoff kBackoff{
    .first = std::chrono::milliseconds(800), .most = std::chrono::seconds(30), .jitter = 1.0};
// A watch that lasted this long was successful, even without events.
constexpr Duration kLongWatch = std::chrono::minutes(1);
constexpr int64_t kPage = 500;

bool ends_initial_events(const api::Object& bookmark) {
  const std::string_view metadata = json::Scan::find(bookmark.json(), "metadata");
  const std::string_view annotations = json::Scan::find(metadata, "annotations");
  return json::Scan::unquoted(json::Scan::find(annotations, "k8s.io/initial-events-end")) == "true";
}

// The server was restored to an older state: the observed revision does not exist.
bool is_ahead(const Status& status) {
  for (const StatusCause& cause : status.details().causes) {
    if (cause.reason == "ResourceVersionTooLarge") return true;
  }
  return false;
}

// Of this user, whatever is asked.
bool is_lack_of_rights(const Status& status) {
  return status.is(Reason::kUnauthorized) || status.is(Reason::kForbidden);
}

// Rejects the kind of request, not a transient failure.
bool is_refusal(const Status& status) {
  return status.code() >= 400 && status.code() < 500 && status.code() != 410 &&
         status.code() != 429 && !is_lack_of_rights(status);
}

std::string_view complaint(const Status& status) {
  if (status.is(Reason::kUnauthorized)) {
    return "the server does not accept our credentials, retrying";
  }
  if (status.is(Reason::kForbidden)) return "the server does not permit us to watch, retrying";
  return "list or watch failed, retrying";
}

}  // namespace reflector

Reflector::Reflector(Client& client, Clock& clock, Random& random, Selector selector, Cache& cache,
                     Handler handler)
    : client_(client, clock),
      clock_(clock),
      random_(random),
      selector_(std::move(selector)),
      cache_(cache),
      handler_(std::move(handler)) {}

bool Reflector::step(const Until& until) {
  bool worked = true;
  const Result<void> stepped = guarded([&] { worked = step_once(until); });
  if (!stepped) failed(stepped.status());
  return worked;
}

bool Reflector::step_once(const Until& until) {
  if (watch_ == nullptr) {
    if (clock_.steady() < not_before_) return false;
    if (const Result<void> opened = open(); !opened) failed(opened.status());
    return true;
  }
  const Result<std::vector<Event>> events = watch_->next(until);
  if (!events) {
    failed(events.status());
    return true;
  }
  for (const Event& event : *events) {
    delivered_ = true;
    const Event kept{event.type,
                     event.type == EventType::kBookmark ? event.object : slim(event.object)};
    if (initial_) {
      apply_initial(kept);
    } else {
      apply(kept);
    }
  }
  return !events->empty();
}

Result<void> Reflector::open() {
  delivered_ = false;
  opened_ = clock_.steady();
  if (resource_version_.empty()) {
    return start_ == Start::kStream ? open_stream() : list_and_watch();
  }
  return watch({.label_selector = selector_.labels,
                .field_selector = selector_.fields,
                .resource_version = resource_version_});
}

Result<void> Reflector::watch(const WatchQuery& query) {
  watch_ = TRY(client_.watch(selector_.place, query));
  notifies_ = wake_ && watch_->on_ready(wake_);
  return {};
}

Result<void> Reflector::open_stream() {
  initial_objects_.clear();
  TRY(watch({.label_selector = selector_.labels,
             .field_selector = selector_.fields,
             .resource_version = {},
             .send_initial_events = true}));
  initial_ = true;
  return {};
}

Result<void> Reflector::list_and_watch() {
  std::vector<api::ObjectPtr> objects = TRY(list_all());
  failures_ = 0;
  const std::vector<Change> changes = cache_.replace(std::move(objects));
  advance(resource_version_);
  tell_all(changes);
  synced_.store(true, std::memory_order_release);
  return open();
}

Result<std::vector<api::ObjectPtr>> Reflector::list_all() {
  ListQuery query{.label_selector = selector_.labels,
                  .field_selector = selector_.fields,
                  .limit = reflector::kPage};
  std::vector<api::ObjectPtr> objects;
  while (true) {
    Result<ObjectList> page = client_.list(selector_.place, query);
    if (page.is(Reason::kExpired) && query.limit > 0) {
      // The continue token expired before all pages were read: lists without pages.
      query.limit = 0;
      query.continue_token.clear();
      objects.clear();
      continue;
    }
    if (!page) return page.status();
    for (const api::ObjectPtr& object : page->items) objects.push_back(slim(object));
    if (page->continue_token.empty()) {
      resource_version_ = page->resource_version;
      return objects;
    }
    query.continue_token = page->continue_token;
  }
}

Result<std::vector<api::ObjectPtr>> Reflector::ask(const std::string& name_space) const {
  Place place = selector_.place;
  place.name_space = name_space;
  ObjectList all = TRY(client_.list(
      place, {.label_selector = selector_.labels, .field_selector = selector_.fields}));
  return std::move(all.items);
}

api::ObjectPtr Reflector::slim(const api::ObjectPtr& object) const {
  return selector_.slim ? selector_.slim(object) : object;
}

void Reflector::apply_initial(const Event& event) {
  switch (event.type) {
    case EventType::kAdded:
    case EventType::kModified:
      initial_objects_.insert_or_assign(Key::of(*event.object), event.object);
      return;
    case EventType::kDeleted:
      initial_objects_.erase(Key::of(*event.object));
      return;
    case EventType::kBookmark:
      if (!reflector::ends_initial_events(*event.object)) return;
      resource_version_ = event.object->metadata().resource_version;
      finish_initial();
  }
}

void Reflector::finish_initial() {
  std::vector<api::ObjectPtr> objects;
  objects.reserve(initial_objects_.size());
  for (auto& [key, object] : initial_objects_) objects.push_back(std::move(object));
  initial_objects_.clear();
  initial_ = false;
  failures_ = 0;
  const std::vector<Change> changes = cache_.replace(std::move(objects));
  advance(resource_version_);
  tell_all(changes);
  synced_.store(true, std::memory_order_release);
}

void Reflector::apply(const Event& event) {
  failures_ = 0;
  std::optional<Change> change;
  switch (event.type) {
    case EventType::kAdded:
    case EventType::kModified:
      change = cache_.put(event.object);
      break;
    case EventType::kDeleted:
      change = cache_.remove(Key::of(*event.object));
      // Its last state may be newer than the cached one.
      change->before = event.object;
      break;
    case EventType::kBookmark:
      break;
  }
  resource_version_ = event.object->metadata().resource_version;
  advance(resource_version_);
  if (change) tell(*change);
}

// Called before handlers: work that they start may read the cache's progress.
void Reflector::advance(std::string_view resource_version) {
  // resourceVersions of other servers may not be numbers; then progress is unknown.
  const std::optional<int64_t> number = parse_int(resource_version);
  if (number) progress_.store(*number, std::memory_order_release);
}

void Reflector::tell(const Change& change) const { handler_(change); }

void Reflector::tell_all(const std::vector<Change>& changes) const {
  for (const Change& change : changes) tell(change);
}

void Reflector::failed(const Status& status) {
  const bool lasted = clock_.steady() - opened_ >= reflector::kLongWatch;
  const bool did_its_work = !initial_ && (delivered_ || (watch_ != nullptr && lasted));
  watch_.reset();
  initial_ = false;
  initial_objects_.clear();
  const std::string_view resource = selector_.place.resource->name;
  if (status.is(Reason::kExpired) || reflector::is_ahead(status)) {
    reflector::kLog.info("watch expired, relisting", {{"resource", resource}, {"why", status}});
    resource_version_.clear();
    if (++failures_ == 1) return;  // at once
    not_before_ = clock_.steady() + reflector::kBackoff.after(failures_, random_);
    return;
  }
  if (resource_version_.empty() && start_ == Start::kStream && reflector::is_refusal(status)) {
    reflector::kLog.info("server does not support streaming lists, listing instead",
                         {{"resource", resource}, {"why", status}});
    start_ = Start::kList;
    return;  // at once
  }
  if (did_its_work) {
    failures_ = 0;
    reflector::kLog.debug("watch ended", {{"resource", resource}, {"why", status}});
    return;
  }
  reflector::kLog.warn(reflector::complaint(status), {{"resource", resource}, {"why", status}});
  ++failures_;
  not_before_ = clock_.steady() + reflector::kBackoff.after(failures_, random_);
}

}  // namespace proa::client
