#include "http/server/limits.h"

#include <algorithm>

#include "http/budgets/connection_count.h"

namespace proa::http {
namespace limits {

constexpr size_t kMega = 1024 * 1024;
// For the store, log files, and connections to nodes and webhooks.
constexpr size_t kReservedDescriptors = 256;
// An idle connection with TLS and HTTP/2 takes about this much memory.
constexpr size_t kBytesPerConnection = 48 * 1024;
// What the heads of a connection's open requests take, on average: some thirty watches, or a few
// requests with large tokens.
constexpr size_t kHeadsPerConnection = 96 * 1024;

size_t reserved_of(size_t descriptors) { return std::max(kReservedDescriptors, descriptors / 4); }

// The number of connections for which, with the spare ones, there are descriptors.
size_t connections_within(size_t descriptors) {
  const size_t reserved = reserved_of(descriptors);
  const size_t left = descriptors > reserved ? descriptors - reserved : descriptors / 4;
  const size_t spare = spare_connections(left);
  return left > spare ? left - spare : left / 2;
}

}  // namespace limits

ServerLimits limits_for(const Capacity& capacity, size_t share) {
  using limits::kMega;
  ServerLimits made;
  const size_t memory = capacity.memory / 8 * share;
  made.connections = std::max<size_t>(
      1, std::min({made.connections, limits::connections_within(capacity.descriptors) * share / 8,
                   memory / 4 / limits::kBytesPerConnection}));
  made.connections_per_address =
      std::min(made.connections_per_address, std::max<size_t>(1, made.connections / 4 * 3));
  made.silent_connections =
      std::min(made.silent_connections, std::max<size_t>(1, made.connections / 2));
  // Large bodies may use three quarters, and one must fit.
  made.bodies.total = std::clamp(memory / 8, 16 * kMega, 256 * kMega);
  made.bodies.per_payer = made.bodies.total / 2;
  made.bodies.per_connection = made.bodies.total / 2;
  // Each with its initial window: a quarter of the total.
  made.bodies.waiting = made.bodies.total / 4 / made.http2.stream_window;
  const size_t heads = std::min(memory / 64, made.connections * limits::kHeadsPerConnection);
  made.heads.total = std::clamp(heads, 16 * kMega, 512 * kMega);
  made.heads.unread = made.heads.total / 2;
  made.unsent_total = std::clamp(memory / 8, 32 * kMega, 1024 * kMega);
  made.unsent_per_connection = made.unsent_total / 4;
  return made;
}

size_t outgoing_connections_for(const Capacity& capacity) {
  const size_t most = std::max<size_t>(1, capacity.descriptors / 8);
  return std::min(limits::reserved_of(capacity.descriptors) / 8 * 3, most);
}

}  // namespace proa::http
