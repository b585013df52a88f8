#include "kubelet/node/server/node_access.h"

#include <gtest/gtest.h>

#include "base/encoding.h"
#include "crypto/authority.h"
#include "json/parse.h"
#include "testkit/kubelet/scripted_reviews.h"

namespace proa::kubelet {

using testkit::ScriptedReviews;

TEST(NodeAccess, AsksAboutATokenOnceInTwoMinutes) {
  ScriptedReviews judge;
  const auto access = judge.make_access();
  const Caller caller = access->authenticate({}, "Bearer good").value();
  EXPECT_EQ(caller.name, "alice");
  EXPECT_EQ(caller.groups, (std::vector<std::string>{"devs", "system:authenticated"}));
  EXPECT_TRUE(access->authenticate({}, "bearer good").ok());
  EXPECT_EQ(judge.token_reviews(), 1);
  judge.clock.advance(std::chrono::minutes(2));
  EXPECT_TRUE(access->authenticate({}, "Bearer good").ok());
  EXPECT_EQ(judge.token_reviews(), 1);
  judge.clock.advance(std::chrono::seconds(1));
  EXPECT_TRUE(access->authenticate({}, "Bearer good").ok());
  EXPECT_EQ(judge.token_reviews(), 2);
}

TEST(NodeAccess, KnowsNobodyWithoutCredentials) {
  ScriptedReviews judge;
  const auto access = judge.make_access();
  for (const char* header : {"", "Basic abc", "Bearer", "Bearer ", "Bearer bad"}) {
    SCOPED_TRACE(header);
    EXPECT_TRUE(access->authenticate({}, header).is(Reason::kUnauthorized));
  }
  EXPECT_TRUE(access->authenticate({}, "Bearer bad").is(Reason::kUnauthorized));
  EXPECT_EQ(judge.token_reviews(), 1);
}

TEST(NodeAccess, KnowsCallersByTheirCertificates) {
  ScriptedReviews judge;
  crypto::CertificateTemplate wanted;
  wanted.common_name = "ca";
  wanted.not_before = judge.clock.now() - std::chrono::hours(1);
  wanted.not_after = judge.clock.now() + std::chrono::hours(1);
  const crypto::CertifiedKey authority = crypto::make_authority(wanted).value();
  const crypto::CertifiedKey other = crypto::make_authority(wanted).value();
  wanted.common_name = "kube-apiserver";
  wanted.organizations = {"admins"};
  wanted.for_client = true;
  const auto shown = [&](const crypto::CertifiedKey& signer) {
    std::string pem = crypto::issue_certificate(signer, wanted)->certificate_pem;
    pem = pem.substr(pem.find('\n'), pem.rfind("-----END") - pem.find('\n'));
    std::erase(pem, '\n');
    return http::PeerCertificates{.chain_der = {from_base64(pem).value()}};
  };
  const auto access = judge.make_access(authority.certificate_pem);
  const Caller caller = access->authenticate(shown(authority), "").value();
  EXPECT_EQ(caller.name, "kube-apiserver");
  EXPECT_EQ(caller.groups, (std::vector<std::string>{"admins", "system:authenticated"}));
  EXPECT_TRUE(access->authenticate(shown(other), "").is(Reason::kUnauthorized));
  EXPECT_EQ(access->authenticate(shown(other), "Bearer good")->name, "alice");
  judge.clock.advance(std::chrono::hours(2));
  EXPECT_TRUE(access->authenticate(shown(authority), "").is(Reason::kUnauthorized));
}

TEST(NodeAccess, KeepsWhatIsAllowedLongerThanWhatIsNot) {
  ScriptedReviews judge;
  const auto access = judge.make_access();
  const Caller alice{.name = "alice"};
  const RequestAccess pods{.verb = "get", .subresources = {"proxy"}};
  judge.allowed = "proxy";
  EXPECT_TRUE(access->authorize(alice, pods).value());
  judge.allowed = "";
  judge.clock.advance(std::chrono::minutes(5));
  EXPECT_TRUE(access->authorize(alice, pods).value());
  judge.clock.advance(std::chrono::seconds(1));
  EXPECT_FALSE(access->authorize(alice, pods).value());
  judge.allowed = "proxy";
  judge.clock.advance(std::chrono::seconds(30));
  EXPECT_FALSE(access->authorize(alice, pods).value());
  judge.clock.advance(std::chrono::seconds(1));
  EXPECT_TRUE(access->authorize(alice, pods).value());
}

TEST(NodeAccess, NeedsOneOfTheSubresources) {
  ScriptedReviews judge;
  const auto access = judge.make_access();
  judge.allowed = "proxy";
  EXPECT_TRUE(access->authorize({.name = "bob"}, {.verb = "get", .subresources = {"pods", "proxy"}})
                  .value());
  EXPECT_EQ(judge.access_reviews(), 2);
  const json::Document last = json::parse(judge.last()).value();
  const api::View spec = api::View(last.root())["spec"];
  EXPECT_EQ(spec["user"].text(), "bob");
  EXPECT_EQ(spec["resourceAttributes"]["name"].text(), "n1");
  EXPECT_EQ(spec["resourceAttributes"]["resource"].text(), "nodes");
  EXPECT_FALSE(
      access->authorize({.name = "bob"}, {.verb = "get", .subresources = {"stats"}}).value());
}

TEST(NodeAccess, TellsWhenNobodyCanJudge) {
  ScriptedReviews judge;
  const auto access = judge.make_access();
  judge.broken = true;
  EXPECT_TRUE(access->authenticate({}, "Bearer good").is(Reason::kServiceUnavailable));
  EXPECT_FALSE(access->authorize({}, {.verb = "get", .subresources = {"proxy"}}).ok());
  judge.broken = false;  // what failed is not kept
  EXPECT_TRUE(access->authenticate({}, "Bearer good").ok());
}

}  // namespace proa::kubelet
