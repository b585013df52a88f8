#include "apiserver/access/webhook/webhook_client.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "testkit/apiserver/test_webhook.h"

namespace proa::apiserver {
namespace {

using namespace std::chrono_literals;
using Asked = TestWebhook::Asked;

constexpr std::string_view kQuestion = R"({"secret":"canary-token"})";

std::unique_ptr<WebhookClient> client_of(const WebhookEnvironment& around,
                                         client::Connection connection, Duration timeout = 30s) {
  return WebhookClient::make(around.context,
                             {.connection = std::move(connection), .timeout = timeout})
      .value();
}

Result<Bytes> ask(WebhookClient& client) { return client.post(Bytes::of_static(kQuestion)); }

TEST(WebhookClient, PostsJsonAndReturnsTheAnswer) {
  WebhookEnvironment around;
  TestWebhook hook([](const Asked&) { return TestWebhook::json(R"({"good":true})"); });
  client::Connection connection = hook.connection("/a/path?query=1");
  connection.certificate = TestCertificates::get().client;
  connection.token = "of-the-server";
  connection.impersonation = {{"impersonate-user", "ann"}};
  const auto client = client_of(around, connection);
  const Result<Bytes> answer = ask(*client);
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  EXPECT_EQ(answer->view(), R"({"good":true})");
  const std::vector<Asked> asked = hook.asked();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].head.method, "POST");
  EXPECT_EQ(asked[0].head.target, "/a/path?timeout=30s");
  EXPECT_EQ(asked[0].head.headers.get("content-type"), "application/json");
  EXPECT_EQ(asked[0].head.headers.get("user-agent"), "proa");
  EXPECT_EQ(asked[0].head.headers.get("authorization"), "Bearer of-the-server");
  EXPECT_EQ(asked[0].head.headers.get("impersonate-user"), "ann");
  EXPECT_EQ(asked[0].body, kQuestion);
  EXPECT_TRUE(asked[0].showed_certificate);
}

TEST(WebhookClient, ReadsItsTokenFromAFileEachTime) {
  WebhookEnvironment around;
  TestWebhook hook([](const Asked&) { return TestWebhook::json("{}"); });
  client::Connection connection = hook.connection();
  connection.token_file = testing::TempDir() + "/webhook_client_token";
  ASSERT_TRUE(around.files.write_file_atomic(connection.token_file, "first\n", 0600).ok());
  const auto client = client_of(around, connection);
  ASSERT_TRUE(ask(*client).ok());
  ASSERT_TRUE(around.files.write_file_atomic(connection.token_file, "second", 0600).ok());
  ASSERT_TRUE(ask(*client).ok());
  EXPECT_EQ(hook.asked()[0].head.headers.get("authorization"), "Bearer first");
  EXPECT_EQ(hook.asked()[1].head.headers.get("authorization"), "Bearer second");
  ASSERT_TRUE(around.files.remove(connection.token_file).ok());
  EXPECT_FALSE(ask(*client).ok());
  EXPECT_EQ(hook.count(), 2u);
}

TEST(WebhookClient, DoesNotFollowRedirects) {
  WebhookEnvironment around;
  TestWebhook target([](const Asked&) { return TestWebhook::json("{}"); });
  for (const int code : {301, 302, 303, 307, 308}) {
    SCOPED_TRACE(code);
    TestWebhook hook([&](const Asked&) {
      return http::Response{code, {{"location", target.connection().server}}, {}, {}};
    });
    const auto client = client_of(around, hook.connection());
    const Result<Bytes> answer = ask(*client);
    ASSERT_FALSE(answer.ok());
    EXPECT_TRUE(answer.status().message().ends_with("redirects are not followed"))
        << answer.status().message();
    EXPECT_EQ(hook.count(), 1u);
  }
  EXPECT_EQ(target.count(), 0u);
}

