#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "api/object/object.h"
#include "apiserver/objects/selection.h"
#include "apiserver/request/options.h"
#include "apiserver/request/request.h"
#include "store/store.h"

namespace proa::apiserver {

enum class EventType : uint8_t { kAdded, kModified, kDeleted, kBookmark };

std::string_view event_type_name(EventType type);  // "ADDED"

struct WatchEvent {
  EventType type;
  api::ObjectPtr object;  // null for a bookmark
  store::Revision revision;
  bool initial_events_end = false;  // of a bookmark: all initial events have been sent
  bool served = false;              // the object has been brought into the form that is served
};

// The same events with objects in the version of the resource. May block where a webhook converts.
Result<std::vector<WatchEvent>> in_served_form(std::vector<WatchEvent> events,
                                               const api::Resource& resource);

struct ServedEvents {
  std::vector<WatchEvent> served;
  std::vector<WatchEvent> rest;   // as they are stored: the first could not be converted
  std::optional<Status> failure;  // why; nullopt: there is no rest
};
// The same for as many as can be converted, in their order.
ServedEvents serve_events(std::vector<WatchEvent> events, const api::Resource& resource);

// A client's position in the changes of a resource: initial events if requested, then changes.
// Buffers no changes. Not thread-safe; must be destroyed before the store.
class WatchCursor {
 public:
  // `wake` is called, on any thread, when next() has events after it returned none. Fails with
  // kExpired if the revision was compacted, and with kTimeout if it is in the future.
  static Result<std::unique_ptr<WatchCursor>> open(store::Store& store, const Request& request,
                                                   const ListOptions& options,
                                                   std::function<void()> wake);

  // Whether the watch begins with the objects that there are.
  static bool begins_with_objects(const ListOptions& options);

  // The next events, about `max` of them; empty if there are none, or if it has not begun and has
  // looked at enough objects for one call. Fails with kExpired if the client fell behind the
  // history.
  Result<std::vector<WatchEvent>> next(size_t max);
  // Whether there are no more initial events.
  bool has_begun() const { return initial_over_; }
  // All events up to this revision have been returned; used for bookmarks.
  store::Revision progress() const { return progress_; }

 private:
  WatchCursor(ResourcePtr resource, Selection selection)
      : resource_(std::move(resource)), selection_(std::move(selection)) {}
  Result<void> start(store::Store& store, const Request& request, const ListOptions& options,
                     std::function<void()> wake);
  void take_initial(size_t max, std::vector<WatchEvent>& events);
  void translate(store::Event event, std::vector<WatchEvent>& events) const;

  const ResourcePtr resource_;  // the selection refers to it
  const Selection selection_;
  std::unique_ptr<store::Watch> watch_;
  std::vector<store::EntryPtr> initial_;
  size_t initial_sent_ = 0;
  bool initial_over_ = true;
  bool announces_end_ = false;
  store::Revision progress_;
};

}  // namespace proa::apiserver
