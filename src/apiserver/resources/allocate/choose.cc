#include "apiserver/resources/allocate/choose.h"

#include <algorithm>

namespace proa::apiserver {
namespace choose {

constexpr uint64_t kMinKept = 16;
// Random probes before all taken numbers are listed. A probe costs well under a microsecond; a
// half-empty range takes two, and only a range that is all but full takes all of them.
constexpr int kProbes = 1024;

// A uniformly random free number in [from, to). `taken` is sorted.
std::optional<uint64_t> pick(const std::vector<uint64_t>& taken, uint64_t from, uint64_t to,
                             Random& random) {
  const auto first = std::lower_bound(taken.begin(), taken.end(), from);
  const auto last = std::lower_bound(first, taken.end(), to);
  const uint64_t free = to - from - static_cast<uint64_t>(last - first);
  if (free == 0) return std::nullopt;
  uint64_t number = from + random.below(free);
  for (auto item = first; item != last && *item <= number; ++item) ++number;
  return number;
}

}  // namespace choose

uint64_t numbers_to_keep(uint64_t total, uint64_t part, uint64_t most) {
  if (total <= choose::kMinKept) return 0;
  return std::clamp(total / part, choose::kMinKept, most);
}

Result<std::optional<uint64_t>> choose_free(const NumberRange& range, const Taken& taken,
                                            Random& random) {
  const uint64_t kept = std::min(range.kept, range.size);
  if (range.size > kept) {
    for (int i = 0; i < choose::kProbes; ++i) {
      const uint64_t number = kept + random.below(range.size - kept);
      if (!TRY(taken.has(number))) return std::optional(number);
    }
  }
  std::vector<uint64_t> all = TRY(taken.all());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const auto found = choose::pick(all, kept, range.size, random);
  return found ? found : choose::pick(all, 0, kept, random);
}

}  // namespace proa::apiserver
