#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/schema/schema.h"
#include "base/clock.h"
#include "base/random.h"
#include "client/informer/informer.h"

namespace proa::controllers {

std::string orphans_of(std::string_view name_space);

// The caches that controllers share: one for each resource, made when the first one asks for it.
class Informers {
 public:
  // Everything outlives it. `client` may read whatever is asked for.
  Informers(client::Client& client, const api::Schema& schema, Clock& clock, Random& random)
      : client_(client), schema_(schema), clock_(clock), random_(random) {}

  // "apps", "replicasets": of the version that is preferred. REQUIRES: there is such a resource;
  // before start(), who asks for one that is new.
  client::Informer& of(std::string_view group, std::string_view resource);
  // Found under "controller": by the uid of the controller in its ownerReferences, or, without one,
  // by orphans_of() its namespace.
  client::Informer& by_controller(std::string_view group, std::string_view resource);
  // Pods, found under "node": by the name of the node that they are bound to.
  client::Informer& pods_by_node();
  // With an index of that name; several who ask for the same one share it.
  client::Informer& indexed(std::string_view group, std::string_view resource,
                            std::string_view index, client::IndexFunction function);

  // Has them follow the server on the poller's thread.
  void join(Poller& poller);
  // Instead, for who runs everything on one thread: does what can be done without waiting.
  void poll();
  // Every other one, as chance has it.
  void poll_some(Random& random);
  bool synced() const;
  // False when `until` came first.
  bool wait_synced(const Until& until);

 private:
  struct Shared {
    const api::Resource* resource;
    std::unique_ptr<client::Informer> informer;
    std::vector<std::string> indexes = {};
  };
  Shared& shared(std::string_view group, std::string_view resource);

  client::Client& client_;
  const api::Schema& schema_;
  Clock& clock_;
  Random& random_;
  std::vector<Shared> informers_;  // in the order in which they were asked for: always the same
};

}  // namespace proa::controllers
