#pragma once

#include <stop_token>

#include "base/clock.h"

namespace proa {

// How long a blocking call may wait: a deadline and a stop token. Every blocking call takes one.
struct Until {
  Steady deadline = Steady::max();
  std::stop_token stop;

  static Until after(const Clock& clock, Duration wait, std::stop_token stop = {}) {
    return {clock.steady() + wait, std::move(stop)};
  }
};

}  // namespace proa
