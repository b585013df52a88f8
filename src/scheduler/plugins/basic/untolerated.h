#pragma once

#include <span>

#include "kinds/core/placement/tolerations.h"

namespace proa::scheduler {

inline constexpr std::string_view kPreferNoSchedule = "PreferNoSchedule";

// Whether any of them tolerates the taint.
bool is_tolerated(const kinds::pods::Taint& taint,
                  std::span<const kinds::pods::Toleration> tolerations);
// The first taint that keeps pods with these tolerations away (NoSchedule, NoExecute); null when
// none does.
const kinds::pods::Taint* first_untolerated(std::span<const kinds::pods::Taint> taints,
                                            std::span<const kinds::pods::Toleration> tolerations);
// "dedicated=gpu:NoSchedule", as kubectl writes taints.
std::string describe(const kinds::pods::Taint& taint);

}  // namespace proa::scheduler
