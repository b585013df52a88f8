#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "base/threads/mutex.h"
#include "base/time.h"

namespace proa::http {

// Counts connections, in total and by address. Thread-safe.
class ConnectionCount : public std::enable_shared_from_this<ConnectionCount> {
 public:
  // A counted connection; owned by its socket, so that it is counted as long as its descriptor.
  class Place {
   public:
    Place(std::shared_ptr<ConnectionCount> count, std::string address)
        : count_(std::move(count)), address_(std::move(address)) {}
    ~Place() { count_->remove(address_, served_); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    // It is a tunnel now: still a descriptor, but drains do not wait for it. One thread only.
    void left_server();

   private:
    const std::shared_ptr<ConnectionCount> count_;
    const std::string address_;
    bool served_ = true;
  };

  enum class Crowd : uint8_t { kNone, kAddress, kServer };
  struct Arrival {
    std::shared_ptr<Place> place;  // null: refused
    // What has reached its limit: another connection must be closed for this one.
    Crowd crowd = Crowd::kNone;
  };

  ConnectionCount(size_t most, size_t most_per_address)
      : most_(most), most_per_address_(most_per_address) {}

  // Connections at the limits are counted, too, so that others can be closed for them, but not
  // without bound: closing takes a moment. An empty address (unix sockets) has no limit of its own.
  Arrival add(const std::string& address) EXCLUDES(mutex_);
  bool is_full() const EXCLUDES(mutex_);
  size_t of_address(const std::string& address) const EXCLUDES(mutex_);
  // Without tunnels.
  size_t served() const EXCLUDES(mutex_);
  // Waits until no connection is served; false if the timeout passes first.
  bool wait_for_none(Duration timeout) EXCLUDES(mutex_);

 private:
  void remove(const std::string& address, bool served) EXCLUDES(mutex_);
  void served_less() REQUIRES(mutex_);

  const size_t most_;
  const size_t most_per_address_;
  mutable Mutex mutex_;
  CondVar changed_;
  size_t total_ GUARDED_BY(mutex_) = 0;
  size_t served_ GUARDED_BY(mutex_) = 0;
  std::unordered_map<std::string, size_t> by_address_ GUARDED_BY(mutex_);
};

// Connections beyond the limit while others are closed for them.
constexpr size_t spare_connections(size_t most) { return most / 8 + 8; }

}  // namespace proa::http
