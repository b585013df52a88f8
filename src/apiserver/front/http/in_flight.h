#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "apiserver/request/request.h"

namespace proa::apiserver {

// Upstream's --max-requests-inflight and --max-mutating-requests-inflight; 0: unlimited.
struct InFlightLimits {
  size_t read_only = 400;
  size_t mutating = 200;
  // Requests whose authentication waits for another server. Callers need no valid credentials.
  size_t authenticating = 400;
  // Requests of known callers whose authorization waits for another server.
  size_t deciding = 400;
};

// Counts the requests that are worked on, and limits them, as upstream's max-in-flight filter.
// Reads that are answered at once from memory need no place, nor do long-running requests.
// Thread-safe.
class InFlight : public std::enable_shared_from_this<InFlight> {
 public:
  enum class Kind : uint8_t { kReadOnly, kMutating, kAuthenticating, kDeciding };

  // The place of a request; given back on destruction.
  class Place {
   public:
    Place() = default;
    Place(std::shared_ptr<InFlight> in_flight, Kind kind)
        : in_flight_(std::move(in_flight)), kind_(kind) {}
    Place(Place&& other) noexcept
        : in_flight_(std::exchange(other.in_flight_, nullptr)), kind_(other.kind_) {}
    Place& operator=(Place&& other) noexcept {
      std::swap(in_flight_, other.in_flight_);
      std::swap(kind_, other.kind_);
      return *this;
    }
    ~Place() {
      if (in_flight_ != nullptr) in_flight_->counts_[static_cast<size_t>(kind_)] -= 1;
    }

    explicit operator bool() const { return in_flight_ != nullptr; }

   private:
    std::shared_ptr<InFlight> in_flight_;  // null: none
    Kind kind_ = Kind::kReadOnly;
  };

  explicit InFlight(const InFlightLimits& limits)
      : limits_{limits.read_only, limits.mutating, limits.authenticating, limits.deciding} {}

  // False if there is none for a request that is not exempt.
  bool has_place(Kind kind) const;
  // No place if the limit is reached, unless `exempt`.
  Place take(Kind kind, bool exempt);

 private:
  const std::array<size_t, 4> limits_;
  std::array<std::atomic<size_t>, 4> counts_{};
};

InFlight::Kind in_flight_kind(api::Verb verb);

// Requests that are never refused: those of system:masters, as upstream; and those without which
// leaders and nodes are lost, which upstream's default flow schemas let pass before others.
bool is_exempt(const Request& request);
bool is_master(const User& user);

}  // namespace proa::apiserver
