#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/object.h"
#include "api/patch/patch.h"
#include "api/schema/resource.h"
#include "base/result.h"
#include "base/threads/deadline.h"
#include "json/value.h"

namespace proa::client {

// The target of a call: an object, a collection, or a subresource of an object.
struct Place {
  const api::Resource* resource = nullptr;
  std::string name_space;   // empty: all namespaces, or cluster-scoped
  std::string name;         // empty: the collection
  std::string subresource;  // "status"; empty: the object itself
};

// For messages and logs: "pods/status default/web".
std::string describe(const Place& place);

struct ListQuery {
  std::string label_selector;
  std::string field_selector;
  std::string resource_version;  // empty: current
  int64_t limit = 0;
  std::string continue_token;
};

struct ObjectList {
  std::vector<api::ObjectPtr> items;
  std::string resource_version;
  std::string continue_token;
};

struct WriteChoices {
  bool dry_run = false;
  std::string field_manager;
};

struct RemoveChoices {
  std::optional<int64_t> grace_seconds;
  std::optional<std::string> uid;               // precondition
  std::optional<std::string> resource_version;  // precondition
  std::optional<api::Propagation> propagation;
  bool dry_run = false;
};

enum class EventType : uint8_t { kAdded, kModified, kDeleted, kBookmark };

struct Event {
  EventType type;
  api::ObjectPtr object;  // of a bookmark: only its resourceVersion is meaningful
};

struct WatchQuery {
  std::string label_selector;
  std::string field_selector;
  std::string resource_version;
  // Sends all existing objects first, then a bookmark with the annotation
  // k8s.io/initial-events-end.
  bool send_initial_events = false;
};

// A stream of changes. Not thread-safe.
class Watch {
 public:
  virtual ~Watch() = default;
  // The next available events; empty if `until` ends first. Fails with kExpired if the client must
  // relist; with other errors if the watch broke and may be resumed.
  virtual Result<std::vector<Event>> next(const Until& until) = 0;
  // Sets `wake`, called on any thread when next() may have events after it had none. False if
  // notification is not supported: the caller has to block in next().
  virtual bool on_ready(std::function<void()> wake) {
    static_cast<void>(wake);
    return false;
  }
};

// The API as seen by components, in-process or over HTTPS. Blocking; thread-safe, but not for loop
// threads. A call ends at `until` with kTimeout. Objects are immutable and shared: in the API
// server's process they are those that the store holds.
class Client {
 public:
  virtual ~Client() = default;

  virtual Result<api::ObjectPtr> get(const Place& place, const Until& until) = 0;
  virtual Result<ObjectList> list(const Place& place, const ListQuery& query,
                                  const Until& until) = 0;
  // `until` bounds the start of the watch, not the watch.
  virtual Result<std::unique_ptr<Watch>> watch(const Place& place, const WatchQuery& query,
                                               const Until& until) = 0;

  // Writes return the stored object; for subresources with their own type (scale, binding,
  // eviction), the response.
  virtual Result<api::ObjectPtr> create(const Place& place, json::Document object,
                                        const WriteChoices& choices, const Until& until) = 0;
  virtual Result<api::ObjectPtr> update(const Place& place, json::Document object,
                                        const WriteChoices& choices, const Until& until) = 0;
  virtual Result<api::ObjectPtr> patch(const Place& place, api::PatchType type,
                                       json::Document patch, const WriteChoices& choices,
                                       const Until& until) = 0;
  virtual Result<void> remove(const Place& place, const RemoveChoices& choices,
                              const Until& until) = 0;
  virtual Result<void> remove_collection(const Place& place, const ListQuery& query,
                                         const RemoveChoices& choices, const Until& until) = 0;
};

}  // namespace proa::client
