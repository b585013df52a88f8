#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/time.h"
#include "client/client.h"

namespace proa::client {

// The object of an Event (core/v1 ObjectReference).
struct ObjectReference {
  std::string api_version;
  std::string kind;
  std::string name_space;
  std::string name;
  std::string uid;
  std::string resource_version;
  std::string field_path;  // a part of it: "spec.containers{web}"

  // REQUIRES: the object has its kind set.
  static ObjectReference to(const api::Object& object);
};

// Something that a component reports.
struct Occurrence {
  ObjectReference about;
  std::string type;  // "Normal", "Warning"
  std::string reason;
  std::string message;
  Time at;
};

// The Event of an occurrence: a new one, or an existing one whose count is incremented.
struct EventPlan {
  std::string name;
  std::string message;
  Time first;
  int64_t count = 1;

  bool is_new() const { return count == 1; }
};

// Keeps Events from flooding the store, as upstream's correlator does: repeated events are counted,
// many different messages for one reason are combined, and an object with too many events is
// rate-limited. For one thread at a time; pure.
class Correlator {
 public:
  // Nullopt: dropped.
  std::optional<EventPlan> plan(const Occurrence& occurrence);
  size_t remembered() const { return series_.size(); }

 private:
  struct Bucket {
    double tokens;
    Time filled;
  };
  struct Group {
    std::unordered_set<std::string> messages;
    Time last;
  };
  struct Series {
    EventPlan plan;
    Time last;
  };

  bool take_token(const Occurrence& occurrence);
  // The occurrence's message, or one for several combined ones.
  std::string message_of(const Occurrence& occurrence, bool* combined);
  void forget_old(Time now);

  std::unordered_map<std::string, Bucket> buckets_;
  std::unordered_map<std::string, Group> groups_;
  std::unordered_map<std::string, Series> series_;
  Time named_{};  // after which the last Event was named
};

}  // namespace proa::client
