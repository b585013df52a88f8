#include "scheduler/plugins/basic/untolerated.h"

#include <algorithm>

namespace proa::scheduler {

using kinds::pods::Taint;
using kinds::pods::Toleration;

bool is_tolerated(const Taint& taint, std::span<const Toleration> tolerations) {
  return std::any_of(tolerations.begin(), tolerations.end(),
                     [&](const Toleration& one) { return kinds::pods::tolerates(one, taint); });
}

const Taint* first_untolerated(std::span<const Taint> taints,
                               std::span<const Toleration> tolerations) {
  for (const Taint& taint : taints) {
    const bool keeps_away =
        taint.effect == kinds::pods::kNoSchedule || taint.effect == kinds::pods::kNoExecute;
    if (keeps_away && !is_tolerated(taint, tolerations)) return &taint;
  }
  return nullptr;
}

std::string describe(const Taint& taint) {
  std::string text = taint.key;
  if (!taint.value.empty()) text.append("=").append(taint.value);
  return text.append(":").append(taint.effect);
}

}  // namespace proa::scheduler
