#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/threads/mutex.h"

namespace proa::http {

// Bytes of request bodies that are held in memory, from the first byte until the request has been
// handled.
struct BodyLimits {
  size_t total = 64 * 1024 * 1024;
  size_t per_payer = 32 * 1024 * 1024;
  size_t per_connection = 16 * 1024 * 1024;
  // Bodies that wait for others to be handled, with a small window each; more are refused.
  size_t waiting = 256;
};

// Shares out memory for request bodies. A body gets its whole share before more than the initial
// flow control window is read, else many half-read bodies would wait for each other. Bodies that
// find no room wait in order, but one that exhausted its connection or payer does not hold up
// others. Small bodies may use a part that large ones may not, so that they rarely wait.
// Thread-safe.
class BodyBudget : public std::enable_shared_from_this<BodyBudget> {
 public:
  // A connection's account; the members belong to the budget.
  struct Account {
    size_t used = 0;
  };

  // Who holds a body. The payer (a user) may be unknown: empty.
  struct Holder {
    std::shared_ptr<Account> connection;
    std::string payer;
  };

  // A part of the budget; returned when it is destroyed, on any thread.
  class Share {
   public:
    Share(std::shared_ptr<BodyBudget> budget, Holder holder, size_t bytes)
        : budget_(std::move(budget)), holder_(std::move(holder)), bytes_(bytes) {}
    ~Share() { budget_->give_back(holder_, bytes_); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    size_t bytes() const { return bytes_; }
    // For bodies of unknown length. False if there is no room. One thread only.
    bool grow(size_t bytes);

   private:
    const std::shared_ptr<BodyBudget> budget_;
    const Holder holder_;
    size_t bytes_;
  };
  using SharePtr = std::shared_ptr<Share>;
  // Called once, without a lock, on the thread that returned a share.
  using Granted = std::function<void(SharePtr)>;
  // Keeps a place in the queue.
  using Waiting = std::shared_ptr<const Granted>;

  struct Answer {
    SharePtr share;   // null: not now
    Waiting waiting;  // keep it; null: there is a share, or too many wait already
  };

  explicit BodyBudget(const BodyLimits& limits) : limits_(limits) {}

  // REQUIRES: `bytes` is within each limit for large bodies.
  Answer take(const Holder& holder, size_t bytes, Granted granted) EXCLUDES(mutex_);
  size_t used() const EXCLUDES(mutex_);

 private:
  struct Waiter {
    Holder holder;
    size_t bytes;
    std::weak_ptr<const Granted> granted;
  };
  using Grants = std::vector<std::pair<std::shared_ptr<const Granted>, SharePtr>>;

  bool fits(const Holder& holder, size_t bytes, size_t size) const REQUIRES(mutex_);
  void add(const Holder& holder, size_t bytes) REQUIRES(mutex_);
  bool is_full() REQUIRES(mutex_);
  bool grow(const Holder& holder, size_t bytes, size_t size) EXCLUDES(mutex_);
  void give_back(const Holder& holder, size_t bytes) EXCLUDES(mutex_);
  Grants grant() REQUIRES(mutex_);

  const BodyLimits limits_;
  mutable Mutex mutex_;
  size_t used_ GUARDED_BY(mutex_) = 0;
  std::unordered_map<std::string, size_t> by_payer_ GUARDED_BY(mutex_);
  std::list<Waiter> queue_ GUARDED_BY(mutex_);
};

}  // namespace proa::http
