#include "kubelet/host/cgroups/cpu_shares.h"

#include <algorithm>
#include <limits>

namespace proa::kubelet {
namespace cpu_shares {

constexpr int64_t kMaxShares = 262144;
constexpr int64_t kSharesOfOne = 1024;
constexpr int64_t kMinQuota = 1000;  // the kernel refuses less than a millisecond
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

}  // namespace cpu_shares

int64_t shares_of(int64_t milli_cpus) {
  // Beyond that it would not fit, and is more than the most anyway.
  if (milli_cpus > cpu_shares::kMost / cpu_shares::kSharesOfOne) return cpu_shares::kMaxShares;
  const int64_t shares = milli_cpus * cpu_shares::kSharesOfOne / 1000;
  return std::clamp(shares, kMinShares, cpu_shares::kMaxShares);
}

int64_t milli_of_shares(int64_t shares) {
  return shares < kMinShares
             ? 0
             : (shares * 1000 + cpu_shares::kSharesOfOne - 1) / cpu_shares::kSharesOfOne;
}

int64_t weight_of(int64_t shares) {
  if (shares >= cpu_shares::kMaxShares) return 10000;
  return 1 + (std::max(shares, kMinShares) - kMinShares) * 9999 / 262142;
}

int64_t shares_of_weight(int64_t weight) {
  return kMinShares + (std::max<int64_t>(weight, 1) - 1) * 262142 / 9999;
}

int64_t quota_of(int64_t milli_cpus) {
  if (milli_cpus <= 0) return 0;
  constexpr int64_t kForOne = kQuotaPeriod / 1000;
  if (milli_cpus > cpu_shares::kMost / kForOne) return 0;
  return std::max(milli_cpus * kForOne, cpu_shares::kMinQuota);
}

}  // namespace proa::kubelet
