#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "controllers/lifecycle/garbage/absent_owners.h"
#include "controllers/lifecycle/garbage/collected_resources.h"
#include "controllers/lifecycle/garbage/owner_graph.h"
#include "controllers/lifecycle/garbage/ownership.h"

namespace proa::controllers {

// The owners of an object, classified (upstream's classifyReferences).
struct ClassifiedOwners {
  size_t solid = 0;    // existing owners, and those of unknown kinds
  size_t waiting = 0;  // owners in foreground deletion, which wait for the object
  // Uids of owners that no longer count: the waiting ones and absent ones. Views into the object's
  // text.
  std::set<std::string_view> lost = {};
  // References to objects of other namespaces.
  std::vector<OwnerReference> misplaced = {};
  bool not_in_cache = false;  // an owner exists, but its cache does not contain it yet
  bool unwatched = false;     // an owner is of an unknown kind, or one without a watch
};

// Classifies owners. A cached owner is trusted: its deletion causes an event. Before an owner
// counts as absent, the server is asked.
class OwnerClassifier {
 public:
  // Everything outlives it.
  OwnerClassifier(const client::BoundedClient& client, const CollectedResources& resources,
                  const OwnerGraph& graph, AbsentOwners& absent)
      : client_(client), resources_(resources), graph_(graph), absent_(absent) {}

  Result<ClassifiedOwners> classify(const api::Object& object) const;

 private:
  Result<void> look_at(const api::Object& object, const OwnerReference& reference,
                       ClassifiedOwners& owners) const;
  // Counts the owner; returns whether it keeps the dependent.
  Result<bool> look_for(const CollectedResource& resource, const OwnerIdentity& owner,
                        ClassifiedOwners& owners) const;
  // Null if it does not exist.
  Result<api::ObjectPtr> find_owner(const CollectedResource& resource, const OwnerIdentity& owner,
                                    ClassifiedOwners& owners) const;

  const client::BoundedClient client_;
  const CollectedResources& resources_;
  const OwnerGraph& graph_;
  AbsentOwners& absent_;
};

}  // namespace proa::controllers
