#pragma once

#include <functional>
#include <vector>

namespace proa::load {

// What was measured of two things in turns, so that a machine that is slow for a while is slow for
// both. Medians of the rounds.
struct InTurns {
  double first = 0;
  double second = 0;

  // Of the second to the first. That of medians: a ratio of one round tells mostly what happened to
  // the machine within the round.
  double ratio() const { return second / first; }
};

// Alternates which of the two begins.
InTurns measure_in_turns(int rounds, const std::function<double()>& first,
                         const std::function<double()>& second);

// Reorders the values. REQUIRES: there is one.
double median(std::vector<double>& values);

}  // namespace proa::load
