#include "apiserver/access/webhook/retries.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace {

using namespace std::chrono_literals;

http::Response answer(int code, const std::string& retry_after = "") {
  http::Response response;
  response.status = code;
  if (!retry_after.empty()) response.headers.add("retry-after", retry_after);
  return response;
}

TEST(WebhookRetries, AreForServersInTrouble) {
  struct Case {
    std::string name;
    int code;
    std::string retry_after;
    bool again;
  };
  const std::vector<Case> cases = {
      {"good", 200, "", false},
      {"a redirect", 302, "", false},
      {"not allowed", 403, "", false},
      {"a redirect that says when", 302, "1", false},
      {"an error", 500, "", true},
      {"a gateway's timeout", 504, "", true},
      {"too many", 429, "", true},
      {"unavailable", 503, "", false},
      {"unavailable, says when", 503, "1", true},
      {"says when, but it is no number", 503, "tomorrow", false},
      {"says when, in the past", 503, "-5", false},
  };
  SeededRandom random(1);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const auto pause = pause_before_retry(answer(c.code, c.retry_after), 1, random);
    EXPECT_EQ(pause.has_value(), c.again);
  }
}

TEST(WebhookRetries, OrOnlyWhereTheyAreAskedFor) {
  SeededRandom random(1);
  const auto pause = [&](int code, const std::string& retry_after) {
    return pause_before_retry(answer(code, retry_after), 1, random, WebhookRetries::kAsTold);
  };
  EXPECT_EQ(pause(500, ""), std::nullopt);
  EXPECT_EQ(pause(429, ""), std::nullopt);
  EXPECT_EQ(pause(503, "3"), 3s);
}

TEST(WebhookRetries, ComeAfterGrowingPausesAndEnd) {
  SeededRandom random(1);
  const Duration least[] = {500ms, 750ms, 1125ms, 1687500us};
  for (int attempts = 1; attempts < kMaxWebhookAttempts; ++attempts) {
    SCOPED_TRACE(attempts);
    const auto pause = pause_before_retry(answer(500), attempts, random);
    ASSERT_TRUE(pause.has_value());
    EXPECT_GE(*pause, least[attempts - 1]);
    EXPECT_LT(*pause, least[attempts - 1] * 6 / 5);
  }
  EXPECT_EQ(pause_before_retry(answer(500), kMaxWebhookAttempts, random), std::nullopt);
}

TEST(WebhookRetries, WaitAsLongAsTheServerSays) {
  SeededRandom random(1);
  EXPECT_EQ(pause_before_retry(answer(429, "7"), 1, random), 7s);
  EXPECT_EQ(pause_before_retry(answer(429, "9223372036854775807"), 1, random), 1h);
}

TEST(WebhookRetries, AskOnceMoreAtOnceWhereNobodyAnswered) {
  SeededRandom random(1);
  const Status gone(Reason::kServiceUnavailable, "closed by the peer");
  EXPECT_EQ(pause_before_retry(gone, 1, random), Duration(0));
  EXPECT_EQ(pause_before_retry(gone, 2, random), std::nullopt);
  const Status endless(Reason::kRequestEntityTooLarge, "the response is larger than 9 bytes");
  EXPECT_EQ(pause_before_retry(endless, 1, random), std::nullopt);
}

}  // namespace
}  // namespace proa::apiserver
