#include "apiserver/access/webhook/retries.h"

#include <algorithm>

#include "base/strings.h"

namespace proa::apiserver {
namespace retries {

// As upstream's DefaultRetryBackoffWithInitialDelay has them: each pause is half as long again as
// the one before, and up to a fifth longer, so that not all come at the same time.
constexpr Duration kFirstPause = std::chrono::milliseconds(500);
constexpr uint64_t kJitterParts = 1000;
// Who wants to be left alone for longer gets no second question: the caller can't wait for that.
constexpr int64_t kLongestRetryAfter = 3600;

Duration growing_pause(int attempts, Random& random) {
  Duration pause = kFirstPause;
  for (int i = 1; i < attempts; ++i) pause = pause * 3 / 2;
  const auto part = static_cast<int64_t>(random.below(kJitterParts));
  return pause + pause / 5 * part / static_cast<int64_t>(kJitterParts);
}

}  // namespace retries

std::optional<Duration> pause_before_retry(const Result<http::Response>& outcome, int attempts,
                                           Random& random) {
  if (attempts >= kMostWebhookAttempts) return std::nullopt;
  if (!outcome.ok()) {
    const bool lost = outcome.is(Reason::kServiceUnavailable);
    return lost && attempts == 1 ? std::optional(Duration(0)) : std::nullopt;
  }
  const int code = outcome->status;
  const std::optional<int64_t> asked = parse_int(outcome->headers.get("retry-after"));
  const bool says_when = (code == 429 || code >= 500) && asked && *asked > 0;
  if (code != 429 && code != 500 && code != 504 && !says_when) return std::nullopt;
  const Duration pause = retries::growing_pause(attempts, random);
  if (!says_when) return pause;
  const Duration wanted = std::chrono::seconds(std::min(*asked, retries::kLongestRetryAfter));
  return std::max(pause, wanted);
}

}  // namespace proa::apiserver
