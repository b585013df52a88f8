#include "in_turns.h"

#include <algorithm>
#include <cstddef>

namespace proa::load {

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

InTurns measure_in_turns(int rounds, const std::function<double()>& first,
                         const std::function<double()>& second) {
  std::vector<double> firsts;
  std::vector<double> seconds;
  for (int i = 0; i < rounds; ++i) {
    if (i % 2 == 0) firsts.push_back(first());
    seconds.push_back(second());
    if (i % 2 == 1) firsts.push_back(first());
  }
  return {median(firsts), median(seconds)};
}

}  // namespace proa::load
