#pragma once

#include <set>
#include <string>

#include "api/object/names.h"
#include "api/schema/schema.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/threads/poller.h"
#include "base/threads/pool.h"
#include "client/bounded_client.h"
#include "client/informer/informer.h"
#include "client/informer/runner.h"

namespace proa::network {

// Says in an annotation of this Node which ports that Services of type LoadBalancer want are used
// by programs here: these keep them, and the Services do not get this node's addresses. It looks
// when the wanted ports change. A port that was free then stays the Service's.
//
// Owned by the command that runs the node. Sockets are those of the network namespace of the thread
// that calls start().
class PortReporter final : private client::Reconciler {
 public:
  struct Context {
    client::Client& client;  // as the node
    const api::Schema& schema;
    Clock& clock;
    Random& random;
    WorkerPool& pool;
    api::NodeName node;
  };
  // REQUIRES: everything outlives it.
  explicit PortReporter(Context context);
  // Stops it.
  ~PortReporter() override;
  PortReporter(const PortReporter&) = delete;
  PortReporter& operator=(const PortReporter&) = delete;

  void start();
  void stop();

 private:
  Result<client::Again> reconcile(const client::Key& key) override;
  std::set<std::string> all_wanted() const;
  client::Place node() const;

  const Context context_;
  const client::BoundedClient client_;
  client::WorkQueue queue_;
  client::Informer services_;
  std::set<std::string> free_;  // of reconcile()
  client::Runner runner_;
  Poller poller_;  // last: its thread ends first
};

}  // namespace proa::network
