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

// What a call is about: an object, a collection, or a subresource of an object.
struct Place {
  const api::Resource* resource = nullptr;
  std::string name_space;   // empty: all of them, or a cluster's object
  std::string name;         // empty: the collection
  std::string subresource;  // "status"; empty: the object itself
};

// For messages and logs: "pods/status default/web".
std::string describe(const Place& place);

struct ListQuery {
  std::string label_selector;
  std::string field_selector;
  std::string resource_version;  // empty: now
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
  std::optional<std::string> uid;               // only this very object
  std::optional<std::string> resource_version;  // only this very state
  std::optional<api::Propagation> propagation;
  bool dry_run = false;
};

enum class EventType : uint8_t { kAdded, kModified, kDeleted, kBookmark };

struct Event {
  EventType type;
  api::ObjectPtr object;  // of a bookmark: only its resourceVersion means something
};

struct WatchQuery {
  std::string label_selector;
  std::string field_selector;
  std::string resource_version;
  // First everything that is there, then a bookmark with the annotation k8s.io/initial-events-end.
  bool send_initial_events = false;
};

// Changes as they happen. For one thread at a time.
class Watch {
 public:
  virtual ~Watch() = default;
  // The next ones, as many as are at hand; none when `until` came first. kExpired when the client
  // must list again; other failures when the watch broke off and may be tried again.
  virtual Result<std::vector<Event>> next(const Until& until) = 0;
  // From now on `wake` is called, on any thread, when next() may have something after it had
  // nothing. False where that is not known: somebody has to wait in next().
  virtual bool on_ready(std::function<void()> wake) {
    static_cast<void>(wake);
    return false;
  }
};

// The API as components see it, wherever it is: in this process or behind HTTPS. Blocking; from any
// thread that is not a loop's. A call ends at its `until`, with kTimeout. Objects are immutable and
// shared: in the process of the API server they are the very ones that it holds.
class Client {
 public:
  virtual ~Client() = default;

  virtual Result<api::ObjectPtr> get(const Place& place, const Until& until) = 0;
  virtual Result<ObjectList> list(const Place& place, const ListQuery& query,
                                  const Until& until) = 0;
  // `until` bounds the start of the watch, not the watch.
  virtual Result<std::unique_ptr<Watch>> watch(const Place& place, const WatchQuery& query,
                                               const Until& until) = 0;

  // The answer is the object as it is stored now; of subresources with a type of their own (scale,
  // binding, eviction), what they answer.
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
