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

// The shared informers of a component: one per resource, created on first use.
class Informers {
 public:
  // REQUIRES: all arguments outlive it; `client` may read every requested resource.
  Informers(Client& client, const api::Schema& schema, Clock& clock, Random& random)
      : client_(client), schema_(schema), clock_(clock), random_(random) {}

  // "apps", "replicasets": in the stored version. REQUIRES: the resource exists; a new one is
  // requested before start().
  Informer& of(std::string_view group, std::string_view resource);
  // With an index of that name; users of the same index share it.
  Informer& indexed(std::string_view group, std::string_view resource, std::string_view index,
                    IndexFunction function);

  // Runs them on the poller's thread.
  void join(Poller& poller);
  // Instead, for programs on one thread: informers that were notified or are due do what they can
  // without blocking.
  void poll();
  // A random half of them, whether notified or not.
  void poll_some(Random& random);
  bool synced() const;
  // False if `until` ends first.
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
  // In order of creation, which is deterministic.
  std::vector<std::unique_ptr<Shared>> informers_;
};

}  // namespace proa::client
