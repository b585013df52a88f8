#pragma once

#include <memory>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/threads/mutex.h"
#include "controllers/lifecycle/garbage/collected_resources.h"
#include "controllers/lifecycle/garbage/ownership.h"

namespace proa::controllers {

// The graph of owners and dependents, updated from informers. Contains only objects with owners and
// owners themselves: about 120 bytes each, and 40 per reference; objects are shared with the
// caches. An owner may be in it that was never seen or is gone, as long as a reference names it.
//
// Every change returns the objects that must be reconciled because of it. Thread-safe.
class OwnerGraph {
 public:
  struct Member {
    CollectedResourcePtr resource = nullptr;
    api::ObjectPtr object = nullptr;
  };
  using Members = std::vector<Member>;

  // `resources` outlives it.
  explicit OwnerGraph(const CollectedResources& resources);
  ~OwnerGraph();
  OwnerGraph(const OwnerGraph&) = delete;
  OwnerGraph& operator=(const OwnerGraph&) = delete;

  // The object exists in this state. REQUIRES: the cache contains it.
  Members put(const CollectedResourcePtr& resource, const api::ObjectPtr& object) EXCLUDES(mutex_);
  // The object is deleted; returns its dependents, and owners that waited for it.
  Members remove(const api::Object& last) EXCLUDES(mutex_);
  // The same for an object that is not followed any more: it may exist or not.
  Members forget(const api::Object& last) EXCLUDES(mutex_);
  // All caches are synced; before that dependents are not reported, since their owners may not be
  // listed yet. Returns objects whose owners are missing.
  Members begin() EXCLUDES(mutex_);

  // By uid.
  bool has_dependents(std::string_view owner) const EXCLUDES(mutex_);
  Members dependents_of(std::string_view owner) const EXCLUDES(mutex_);
  // Whether an owner in foreground deletion still has to wait. Dependents that wait for it
  // themselves do not count: a cycle must be broken.
  bool is_blocked(std::string_view owner) const EXCLUDES(mutex_);
  // Whether an owner was seen, and then deleted. Unknown, that is false, without dependents.
  bool is_gone(std::string_view owner) const EXCLUDES(mutex_);
  size_t size() const EXCLUDES(mutex_);

 private:
  // A uid as a number.
  struct Id {
    uint64_t high = 0;
    uint64_t low = 0;
    bool operator==(const Id&) const = default;
  };
  struct IdHash {
    size_t operator()(const Id& id) const { return id.high ^ id.low; }  // random enough
  };
  struct Node;
  // An owner reference. Dependents of an owner form a linked list for constant-time removal.
  struct Edge {
    Node* owner = nullptr;
    Node* dependent = nullptr;
    Edge* previous = nullptr;
    Edge* next = nullptr;
    bool blocks = false;
  };
  struct Node {
    Id id = {};
    api::ObjectPtr object = nullptr;  // null: never seen, or deleted
    CollectedResourcePtr resource = nullptr;
    std::unique_ptr<Edge[]> owners = nullptr;
    uint32_t owner_count = 0;
    bool waiting = false;        // in foreground deletion
    bool gone = false;           // seen, then deleted
    Edge* dependents = nullptr;  // the first one
  };

  static Id id_of(std::string_view uid);
  static void tell_dependents(const Node& owner, Members& told);
  static void tell_waiting_owners(const Node& dependent, Members& told);
  bool means(const Edge& edge) const REQUIRES(mutex_);
  bool holds(const Edge& edge) const REQUIRES(mutex_);
  std::unordered_set<const Node*> waiting_for(const Node& node) const REQUIRES(mutex_);
  const Node* find(std::string_view uid) const REQUIRES(mutex_);
  Node& owner_node(const OwnerReference& reference, const Node& dependent) REQUIRES(mutex_);
  void link(Node& node) REQUIRES(mutex_);
  void unlink(Node& node) REQUIRES(mutex_);
  void drop_if_alone(Node& node) REQUIRES(mutex_);
  void become(Node& node, const CollectedResourcePtr& resource, const api::ObjectPtr& object,
              Members& told) REQUIRES(mutex_);
  Members drop(const api::Object& last, bool gone) EXCLUDES(mutex_);
  bool is_settled(const Node& dependent) const REQUIRES(mutex_);

  const CollectedResources& resources_;
  mutable Mutex mutex_;
  std::unordered_map<Id, Node, IdHash> nodes_ GUARDED_BY(mutex_);
  bool begun_ GUARDED_BY(mutex_) = false;
};

}  // namespace proa::controllers
