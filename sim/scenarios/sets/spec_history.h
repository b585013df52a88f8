#pragma once

#include <algorithm>
#include <map>

#include "api/object/object.h"

namespace proa::sim {

// The specs that users wrote, and which of them the controller may act on: the observed generation
// and all later ones.
template <typename Spec>
class SpecHistory {
 public:
  void wrote(const api::Object& object, Spec spec) {
    specs_.insert_or_assign(object.metadata().generation, std::move(spec));
  }
  // The observedGeneration at a check. Changes judged later happened after it.
  void saw(int64_t observed_generation) { observed_ = std::max(observed_, observed_generation); }

  // Whether `judge` holds for a spec that the controller may act on.
  template <typename Judge>
  bool may_act_on(const Judge& judge) const {
    // The spec of the observed generation may have been written with an earlier one.
    auto from = specs_.upper_bound(observed_);
    if (from != specs_.begin()) --from;
    return std::any_of(from, specs_.end(), [&](const auto& one) { return judge(one.second); });
  }

 private:
  std::map<int64_t, Spec> specs_;  // by generation
  int64_t observed_ = 0;
};

}  // namespace proa::sim
