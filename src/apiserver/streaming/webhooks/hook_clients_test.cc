#include "apiserver/streaming/webhooks/hook_clients.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "api/schema/builtin.h"
#include "store/memory/memory_store.h"
#include "testkit/apiserver/put_object.h"
#include "testkit/apiserver/test_webhook.h"
#include "testkit/patience.h"

namespace proa::apiserver {
namespace {

constexpr std::chrono::seconds kPatience(20);

// A webhook that hangs until it is told to answer, and callers.
class HookClientsTest : public testing::Test {
 protected:
  std::unique_ptr<HookClients> make(const HookClients::Limits& limits) {
    return std::make_unique<HookClients>(
        HookClients::Context{.webhooks = environment_.context,
                             .objects = ObjectReader(*store_, api::builtin_schema())},
        limits);
  }
  HookConfig config(const std::string& path = "/hook") const {
    const client::Connection connection = webhook_.connection(path);
    return {.url = connection.server, .service = {}, .authority_pem = connection.authority_pem};
  }
  // Calls it from that many threads.
  void call(HookClients& hooks, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      callers_.emplace_back([this, &hooks] {
        const Result<Bytes> answer = hooks.post(config(), Bytes("{}"));
        if (answer) {
          ++answered_;
        } else if (answer.is(Reason::kTooManyRequests)) {
          ++refused_;
        } else {
          ++failed_;
        }
      });
    }
  }
  void answer_all() {
    webhook_.set_answer([](const TestWebhook::Asked&) { return TestWebhook::json("{}"); });
    webhook_.answer_held(TestWebhook::json("{}"));
  }
  static bool becomes(const std::function<bool()>& condition) {
    return testkit::holds_within(kPatience, condition);
  }

  TestWebhook webhook_{[](const TestWebhook::Asked&) { return std::nullopt; }};
  WebhookEnvironment environment_;
  std::unique_ptr<store::Store> store_ = store::make_memory_store(environment_.clock);
  std::atomic<size_t> answered_ = 0;
  std::atomic<size_t> refused_ = 0;
  std::atomic<size_t> failed_ = 0;
  std::vector<std::jthread> callers_;
};

TEST_F(HookClientsTest, ShowTheCredentialsOfTheCall) {
  webhook_.set_answer([](const TestWebhook::Asked&) { return TestWebhook::json("{}"); });
  const auto hooks = make({});
  HookConfig known = config();
  client::Connection user;
  user.token = "of-the-server";
  known.credentials = std::make_shared<const client::Connection>(user);
  EXPECT_TRUE(hooks->post(known, Bytes("{}")).ok());
  EXPECT_TRUE(hooks->post(config(), Bytes("{}")).ok());
  const std::vector<TestWebhook::Asked> asked = webhook_.asked();
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[0].head.headers.get("authorization"), "Bearer of-the-server");
  EXPECT_EQ(asked[1].head.headers.get("authorization"), "");
}

TEST_F(HookClientsTest, CallsWaitForTheirTurn) {
  const auto hooks = make({.calls_per_hook = 2, .queued_per_hook = 20, .calls = 100});
  call(*hooks, 12);
  ASSERT_TRUE(becomes([&] { return webhook_.count() == 2; }));
  EXPECT_EQ(answered_, 0U);
  answer_all();
  EXPECT_TRUE(becomes([&] { return answered_ == 12; }));
  EXPECT_EQ(webhook_.count(), 12U);
}

// What a name resolves to is checked, too: it could be this server itself.
TEST_F(HookClientsTest, ExternalNamesDoNotLeadToThisMachine) {
  testkit::put_object(*store_, api::builtin_schema(), "services",
                      R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"hook",)"
                      R"("namespace":"default"},"spec":{"type":"ExternalName",)"
                      R"("externalName":"localhost"}})");
  const auto hooks = make({.calls_per_hook = 1, .queued_per_hook = 1, .calls = 100});
  HookConfig config = this->config();
  const int64_t port = http::parse_url(config.url)->port;
  config.url = "https://hook.default.svc:" + std::to_string(port) + "/hook";
  config.service = {.name_space = "default", .name = "hook", .port = port};
  const Result<Bytes> answer = hooks->post(config, Bytes("{}"));
  ASSERT_FALSE(answer.ok());
  EXPECT_NE(answer.status().message().find("address not allowed"), std::string::npos)
      << answer.status().message();
  EXPECT_EQ(webhook_.count(), 0U);
}