TEST(WebhookClient, ReadsNoMoreThanItsLimit) {
  WebhookEnvironment around;
  TestWebhook hook([](const Asked&) { return TestWebhook::json(std::string(100'000, ' ')); });
  const auto client =
      WebhookClient::make(around.context, {.connection = hook.connection(), .answer_limit = 99'999})
          .value();
  EXPECT_TRUE(ask(*client).is(Reason::kRequestEntityTooLarge));
  EXPECT_EQ(hook.count(), 1u);
}

TEST(WebhookClient, GivesUpWhenTheTimeIsOver) {
  WebhookEnvironment around;
  TestWebhook hook([](const Asked&) { return std::nullopt; });
  const auto client = client_of(around, hook.connection());
  std::optional<Result<Bytes>> answer;
  {
    const std::jthread asking([&] { answer = ask(*client); });
    around.clock.await_waiters(1);
    around.clock.advance(30s);
  }
  EXPECT_TRUE(answer->is(Reason::kTimeout)) << answer->status().message();
}

TEST(WebhookClient, StopsWaitingWhenItIsTold) {
  WebhookEnvironment around;
  TestWebhook hook([](const Asked&) { return std::nullopt; });
  const auto client = client_of(around, hook.connection());
  std::optional<Result<Bytes>> answer;
  {
    const std::jthread asking([&] { answer = ask(*client); });
    around.clock.await_waiters(1);
    client->stop();
  }
  EXPECT_FALSE(answer->ok());
  EXPECT_FALSE(ask(*client).ok());
}

TEST(WebhookClient, TrustsNobodyElse) {
  WebhookEnvironment around;
  TestWebhook hook([](const Asked&) { return TestWebhook::json("{}"); });
  client::Connection connection = hook.connection();
  connection.authority_pem.clear();  // the system's roots
  EXPECT_FALSE(ask(*client_of(around, connection)).ok());
  connection = hook.connection();
  connection.server_name = "another.example";
  EXPECT_FALSE(ask(*client_of(around, connection)).ok());
  EXPECT_EQ(hook.count(), 0u);
  connection.authority_pem = "no certificate";
  EXPECT_FALSE(WebhookClient::make(around.context, {.connection = connection}).ok());
}

TEST(WebhookClient, SaysWhichAuthorityDidNotSign) {
  WebhookEnvironment around;
  TestWebhook hook([](const Asked&) { return TestWebhook::json("{}"); });
  client::Connection connection = hook.connection();
  connection.authority_pem = TestCertificates::get().client.certificate_pem;
  const auto client =
      WebhookClient::make(around.context, {.connection = connection, .authority_field = "caBundle"})
          .value();
  const std::string message = ask(*client).status().message();
  EXPECT_TRUE(message.ends_with(" (not signed by the caBundle)")) << message;
}

TEST(WebhookClient, AsksAgainWhileTheServerIsInTrouble) {
  WebhookEnvironment around;
  std::atomic<int> left = 3;
  TestWebhook hook([&](const Asked&) {
    return left-- > 0 ? TestWebhook::json("{}", 500) : TestWebhook::json(R"({"at":"last"})");
  });
  const auto client = client_of(around, hook.connection(), 24h);
  std::optional<Result<Bytes>> answer;
  std::atomic<bool> done = false;
  {
    const std::jthread asking([&] {
      answer = ask(*client);
      done = true;
    });
    while (!done) around.clock.advance(1ms);
  }
  ASSERT_TRUE(answer->ok()) << answer->status().message();
  EXPECT_EQ(hook.count(), 4u);
}

TEST(WebhookClient, RepeatsAStatusOnlyIfItMay) {
  WebhookEnvironment around;
  TestWebhook hook([](const Asked&) {
    return TestWebhook::json(R"({"kind":"Status","status":"Failure","message":"canary"})", 400);
  });
  const auto message = [&](bool repeats_status) {
    const auto client = WebhookClient::make(around.context, {.connection = hook.connection(),
                                                             .repeats_status = repeats_status})
                            .value();
    return ask(*client).status().message();
  };
  EXPECT_EQ(message(true), "canary");
  EXPECT_EQ(message(false).find("canary"), std::string::npos);
}

TEST(WebhookClient, RepeatsTheTextOfAFailureOnlyIfItMay) {
  WebhookEnvironment around;
  std::string type = "text/plain";
  TestWebhook hook([&](const Asked&) {
    http::Response answer = TestWebhook::json("canary " + std::string(5000, 'x') + "\n", 403);
    answer.headers.set("content-type", type);
    return answer;
  });
  const auto message = [&](bool repeats_status) {
    const auto client = WebhookClient::make(around.context, {.connection = hook.connection(),
                                                             .repeats_status = repeats_status})
                            .value();
    return ask(*client).status().message();
  };
  EXPECT_TRUE(message(true).starts_with("canary xxx"));
  EXPECT_LT(message(true).size(), 2300u);
  EXPECT_EQ(message(false).find("canary"), std::string::npos);
  type = "application/json";
  EXPECT_EQ(message(true), "unknown");
}

TEST(WebhookClient, AnEmptyAnswerIsNone) {
  WebhookEnvironment around;
  TestWebhook hook([](const Asked&) {
    return http::Response{200, {{"content-type", "text/html"}}, {}, {}};
  });
  const auto client = client_of(around, hook.connection());
  EXPECT_EQ(ask(*client).status().message(),
            "0-length response with status code: 200 and content type: text/html");
}

TEST(WebhookClient, SaysNothingOfWhatWasSentOrAnswered) {
  WebhookEnvironment around;
  for (const int code : {400, 401, 403, 503}) {
    SCOPED_TRACE(code);
    TestWebhook hook([&](const Asked& asked) { return TestWebhook::json(asked.body, code); });
    const auto client = client_of(around, hook.connection());
    const Result<Bytes> answer = ask(*client);
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.status().message().find("canary"), std::string::npos);
    EXPECT_NE(answer.status().message().find(std::to_string(code)), std::string::npos);
    EXPECT_EQ(hook.count(), 1u);
  }
}

TEST(WebhookClient, KnowsItsLoops) {
  WebhookEnvironment around;
  EXPECT_TRUE(may_block_here(around.loops));
  bool may = true;
  around.loops.at(0).run_and_wait([&] { may = may_block_here(around.loops); });
  EXPECT_FALSE(may);
}

}  // namespace
}  // namespace proa::apiserver
