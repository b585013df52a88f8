#pragma once

#include <cstdint>

// CPU time in Kubernetes' unit (millicores) and in the kernel's.

namespace proa::kubelet {

inline constexpr int64_t kMinShares = 2;             // the least that the kernel takes
inline constexpr int64_t kQuotaPeriod = 100 * 1000;  // microseconds, upstream's default

// For cgroups version 1 and CRI.
int64_t shares_of(int64_t milli_cpus);
// The millicores that such shares stand for; rounded up, as upstream does.
int64_t milli_of_shares(int64_t shares);
// Shares as a version 2 weight, as upstream converts them.
int64_t weight_of(int64_t shares);
// The reverse.
int64_t shares_of_weight(int64_t weight);
// Microseconds per period; zero: no limit.
int64_t quota_of(int64_t milli_cpus);

}  // namespace proa::kubelet
