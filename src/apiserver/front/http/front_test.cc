#include "apiserver/front/http/front.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "testkit/apiserver/running_api.h"
#include "testkit/apiserver/test_webhook.h"
#include "testkit/http/http2_client.h"
#include "testkit/http/inbox.h"
#include "testkit/patience.h"

namespace proa::apiserver {
namespace front_test {

using testkit::Http2Client;

http::Headers bearer(const std::string& token) { return {{"authorization", "Bearer " + token}}; }

// Anybody can send any token. Those that only a webhook may know must not take the threads of
// others while it hangs.
TEST(Front, KnowsOthersWhileATokenWebhookHangs) {
  constexpr size_t kThreads = 64;
  constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";
  WebhookEnvironment around;
  TestWebhook hook([](const TestWebhook::Asked&) { return std::nullopt; });
  testkit::RunningApi api(
      {.webhooks = &around.context,
       .token_webhook = WebhookTokensOptions{.connection = hook.connection("/authenticate")}});
  const testkit::RunningApi::Answer issued =
      api.ask("POST", "/api/v1/namespaces/default/serviceaccounts", R"({"metadata":{"name":"a"}})");
  ASSERT_EQ(issued.code, 201) << issued.body;
  const testkit::RunningApi::Answer review =
      api.ask("POST", "/api/v1/namespaces/default/serviceaccounts/a/token", R"({"spec":{}})");
  ASSERT_EQ(review.code, 201) << review.body;
  const size_t begin = review.body.find(R"("token":")") + 9;
  const std::string known = review.body.substr(begin, review.body.find('"', begin) - begin);
  std::vector<std::unique_ptr<Http2Client>> strangers;
  for (size_t i = 0; i < 3 * kThreads; ++i) {
    if (i % kThreads == 0) strangers.push_back(std::make_unique<Http2Client>(api.port()));
    strangers.back()->ask("GET", "/version", true, bearer("unknown-" + std::to_string(i)));
  }
  for (const auto& client : strangers) client->flush();
  EXPECT_TRUE(
      testkit::holds_within(testkit::kTestTimeout, [&] { return hook.count() >= kThreads; }));
  EXPECT_EQ(api.ask("POST", kMaps, R"({"metadata":{"name":"m"}})").code, 201);
  // A token of an earlier kind is not asked for, nor does it wait in turn.
  Http2Client account(api.port());
  EXPECT_EQ(account.wait(account.ask("GET", "/version", true, bearer(known))).status, 200);
  EXPECT_EQ(hook.count(), kThreads);
}

}  // namespace front_test
}  // namespace proa::apiserver
