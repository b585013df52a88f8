#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/schema/schema.h"
#include "base/clock.h"
#include "base/random.h"
#include "client/informer/informer.h"
#include "client/informer/turn.h"

namespace proa::client {

// The caches that the parts of a component share: one for each resource, made when the first one
// asks for it.
class Informers {
 public:
  // Everything outlives it. `client` may read whatever is asked for.
  Informers(Client& client, const api::Schema& schema, Clock& clock, Random& random)
      : client_(client), schema_(schema), clock_(clock), random_(random) {}

  // "apps", "replicasets": of the version that is stored. REQUIRES: there is such a resource;
  // before start(), who asks for one that is new.
  Informer& of(std::string_view group, std::string_view resource);
  // With an index of that name; several who ask for the same one share it.
  Informer& indexed(std::string_view group, std::string_view resource, std::string_view index,
                    IndexFunction function);

  // Has them follow the server on the poller's thread.
  void join(Poller& poller);
  // Instead, for who runs everything on one thread: those that have heard of something, or whose
  // time has come, do what can be done without waiting.
  void poll();
  // Every other one, as chance has it, whether or not it has heard of anything.
  void poll_some(Random& random);
  bool synced() const;
  // False when `until` came first.
  bool wait_synced(const Until& until);

 private:
  struct Shared {
    const api::Resource* resource = nullptr;
    Turn turn;
    std::unique_ptr<Informer> informer;
    std::vector<std::string> indexes;
  };
  Shared& shared(std::string_view group, std::string_view resource);
  static void poll(Shared& shared);

  Client& client_;
  const api::Schema& schema_;
  Clock& clock_;
  Random& random_;
  // In the order in which they were asked for: always the same.
  std::vector<std::unique_ptr<Shared>> informers_;
};

}  // namespace proa::client
