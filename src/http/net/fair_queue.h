#pragma once

#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

namespace proa::http {

// Who waits for something scarce, on behalf of whom (a peer's address). It is made so that a crowd
// delays itself more than others: addresses take turns, and one that was not waiting yet goes
// first; within an address it is the newest who goes first. In the order of arrival, everybody who
// comes after a burst would wait for all of it; so only the burst does. One thread only.
class FairQueue {
  struct Line;

 public:
  // One who waits, or not; leaves the queue when destroyed. REQUIRES: it is not moved.
  class Waiter {
   public:
    explicit Waiter(std::function<void()> turn) : turn_(std::move(turn)) {}
    ~Waiter() { leave(); }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

    bool waiting() const { return queue_ != nullptr; }
    void leave();

   private:
    friend class FairQueue;
    std::function<void()> turn_;
    FairQueue* queue_ = nullptr;
    std::list<Line>::iterator line_;
    std::list<Waiter*>::iterator place_;
  };

  // REQUIRES: the waiter is not waiting.
  void add(std::string_view address, Waiter& waiter);
  bool empty() const { return lines_.empty(); }
  // Calls whose turn it is, who may wait again, or be destroyed. REQUIRES: not empty.
  void call_next();

 private:
  struct Line {
    std::string address;
    std::list<Waiter*> waiters;  // the newest first; never empty
  };

  std::list<Line> lines_;  // in the order of their turns
  std::unordered_map<std::string_view, std::list<Line>::iterator> by_address_;
};

}  // namespace proa::http
