#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "client/bounded_client.h"

namespace proa::client {

// What a Lease says about who leads.
struct LeaseRecord {
  std::string holder;  // empty: nobody
  int64_t duration_seconds = 0;
  std::string acquired;  // times as they are written
  std::string renewed;
  int64_t transitions = 0;

  bool operator==(const LeaseRecord&) const = default;
};

// The Lease that candidates write their names into. Other fields of it are kept.
class LeaseLock {
 public:
  LeaseLock(const BoundedClient& client, Place place) : client_(client), place_(std::move(place)) {}

  // Reads it anew. kNotFound when there is none.
  Result<LeaseRecord> read();
  Result<void> create(const LeaseRecord& record);
  // Only if nobody has changed it since it was read or written here; else kConflict.
  Result<void> update(const LeaseRecord& record);

 private:
  const BoundedClient client_;
  const Place place_;
  api::ObjectPtr seen_;
};

}  // namespace proa::client
