#pragma once

#include <optional>

#include "base/random.h"
#include "base/result.h"
#include "base/time.h"
#include "http/wire/message.h"

namespace proa::apiserver {

// How often a webhook is asked the same at most.
inline constexpr int kMostWebhookAttempts = 5;

// How long to wait before a webhook is asked once more, after the `attempts`-th time went like
// that; nullopt: it is not asked again. Servers that are in trouble (500, 504, 429), or that say
// when to come back, are asked with growing pauses. Where there was no answer, once more at once: a
// connection may have been closed by the server while it was idle.
std::optional<Duration> pause_before_retry(const Result<http::Response>& outcome, int attempts,
                                           Random& random);

}  // namespace proa::apiserver
