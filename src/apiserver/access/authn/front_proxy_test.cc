#include "apiserver/access/authn/front_proxy.h"

#include <gtest/gtest.h>

#include "base/encoding.h"
#include "base/strings.h"
#include "crypto/authority.h"
#include "testkit/fake_clock.h"

namespace proa::apiserver {
namespace {

using std::chrono::hours;

std::string der_of(const std::string& pem) {
  const auto begin = pem.find('\n') + 1;
  std::string text = pem.substr(begin, pem.find("-----END") - begin);
  std::erase(text, '\n');
  return from_base64(text).value();
}

class FrontProxyTest : public testing::Test {
 protected:
  FrontProxyTest() {
    options_.authorities_pem = proxies_.certificate_pem;
    options_.allowed_names = {"front-proxy", "other-proxy"};
  }

  crypto::CertifiedKey make_ca(const std::string& name) const {
    crypto::CertificateTemplate wanted;
    wanted.common_name = name;
    wanted.not_before = clock_.now() - hours(1);
    wanted.not_after = clock_.now() + hours(100);
    return crypto::make_authority(wanted).value();
  }
  http::Peer peer(const crypto::CertifiedKey& ca, const std::string& name) const {
    crypto::CertificateTemplate wanted;
    wanted.common_name = name;
    wanted.organizations = {"system:masters"};
    wanted.for_client = true;
    wanted.not_before = clock_.now() - hours(1);
    wanted.not_after = clock_.now() + hours(1);
    const auto made = crypto::issue_certificate(ca, wanted).value();
    return {.address = {}, .certificates = {{der_of(made.certificate_pem)}}, .secure = true};
  }
  Result<UserPtr> authenticate(const http::Peer& peer, const http::Headers& headers) const {
    auto proxy = FrontProxy::make(options_, clients_.certificate_pem, clock_).value();
    return proxy->authenticate({peer, headers, "/api"});
  }

  testkit::FakeClock clock_;
  const crypto::CertifiedKey clients_ = make_ca("clients");
  const crypto::CertifiedKey proxies_ = make_ca("proxies");
  FrontProxyOptions options_;
};

TEST_F(FrontProxyTest, IsBelieved) {
  http::Headers headers;
  headers.add("X-Remote-User", "alice");
  headers.add("X-Remote-Uid", "u-1");
  headers.add("X-Remote-Group", "dev");
  headers.add("X-Remote-Group", "");
  headers.add("X-Remote-Group", "ops");
  headers.add("X-Remote-Extra-Acme.com%2Fproject", "p1");
  headers.add("x-remote-extra-acme.com%2fproject", "p2");
  headers.add("X-Remote-Extra-Scopes", "s");
  for (const std::string name : {"front-proxy", "other-proxy"}) {
    const UserPtr user = authenticate(peer(proxies_, name), headers).value();
    ASSERT_NE(user, nullptr) << name;
    EXPECT_EQ(user->name, "alice");
    EXPECT_EQ(user->uid, "u-1");
    // Nothing from the proxy's own certificate.
    EXPECT_EQ(user->groups, (std::vector<std::string>{"dev", "ops", "system:authenticated"}));
    ASSERT_EQ(user->extra.size(), 2u);
    EXPECT_EQ(user->extra[0].first, "acme.com/project");
    EXPECT_EQ(user->extra[0].second, (std::vector<std::string>{"p1", "p2"}));
    EXPECT_EQ(user->extra[1].first, "scopes");
  }
}

TEST_F(FrontProxyTest, IsNobodyElse) {
  http::Headers headers;
  headers.add("x-remote-user", "system:admin");
  headers.add("x-remote-group", "system:masters");
  // Without a certificate, the headers are ignored.
  EXPECT_EQ(authenticate({}, headers).value(), nullptr);
  const http::Peer spoofers[] = {
      peer(clients_, "front-proxy"),
      peer(proxies_, "somebody"),
      peer(proxies_, ""),
      peer(proxies_, "Front-Proxy"),
      peer(make_ca("proxies"), "front-proxy"),
      {.address = {}, .certificates = {{"garbage"}}, .secure = true},
  };
  for (const http::Peer& spoofer : spoofers) {
    const auto user = authenticate(spoofer, headers);
    EXPECT_TRUE(user.is(Reason::kUnauthorized));
    // Its certificate may be valid for something else.
    EXPECT_EQ(authenticate(spoofer, {}).value(), nullptr);
  }
}

TEST_F(FrontProxyTest, NeedsAName) {
  const http::Peer proxy = peer(proxies_, "front-proxy");
  EXPECT_EQ(authenticate(proxy, {}).value(), nullptr);
  EXPECT_EQ(authenticate(proxy, {{"x-remote-user", ""}}).value(), nullptr);
  EXPECT_EQ(authenticate(proxy, {{"x-remote-group", "g"}}).value(), nullptr);
  EXPECT_EQ(authenticate(proxy, {{"x-remote-user", "a"}}).value()->groups,
            std::vector<std::string>{"system:authenticated"});
  EXPECT_TRUE(authenticate(proxy, {{"x-remote-user", "system:anonymous"}}).value()->groups.empty());
}

TEST_F(FrontProxyTest, TakesTheHeadersItIsToldTo) {
  options_.allowed_names.clear();
  options_.user_headers = {"x-user", "x-remote-user"};
  options_.group_headers = {"x-group", "x-team"};
  options_.extra_prefixes = {"x-a-", "x-b-"};
  const http::Headers headers = {{"x-remote-user", "second"},
                                 {"x-team", "t"},
                                 {"x-group", "g"},
                                 {"x-b-k", "2"},
                                 {"x-a-k", "1"},
                                 {"x-remote-group", "ignored"}};
  const UserPtr user = authenticate(peer(proxies_, "anybody"), headers).value();
  EXPECT_EQ(user->name, "second");
  EXPECT_EQ(user->groups, (std::vector<std::string>{"g", "t", "system:authenticated"}));
  ASSERT_EQ(user->extra.size(), 1u);
  EXPECT_EQ(user->extra[0].second, (std::vector<std::string>{"1", "2"}));
}

TEST_F(FrontProxyTest, HasAnAuthorityOfItsOwn) {
  const auto make = [&] { return FrontProxy::make(options_, clients_.certificate_pem, clock_); };
  EXPECT_TRUE(make().ok());
  options_.authorities_pem = proxies_.certificate_pem + clients_.certificate_pem;
  EXPECT_TRUE(make().is(Reason::kInvalid));
  options_.authorities_pem = clients_.certificate_pem;
  EXPECT_TRUE(make().is(Reason::kInvalid));
  options_.authorities_pem = "garbage";
  EXPECT_TRUE(make().is(Reason::kInvalid));
  options_.authorities_pem = proxies_.certificate_pem;
  for (const std::string name : {"", "X-Remote-User", "x remote", "x:y"}) {
    options_.user_headers = {name};
    EXPECT_TRUE(make().is(Reason::kInvalid)) << name;
  }
}

}  // namespace
}  // namespace proa::apiserver
