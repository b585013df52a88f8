#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/time.h"
#include "dns/forward/check_answer.h"
#include "dns/forward/forwarder.h"
#include "dns/forward/upstream/exchange.h"
#include "dns/forward/upstream/upstream_set.h"

namespace proa::dns {

// A client that waits for an answer.
struct Waiter {
  Query query;
  Forwarder::Reply reply;
};

// One question that upstreams are asked, for all clients that want to know it. For the forwarder's
// thread.
struct Flight {
  enum class Purpose : uint8_t { kClients, kHealthProbe, kLoopProbe };

  uint64_t id = 0;
  uint64_t hash = 0;
  Purpose purpose = Purpose::kClients;
  bool refresh = false;  // before clients need it
  // Began with a former configuration: its answer is for those who wait, and nobody else.
  bool outdated = false;
  Query query;  // what is asked, in lower case
  std::vector<Waiter> waiters = {};
  std::shared_ptr<UpstreamSet> zone = {};

  std::vector<uint8_t> order = {};  // of upstreams; probes have one
  size_t attempt = 0;               // how many were begun
  size_t current = 0;               // the upstream of the present attempt
  bool tcp = false;                 // the present attempt, and those after it
  bool edns = true;
  bool out_of_sockets = false;  // why the last attempt did not begin
  unsigned strangers = 0;       // messages that were not ours
  Sent sent = {};
  std::unique_ptr<Exchange> exchange = {};
  std::optional<Answer> failure = {};  // what an upstream said that could not answer

  Steady attempt_started = Steady::min();
  Steady attempt_deadline = Steady::max();
  Steady deadline = Steady::max();
  Steady stale_due = Steady::max();  // when clients get a stale answer; max: there is none
  Steady timer = Steady::max();      // as it is registered
};

}  // namespace proa::dns
