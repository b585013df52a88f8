#include "apiserver/objects/watch_cursor.h"

#include <algorithm>

#include "apiserver/objects/conversion.h"
#include "apiserver/objects/keys.h"
#include "apiserver/objects/list.h"

namespace proa::apiserver {
namespace watch_cursor {

// About a millisecond: the caller may be a loop, which has other work, too.
constexpr size_t kLookedAtAtOnce = 512;

}  // namespace watch_cursor

std::string_view event_type_name(EventType type) {
  switch (type) {
    case EventType::kAdded:
      return "ADDED";
    case EventType::kModified:
      return "MODIFIED";
    case EventType::kDeleted:
      return "DELETED";
    case EventType::kBookmark:
      return "BOOKMARK";
  }
  return "ERROR";
}

Result<std::unique_ptr<WatchCursor>> WatchCursor::open(store::Store& store, const Request& request,
                                                       const ListOptions& options,
                                                       std::function<void()> wake) {
  Selection selection = TRY(Selection::make(*request.resource, options.labels, options.fields));
  std::unique_ptr<WatchCursor> cursor(new WatchCursor(request.resource, std::move(selection)));
  TRY(cursor->start(store, request, options, std::move(wake)));
  return cursor;
}

// As upstream, also without an explicit option if there is no revision.
bool WatchCursor::begins_with_objects(const ListOptions& options) {
  return options.send_initial_events.value_or(options.resource_version.find_first_not_of('0') ==
                                              std::string::npos);
}

Result<void> WatchCursor::start(store::Store& store, const Request& request,
                                const ListOptions& options, std::function<void()> wake) {
  std::string prefix = prefix_of(*request.resource, request.name_space);
  const std::string only =
      request.name.empty() ? selection_.only_name().value_or("") : request.name;
  const bool one_place = !request.resource->namespaced || !request.name_space.empty();
  const std::string only_key = one_place && !only.empty() ? prefix + only : "";
  const int64_t asked =
      options.resource_version.empty() ? 0 : TRY(parse_resource_version(options.resource_version));
  const bool initial = begins_with_objects(options);
  const store::Revision current = store.revision();
  if (asked > current.value && (initial || options.send_initial_events)) {
    return too_large_resource_version(asked, current.value);
  }
  store::Revision from{asked + 1};
  if (initial) {
    const store::RangeResult range =
        TRY(store.range({.keys = only_key.empty() ? store::KeyRange::prefix(prefix)
                                                  : store::KeyRange{only_key, only_key + '\0'}}));
    initial_ = range.entries;
    initial_over_ = false;
    announces_end_ = options.send_initial_events.value_or(false) && options.bookmarks;
    from = range.revision.next();
  } else if (asked == 0) {
    from = current.next();
  }
  progress_ = from.previous();
  if (!only_key.empty()) prefix = only_key;
  watch_ = TRY(store.watch({.prefix = std::move(prefix),
                            .exact = !only_key.empty(),
                            .from = from,
                            .wake = std::move(wake)}));
  return {};
}

Result<std::vector<WatchEvent>> in_served_form(std::vector<WatchEvent> events,
                                               const api::Resource& resource) {
  if (!may_be_converted(resource)) return events;
  std::vector<api::ObjectPtr> stored;
  for (const WatchEvent& event : events) {
    if (event.object != nullptr) stored.push_back(event.object);
  }
  std::vector<api::ObjectPtr> served = TRY(served_forms(stored, resource));
  size_t next = 0;
  for (WatchEvent& event : events) {
    if (event.object == nullptr) continue;
    event.object = std::move(served[next++]);
    event.served = true;
  }
  return events;
}

ServedEvents serve_events(std::vector<WatchEvent> events, const api::Resource& resource) {
  ServedEvents result;
  Result<std::vector<WatchEvent>> all = in_served_form(events, resource);
  if (all) {
    result.served = std::move(*all);
    return result;
  }
  if (events.size() == 1) {
    result.failure = all.status();
    result.rest = std::move(events);
    return result;
  }
  // Asked together, none is converted if one of them cannot be.
  auto next = events.begin();
  for (; next != events.end(); ++next) {
    Result<std::vector<WatchEvent>> one = in_served_form({*next}, resource);
    if (!one) {
      result.failure = one.status();
      break;
    }
    result.served.push_back(std::move(one->front()));
  }
  result.rest.assign(next, events.end());
  return result;
}

Result<std::vector<WatchEvent>> WatchCursor::next(size_t max) {
  std::vector<WatchEvent> events;
  if (!initial_over_) {
    take_initial(max, events);
    if (!events.empty() || !initial_over_) return events;
  }
  // Continues past events that do not match: `wake` is only called after the watch is drained.
  while (true) {
    store::WatchBatch batch = TRY(watch_->next(max));
    progress_ = std::max(progress_, batch.progress);
    for (store::Event& event : batch.events) translate(std::move(event), events);
    if (!events.empty() || batch.events.empty()) return events;
  }
}

void WatchCursor::take_initial(size_t max, std::vector<WatchEvent>& events) {
  const size_t end = std::min(initial_.size(), initial_sent_ + watch_cursor::kLookedAtAtOnce);
  while (initial_sent_ < end && events.size() < max) {
    store::EntryPtr entry = std::move(initial_[initial_sent_++]);
    if (!selection_.matches(object_in(*entry))) continue;
    const store::Revision revision = entry->mod_revision();
    events.push_back({EventType::kAdded, object_of(std::move(entry)), revision});
  }
  if (initial_sent_ < initial_.size()) return;
  initial_over_ = true;
  initial_ = {};
  if (announces_end_) events.push_back({EventType::kBookmark, nullptr, progress_, true});
}

void WatchCursor::translate(store::Event event, std::vector<WatchEvent>& events) const {
  const store::Revision revision = event.entry->mod_revision();
  const bool is = !event.entry->deleted() && selection_.matches(object_in(*event.entry));
  const bool was = event.previous != nullptr &&
                   (selection_.everything() || selection_.matches(object_in(*event.previous)));
  if (is) {
    events.push_back({was ? EventType::kModified : EventType::kAdded,
                      object_of(std::move(event.entry)), revision});
  } else if (was) {
    events.push_back({EventType::kDeleted, last_state(event), revision});
  }
}

}  // namespace proa::apiserver
