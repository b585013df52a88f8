#include "apiserver/front/audit/backends/webhook_backend.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "testkit/apiserver/test_webhook.h"

namespace proa::apiserver::audit {
namespace {

using namespace std::chrono_literals;
using Asked = TestWebhook::Asked;

TEST(WebhookBackend, PostsAList) {
  WebhookEnvironment around;
  TestWebhook hook([](const Asked&) { return TestWebhook::json("{}"); });
  const auto backend =
      WebhookBackend::make(around.context, {.connection = hook.connection("/events")}).value();
  const std::vector<std::string> texts = {R"({"level":"Metadata"})", R"({"level":"Request"})"};
  ASSERT_TRUE(backend->write(texts).ok());
  const std::vector<Asked> asked = hook.asked();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].head.method, "POST");
  EXPECT_TRUE(asked[0].head.target.starts_with("/events"));
  EXPECT_EQ(
      asked[0].body,
      R"({"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[{"level":"Metadata"},{"level":"Request"}]})"
      "\n");
}

TEST(WebhookBackend, ASuccessNeedsNoBody) {
  for (const int code : {200, 201, 204}) {
    SCOPED_TRACE(code);
    WebhookEnvironment around;
    TestWebhook hook([&](const Asked&) { return http::Response{code, {}, {}, {}}; });
    const auto backend =
        WebhookBackend::make(around.context, {.connection = hook.connection()}).value();
    const std::vector<std::string> texts = {"{}"};
    backend->hurry();  // no pause if it were tried again
    const Result<void> written = backend->write(texts);
    EXPECT_TRUE(written.ok()) << written.status().message();
    EXPECT_EQ(hook.count(), 1u);
  }
}

TEST(WebhookBackend, TriesAgainAfterAnyFailure) {
  WebhookEnvironment around;
  std::atomic<int> left = 2;
  TestWebhook hook([&](const Asked&) { return TestWebhook::json("{}", left-- > 0 ? 404 : 200); });
  const auto backend = WebhookBackend::make(around.context, {.connection = hook.connection(),
                                                             .initial_backoff = 100us})
                           .value();
  const std::vector<std::string> texts = {"{}"};
  std::atomic<bool> done = false;
  Result<void> written;
  {
    const std::jthread writing([&] {
      written = backend->write(texts);
      done = true;
    });
    while (!done) around.clock.advance(1us);
  }
  EXPECT_TRUE(written.ok()) << written.status().message();
  EXPECT_EQ(hook.count(), 3u);
}

TEST(WebhookBackend, GivesUpAfterFiveAttempts) {
  WebhookEnvironment around;
  TestWebhook hook([](const Asked&) { return TestWebhook::json("{}", 503); });
  const auto backend = WebhookBackend::make(around.context, {.connection = hook.connection(),
                                                             .initial_backoff = 100us})
                           .value();
  const std::vector<std::string> texts = {"{}"};
  std::atomic<bool> done = false;
  Result<void> written;
  {
    const std::jthread writing([&] {
      written = backend->write(texts);
      done = true;
    });
    while (!done) around.clock.advance(1us);
  }
  EXPECT_FALSE(written.ok());
  EXPECT_EQ(hook.count(), 5u);
}

TEST(WebhookBackend, DoesNotTryAgainWhenTheServerStops) {
  WebhookEnvironment around;
  TestWebhook hook([](const Asked&) { return TestWebhook::json("{}", 500); });
  const auto backend =
      WebhookBackend::make(around.context, {.connection = hook.connection()}).value();
  const std::vector<std::string> texts = {R"({"secret":"canary-token"})"};
  backend->hurry();
  const Result<void> written = backend->write(texts);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.status().message().find("canary"), std::string::npos);
  EXPECT_EQ(hook.count(), 1u);
}

}  // namespace
}  // namespace proa::apiserver::audit
