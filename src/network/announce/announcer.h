#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "api/object/names.h"
#include "api/schema/schema.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/threads/poller.h"
#include "client/bounded_client.h"
#include "client/informer/informer.h"
#include "network/announce/choose.h"
#include "network/announce/peers.h"
#include "network/announce/responder.h"

namespace proa::network {

// Announces the addresses of load balancers that are this node's: follows the Services, the nodes
// and their Leases, decides as all other nodes do, and answers for the addresses. Without such
// Services it watches for them, and does nothing else.
//
// While the API is away, it goes on as it was; an address that another node claims then is that
// node's. Owned by the command that runs the node. It has threads of its own, in the network
// namespace of the thread that calls start().
class Announcer {
 public:
  struct Context {
    client::Client& client;  // as the node
    const api::Schema& schema;
    Clock& clock;
    Random& random;
    api::NodeName node;
  };
  // REQUIRES: everything outlives it.
  explicit Announcer(Context context);
  // Stops it.
  ~Announcer();
  Announcer(const Announcer&) = delete;
  Announcer& operator=(const Announcer&) = delete;

  void start();
  // Other nodes take over at once.
  void stop();

 private:
  // What is followed only while there are addresses to announce.
  struct Surroundings {
    Surroundings(const Context& context, Announcer& announcer);
    client::Informer nodes;
    client::Informer slices;
    client::Informer leases;
    Poller poller;  // last: its thread ends first
  };
  // What other threads report.
  struct News {
    struct Renewal {
      std::string node;
      std::string time;  // empty: the Lease is deleted
      Steady seen{};
    };
    bool objects = false;
    bool broken = false;  // a link is gone
    std::vector<Renewal> renewals = {};
    std::set<IpAddress> claims = {};
  };

  void objects_changed() EXCLUDES(mutex_);
  void lease_changed(const client::Change& change) EXCLUDES(mutex_);
  News take_news(Steady due, const std::stop_token& stop) EXCLUDES(mutex_);
  void wake() EXCLUDES(mutex_);

  void run(const std::stop_token& stop);
  // Returns when it must be called again at the latest.
  Steady step(const News& news, const std::stop_token& stop);
  void read_news(const News& news);
  void rest();
  Result<void> renew();
  Result<void> create_lease(const std::string& now) const;
  void release_lease();
  void decide();
  // Brings the responders to what is announced.
  Result<void> apply();
  Result<std::map<bool, Responder::Link>> find_links() const;
  Result<Responder*> responder_on(const Responder::Link& link);
  client::Place lease() const;

  const Context context_;
  const client::BoundedClient client_;
  client::Informer services_;

  // Of the announcer's thread.
  std::unique_ptr<Surroundings> surroundings_;
  std::vector<AnnouncedAddress> addresses_;
  Peers peers_;
  AnnounceDecision decision_;
  std::set<IpAddress> yielded_;  // to nodes that claimed them while the API was away
  std::map<int, std::unique_ptr<Responder>> responders_;  // by link
  bool applied_ = true;
  Steady renew_due_{};
  bool has_lease_ = false;

  Mutex mutex_;
  CondVar changed_;
  News news_ GUARDED_BY(mutex_);
  bool woken_ GUARDED_BY(mutex_) = false;
  Poller poller_;
  std::jthread thread_;
};

}  // namespace proa::network
