#pragma once

#include <cstdint>

// Processor time as Kubernetes counts it (thousandths of a processor), and as the kernel does.

namespace proa::kubelet {

inline constexpr int64_t kMinShares = 2;             // the least that the kernel takes
inline constexpr int64_t kQuotaPeriod = 100 * 1000;  // microseconds, upstream's default

// Of cgroups version 1, and of CRI.
int64_t shares_of(int64_t milli_cpus);
// What such shares stand for; rounded up, as upstream does.
int64_t milli_of_shares(int64_t shares);
// The same amount in version 2, as upstream turns it.
int64_t weight_of(int64_t shares);
// And back.
int64_t shares_of_weight(int64_t weight);
// Microseconds in each period; zero: no bound.
int64_t quota_of(int64_t milli_cpus);

}  // namespace proa::kubelet
