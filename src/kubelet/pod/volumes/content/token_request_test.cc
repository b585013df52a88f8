#include "kubelet/pod/volumes/content/token_request.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "testkit/fake_clock.h"
#include "testkit/kubelet/test_api.h"

namespace proa::kubelet {
namespace {

PodPtr pod() {
  return *Pod::read(
      api::Object::make(
          R"({"metadata":{"name":"web","namespace":"shop","uid":"u-1"},"spec":{"serviceAccountName":"seller"}})"),
      Pod::Source::kApi);
}

TEST(RequestToken, BindsItToThePod) {
  TestApi api;
  const testkit::FakeClock clock;
  api.answers.emplace_back(
      R"({"status":{"token":"secret","expirationTimestamp":"2026-01-02T03:04:05Z"}})");
  const Result<BoundToken> bound =
      request_token({api, clock}, api::builtin_schema(), *pod(), "vault", 3607);
  ASSERT_TRUE(bound.ok());
  EXPECT_EQ(bound->token, "secret");
  EXPECT_EQ(format_time(bound->expires), "2026-01-02T03:04:05Z");
  ASSERT_EQ(api.created.size(), 1u);
  EXPECT_EQ(
      api.created[0],
      R"(serviceaccounts/token shop/seller {"kind":"TokenRequest",)"
      R"("apiVersion":"authentication.k8s.io/v1","metadata":{},"spec":{"audiences":["vault"],)"
      R"("expirationSeconds":3607,"boundObjectRef":{"kind":"Pod","apiVersion":"v1",)"
      R"("name":"web","uid":"u-1"}}})");
}

}  // namespace
}  // namespace proa::kubelet
