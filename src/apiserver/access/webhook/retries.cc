#include "apiserver/access/webhook/retries.h"

#include <algorithm>

#include "base/strings.h"

namespace proa::apiserver {
namespace retries {

// As upstream's DefaultRetryBackoffWithInitialDelay: factor 1.5 with up to 20 % jitter.
constexpr Duration kInitialBackoff = std::chrono::milliseconds(500);
constexpr uint64_t kJitterParts = 1000;
// A longer Retry-After is capped, and exceeds the caller's deadline anyway.
constexpr int64_t kMaxRetryAfterSeconds = 3600;

Duration backoff(int attempts, Random& random) {
  Duration pause = kInitialBackoff;
  for (int i = 1; i < attempts; ++i) pause = pause * 3 / 2;
  const auto part = static_cast<int64_t>(random.below(kJitterParts));
  return pause + pause / 5 * part / static_cast<int64_t>(kJitterParts);
}

}  // namespace retries

std::optional<Duration> pause_before_retry(const Result<http::Response>& outcome, int attempts,
                                           Random& random, WebhookRetries when) {
  if (attempts >= kMaxWebhookAttempts) return std::nullopt;
  if (!outcome.ok()) {
    const bool lost = outcome.is(Reason::kServiceUnavailable);
    return lost && attempts == 1 ? std::optional(Duration(0)) : std::nullopt;
  }
  const int code = outcome->status;
  const std::optional<int64_t> retry_after = parse_int(outcome->headers.get("retry-after"));
  const bool has_retry_after = (code == 429 || code >= 500) && retry_after && *retry_after > 0;
  const bool repeats_anyway =
      when == WebhookRetries::kReviews && (code == 429 || code == 500 || code == 504);
  if (!repeats_anyway && !has_retry_after) return std::nullopt;
  const Duration pause = retries::backoff(attempts, random);
  if (!has_retry_after) return pause;
  const Duration wanted =
      std::chrono::seconds(std::min(*retry_after, retries::kMaxRetryAfterSeconds));
  return std::max(pause, wanted);
}

}  // namespace proa::apiserver
