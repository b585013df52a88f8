#pragma once

#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

namespace proa::http {

// A queue for a scarce resource, fair between peer addresses: addresses take turns, and one that
// was not waiting yet goes first; within an address, the newest waiter goes first. A burst thus
// delays mostly itself, while in order of arrival everybody after it would wait for all of it. One
// thread only.
class FairQueue {
  struct Line;

 public:
  // An entry, waiting or not; leaves the queue when destroyed. REQUIRES: it is not moved.
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
  // Calls the next waiter, which may wait again or be destroyed. REQUIRES: not empty.
  void call_next();

 private:
  struct Line {
    std::string address;
    std::list<Waiter*> waiters;  // newest first; never empty
  };

  std::list<Line> lines_;  // in the order of their turns
  std::unordered_map<std::string_view, std::list<Line>::iterator> by_address_;
};

}  // namespace proa::http
