#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"

namespace proa::http {

class OutputLane;

// The bytes that a server buffers for peers that read slowly. Shared by its loops.
class OutputBudget : public std::enable_shared_from_this<OutputBudget> {
 public:
  explicit OutputBudget(size_t limit) : limit_(limit) {}

  // The lane of one more loop; `post` runs a task there. REQUIRES: no lane is in use yet.
  std::shared_ptr<OutputLane> add_lane(std::function<void(std::function<void()>)> post);
  size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  friend class OutputLane;
  struct Other {
    std::weak_ptr<OutputLane> lane;
    std::function<void(std::function<void()>)> post;
  };
  size_t excess() const;
  // Has every lane drop what it can.
  void press_all();

  const size_t limit_;
  std::atomic<size_t> bytes_{0};
  std::atomic<bool> pressing_{false};
  std::vector<Other> lanes_;
};

// One loop's part of the budget. While the budget is exceeded, those who have not made progress for
// the longest time are dropped. Loop thread only.
class OutputLane : public std::enable_shared_from_this<OutputLane> {
 public:
  // Something with unsent bytes: a stream, or a socket.
  class Holder {
   public:
    virtual ~Holder() { leave(); }
    virtual size_t unsent_bytes() const = 0;
    // Drops the unsent bytes and ends the response. It does not call back before it returns.
    virtual void drop_unsent() = 0;

   protected:
    Holder() = default;
    void leave();
    // The peer read something.
    void progressed();

   private:
    friend class OutputLane;
    std::shared_ptr<OutputLane> lane_;  // null: not listed
    std::list<Holder*>::iterator place_;
    size_t own_ = 0;
  };

  explicit OutputLane(std::shared_ptr<OutputBudget> budget) : budget_(std::move(budget)) {}

  // Counts bytes until the result and its copies are gone. Bytes that several holders share, such
  // as a watch event, count once.
  Bytes charge(Holder& holder, Bytes bytes);
  // Sets the number of bytes that are the holder's own.
  void set_own(Holder& holder, size_t bytes);

  // Unsent bytes up to this size are not worth counting.
  static constexpr size_t kFew = 32 * 1024;

 private:
  friend class OutputBudget;
  struct Charge;

  void list(Holder& holder);
  // Drops holders until the budget is kept; `spared` is being written to.
  void keep_within(const Holder* spared);
  // Returns the excess that is left.
  size_t drop_excess(const Holder* spared);

  const std::shared_ptr<OutputBudget> budget_;
  std::list<Holder*> holders_;  // those without progress for the longest time first
  std::unordered_map<const void*, std::weak_ptr<const Charge>> charges_;  // by owner of the bytes
};

}  // namespace proa::http
