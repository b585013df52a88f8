#pragma once

#include <functional>
#include <span>

#include "dns/message/query.h"

namespace proa::dns {

// Who answers what is not a name of the cluster: the cache, and the servers behind it. The seam
// between the listeners and the world outside; all functions are called from any thread.
//
// A response is a whole message for that query: with its id, its question byte for byte (clients
// mix upper and lower case against spoofing), an OPT record if the client sent one, at most
// `query.limit()` bytes, and marked as truncated where that was too few.
class Forwarder {
 public:
  virtual ~Forwarder() = default;

  // What the cache has: writes the response and returns its size; 0 if somebody must be asked.
  // Neither waits nor allocates. REQUIRES: `response` holds query.limit() bytes.
  virtual size_t cached(const Query& query, std::span<uint8_t> response) = 0;

  // Asks the servers. `reply` is called exactly once, with SERVFAIL if none answers in time:
  // before ask() returns, or later on a thread of the forwarder; it does not wait. After the
  // forwarder was stopped there are no more calls.
  using Reply = std::function<void(ByteSpan response)>;
  virtual void ask(const Query& query, Reply reply) = 0;
};

}  // namespace proa::dns
