#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "client/bounded_client.h"

namespace proa::client {

// The holder in a Lease.
struct LeaseRecord {
  std::string holder;  // empty: none
  int64_t duration_seconds = 0;
  std::string acquired;  // times as text
  std::string renewed;
  int64_t transitions = 0;

  bool operator==(const LeaseRecord&) const = default;
};

// The Lease with the leader's name. Its other fields are kept.
class LeaseLock {
 public:
  LeaseLock(const BoundedClient& client, Place place) : client_(client), place_(std::move(place)) {}

  // Reads it from the server. kNotFound if there is none.
  Result<LeaseRecord> read();
  Result<void> create(const LeaseRecord& record);
  // Only if it is unchanged since it was read or written here; else kConflict.
  Result<void> update(const LeaseRecord& record);

 private:
  const BoundedClient client_;
  const Place place_;
  api::ObjectPtr seen_;
};

}  // namespace proa::client
