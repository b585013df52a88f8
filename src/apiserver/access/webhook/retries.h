#pragma once

#include <optional>

#include "base/random.h"
#include "base/result.h"
#include "base/time.h"
#include "http/wire/message.h"

namespace proa::apiserver {

// Attempts per webhook request.
inline constexpr int kMaxWebhookAttempts = 5;

enum class WebhookRetries : uint8_t {
  kReviews,  // with back-off on 429, 500 and 504, and on any 5xx with Retry-After
  kAsTold,   // only where the answer has Retry-After
};

// Returns the delay before the next attempt after attempt number `attempts` ended with `outcome`;
// nullopt: no retry. Retries once immediately if there was no response: the server may have closed
// an idle connection.
std::optional<Duration> pause_before_retry(const Result<http::Response>& outcome, int attempts,
                                           Random& random,
                                           WebhookRetries when = WebhookRetries::kReviews);

}  // namespace proa::apiserver
