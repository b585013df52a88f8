#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "controllers/lifecycle/garbage/absent_owners.h"
#include "controllers/lifecycle/garbage/collected_resources.h"
#include "controllers/lifecycle/garbage/ownership.h"

namespace proa::controllers {

// How an object stands with those that it names as its owners.
struct Standing {
  size_t solid = 0;    // there, to stay; or of no known kind, so that nobody can tell
  size_t waiting = 0;  // there, deleted in the foreground: they wait for the object to go
  // Uids of those that hold the object no longer: the waiting ones, and those that are not there.
  // Views into the object's text.
  std::set<std::string_view> lost = {};
  // Of references that name an object of another namespace.
  std::vector<OwnerReference> misplaced = {};
  bool unheard = false;     // an owner is there, but its cache has not heard of it
  bool unfollowed = false;  // an owner is of a kind whose end nobody will tell of
};

// Finds that out. What a cache has is believed: if that is over, an event comes. What no cache has
// is asked for at the server, before anybody is deleted for the want of it.
class StandingCheck {
 public:
  // Everything outlives it.
  StandingCheck(client::Client& client, const CollectedResources& resources, AbsentOwners& absent)
      : client_(client), resources_(resources), absent_(absent) {}

  Result<Standing> check(const api::Object& object) const;

 private:
  Result<void> look_at(const api::Object& object, const OwnerReference& reference,
                       Standing& standing) const;
  // Counts the owner; whether it holds its dependent.
  Result<bool> look_for(const CollectedResource& resource, const OwnerIdentity& owner,
                        Standing& standing) const;
  // Null when it is not there.
  Result<api::ObjectPtr> find_owner(const CollectedResource& resource, const OwnerIdentity& owner,
                                    Standing& standing) const;

  client::Client& client_;
  const CollectedResources& resources_;
  AbsentOwners& absent_;
};

}  // namespace proa::controllers
