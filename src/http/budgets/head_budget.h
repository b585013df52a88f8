#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

namespace proa::http {

// Memory for the heads of open requests. HPACK makes a few bytes of a connection thousands of a
// head, so that neither the traffic nor the size of one head bounds them.
struct HeadLimits {
  size_t total = 64 * 1024 * 1024;
  size_t per_connection = 1024 * 1024;
  // Of requests whose whole response waits for its reader: beyond, the slowest are dropped.
  size_t unread = 32 * 1024 * 1024;
};

// Counts what the heads of open requests take; those beyond a limit are refused. The last quarter
// of the total is for connections that hold little. Thread-safe.
class HeadBudget : public std::enable_shared_from_this<HeadBudget> {
 public:
  // A connection's account; the member belongs to the budget.
  struct Account {
    std::atomic<size_t> used{0};
  };

  // A part of the budget; returned when it is destroyed, on any thread.
  class Share {
   public:
    Share(std::shared_ptr<HeadBudget> budget, std::shared_ptr<Account> account, size_t bytes)
        : budget_(std::move(budget)), account_(std::move(account)), bytes_(bytes) {}
    ~Share() { shrink(0); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    size_t bytes() const { return bytes_; }
    // Returns what is beyond `bytes`. One thread only.
    void shrink(size_t bytes);

   private:
    const std::shared_ptr<HeadBudget> budget_;
    const std::shared_ptr<Account> account_;
    size_t bytes_;
  };
  using SharePtr = std::unique_ptr<Share>;

  explicit HeadBudget(const HeadLimits& limits) : limits_(limits) {}

  // Null: there is no room.
  SharePtr take(const std::shared_ptr<Account>& account, size_t bytes);
  size_t used() const { return used_.load(std::memory_order_relaxed); }

  // A connection that holds no more than this may use the whole total.
  static constexpr size_t kLittle = 64 * 1024;

 private:
  const HeadLimits limits_;
  std::atomic<size_t> used_{0};
};

}  // namespace proa::http
