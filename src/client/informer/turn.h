#pragma once

#include <atomic>
#include <functional>

#include "base/clock.h"

namespace proa::client {

// Whether something that is polled wants to be: it was woken, or its time has come. For who runs
// many of them on one thread, and looks at all of them again and again.
class Turn {
 public:
  Turn() = default;
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  // For Pollable::on_work(). The turn outlives it.
  std::function<void()> waker() {
    return [this] { woken_.store(true, std::memory_order_release); };
  }

  bool wanted(Steady now) const { return woken() || due_ <= now; }
  // Something happened, and nobody has looked since.
  bool woken() const { return woken_.load(std::memory_order_acquire); }
  // When it is wanted at the latest, unless it is woken before.
  Steady due() const { return due_; }

  // Around a look: what happens during it asks for another one.
  void begin() { woken_.store(false, std::memory_order_release); }
  void end(Steady due) { due_ = due; }

 private:
  std::atomic<bool> woken_ = true;  // nobody has looked at all
  Steady due_ = Steady::max();
};

}  // namespace proa::client