// A burst of as many writes as the server works on at a time.
TEST_F(HookClientsTest, NoWriteOfABurstIsRefused) {
  const auto hooks = make(HookClients::for_admission());
  call(*hooks, 200);
  ASSERT_TRUE(becomes([&] { return webhook_.count() == 64; }));
  answer_all();
  EXPECT_TRUE(becomes([&] { return answered_ == 200; })) << answered_ << " " << failed_;
  EXPECT_EQ(refused_, 0U);
}

TEST_F(HookClientsTest, TooManyAreRefused) {
  const auto hooks = make({.calls_per_hook = 1, .queued_per_hook = 2, .calls = 100});
  call(*hooks, 5);
  EXPECT_TRUE(becomes([&] { return refused_ == 2; }));
  answer_all();
  EXPECT_TRUE(becomes([&] { return answered_ == 3; }));
}

TEST_F(HookClientsTest, TurnsComeWithinTheTimeout) {
  const auto hooks = make({.calls_per_hook = 1, .queued_per_hook = 1, .calls = 100});
  const auto first = hooks->begin(config(), Bytes("{}"), std::chrono::seconds(60)).value();
  ASSERT_TRUE(becomes([&] { return webhook_.count() == 1; }));
  const auto second = hooks->begin(config(), Bytes("{}"), std::chrono::seconds(10)).value();
  environment_.clock.advance(std::chrono::seconds(11));
  const Result<Bytes> late = second->wait();
  ASSERT_FALSE(late.ok());
  EXPECT_TRUE(late.is(Reason::kTimeout));
  EXPECT_NE(late.status().message().find("context deadline exceeded"), std::string::npos)
      << late.status().message();
  // What is left of its time is the webhook's.
  answer_all();
  EXPECT_TRUE(first->wait().ok());
  EXPECT_EQ(webhook_.count(), 1U);
}

// What metrics show of a webhook is not what this server made it wait for.
TEST_F(HookClientsTest, OnlyTheWebhooksOwnTimeCounts) {
  const auto hooks = make({.calls_per_hook = 1, .queued_per_hook = 1, .calls = 100});
  auto first = hooks->begin(config(), Bytes("{}"), std::chrono::seconds(60)).value();
  ASSERT_TRUE(becomes([&] { return webhook_.count() == 1; }));
  const auto second = hooks->begin(config(), Bytes("{}"), std::chrono::seconds(60)).value();
  environment_.clock.advance(std::chrono::seconds(10));
  answer_all();
  EXPECT_TRUE(first->wait().ok());
  EXPECT_EQ(first->took(), std::chrono::seconds(10));
  first.reset();
  EXPECT_TRUE(second->wait().ok());
  EXPECT_EQ(second->took(), std::chrono::seconds(0)) << "it waited ten for its turn";
}

TEST_F(HookClientsTest, AnswersThatWereNotWaitedForEndedEarlier) {
  answer_all();
  const std::unique_ptr<WebhookClient> client =
      WebhookClient::make(environment_.context, {.connection = webhook_.connection("/hook")})
          .value();
  WebhookClient::Call call = client->begin(Bytes("{}"));
  ASSERT_TRUE(becomes([&] { return call.has_ended(); }));
  environment_.clock.advance(std::chrono::seconds(10));
  EXPECT_TRUE(call.wait().ok());
  EXPECT_EQ(call.took(), std::chrono::seconds(0));
}

TEST_F(HookClientsTest, OthersAreNotKeptWaiting) {
  const auto hooks = make({.calls_per_hook = 1, .queued_per_hook = 10, .calls = 100});
  call(*hooks, 5);
  ASSERT_TRUE(becomes([&] { return webhook_.count() == 1; }));
  webhook_.set_answer([](const TestWebhook::Asked&) { return TestWebhook::json("{}"); });
  EXPECT_TRUE(hooks->post(config("/other"), Bytes("{}")).ok());
  answer_all();
  EXPECT_TRUE(becomes([&] { return answered_ == 5; }));
}

TEST_F(HookClientsTest, StoppingEndsThoseThatWait) {
  const auto hooks = make({.calls_per_hook = 1, .queued_per_hook = 10, .calls = 100});
  call(*hooks, 5);
  ASSERT_TRUE(becomes([&] { return webhook_.count() == 1; }));
  hooks->stop();
  EXPECT_TRUE(becomes([&] { return failed_ == 5; }));
  callers_.clear();
}

}  // namespace
}  // namespace proa::apiserver
