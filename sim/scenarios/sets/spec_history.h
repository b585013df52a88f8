#pragma once

#include <algorithm>
#include <map>

#include "api/object/object.h"

namespace proa::sim {

// What users wrote into the spec of an object, and which of it the controller may still believe in:
// what it says it has seen, and all that came later.
template <typename Spec>
class SpecHistory {
 public:
  void wrote(const api::Object& object, Spec spec) {
    specs_.insert_or_assign(object.metadata().generation, std::move(spec));
  }
  // What its status said when somebody looked. What is judged happened later.
  void saw(int64_t observed_generation) { observed_ = std::max(observed_, observed_generation); }

  // Whether one of those that it may believe in is such that...
  template <typename Judge>
  bool may_believe(const Judge& judge) const {
    // That of the generation that was seen may have been written with an earlier one.
    auto from = specs_.upper_bound(observed_);
    if (from != specs_.begin()) --from;
    return std::any_of(from, specs_.end(), [&](const auto& one) { return judge(one.second); });
  }

 private:
  std::map<int64_t, Spec> specs_;  // by generation
  int64_t observed_ = 0;
};

}  // namespace proa::sim
