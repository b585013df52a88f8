#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/process/memory.h"
#include "base/time.h"
#include "client/client.h"

namespace proa::crypto {
class SipHash;
}

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
// rate-limited. What it remembers are hashes with a key of its own: texts would take ten times the
// memory. For one thread at a time.
class Correlator {
 public:
  Correlator();
  ~Correlator();
  Correlator(const Correlator&) = delete;
  Correlator& operator=(const Correlator&) = delete;

  // Nullopt: dropped.
  std::optional<EventPlan> plan(const Occurrence& occurrence);
  size_t remembered() const { return series_.size(); }

 private:
  using Key = std::array<unsigned char, 16>;
  struct HashOfKey {
    size_t operator()(const Key& key) const;
  };
  // Apart: it stays while the objects that it is about come and go.
  template <typename T>
  using Map = std::unordered_map<Key, T, HashOfKey, std::equal_to<>,
                                 ApartAllocator<std::pair<const Key, T>>>;
  struct Bucket {
    double tokens;
    Time filled;
  };
  struct Group {
    std::vector<Key, ApartAllocator<Key>> messages;  // few
    Time last;
  };
  struct Series {
    Time named;  // the Event's name contains it
    Time first;
    Time last;
    int64_t count = 0;
  };

  Key key_of(const ObjectReference& about, std::initializer_list<std::string_view> more) const;
  bool take_token(const Occurrence& occurrence);
  // Whether it is one of many messages for one reason.
  bool is_one_of_many(const Occurrence& occurrence);
  void forget_old(Time now);

  const std::unique_ptr<const crypto::SipHash> keyed_hash_;  // copied for each key
  Map<Bucket> buckets_;
  Map<Group> groups_;
  Map<Series> series_;
  Time named_{};  // after which the last Event was named
};

}  // namespace proa::client
