#include "apiserver/access/authn/jwt/issuer_keys.h"

#include <gtest/gtest.h>

#include <thread>

#include "testkit/apiserver/test_issuer.h"
#include "testkit/fake_clock.h"

namespace proa::apiserver {
namespace {

using namespace std::chrono_literals;
using Keys = IssuerKeys::Keys;

const crypto::TestKey& first() {
  static const crypto::TestKey key = crypto::TestKey::ecdsa("first");
  return key;
}
const crypto::TestKey& second() {
  static const crypto::TestKey key = crypto::TestKey::ecdsa("second");
  return key;
}

// An issuer, and a client of its keys.
class Fetched {
 public:
  Fetched() : issuer_({first()}) {}

  // Starts fetching.
  void start() {
    const auto tls =
        http::TlsContext::client({.roots_pem = TestCertificates::get().authority.certificate_pem});
    keys_ = std::make_unique<IssuerKeys>(
        loops_, clock_,
        IssuerKeys::Source{
            .issuer = issuer_.url(),
            .discovery = http::parse_url(issuer_.url() + TestIssuer::kDiscovery).value(),
            .tls = tls.value()});
  }
  // Advances the clock and queries again.
  Keys renew_after(Duration pause) {
    clock_.advance(pause);
    return keys_->renewed(keys_->known());
  }

  IssuerKeys& keys() { return *keys_; }
  TestIssuer& issuer() { return issuer_; }
  testkit::FakeClock& clock() { return clock_; }
  int fetches() const { return issuer_.count(TestIssuer::kKeys); }

 private:
  TestIssuer issuer_;
  testkit::FakeClock clock_;
  http::LoopGroup loops_{1};
  std::unique_ptr<IssuerKeys> keys_;
};

TEST(IssuerKeys, AreFoundByTheDiscoveryDocument) {
  Fetched fetched;
  fetched.start();
  const Keys keys = fetched.keys().renewed(nullptr);
  ASSERT_NE(keys, nullptr);
  EXPECT_TRUE(keys->has("first"));
  EXPECT_EQ(fetched.keys().known(), keys);
  EXPECT_EQ(fetched.issuer().count(TestIssuer::kDiscovery), 1);
  EXPECT_EQ(fetched.fetches(), 1);
}

TEST(IssuerKeys, AreNotAskedForAllTheTime) {
  Fetched fetched;
  fetched.start();
  const Keys keys = fetched.keys().renewed(nullptr);
  EXPECT_FALSE(fetched.keys().can_wait());
  for (int i = 0; i < 100; ++i) {
    fetched.keys().renew();
    EXPECT_EQ(fetched.keys().renewed(keys), keys);
  }
  EXPECT_EQ(fetched.fetches(), 1);
  fetched.clock().advance(9s);
  EXPECT_EQ(fetched.keys().renewed(keys), keys);
  EXPECT_EQ(fetched.fetches(), 1);
  fetched.clock().advance(1s);
  EXPECT_TRUE(fetched.keys().can_wait());
  EXPECT_NE(fetched.keys().renewed(keys), keys);
  EXPECT_EQ(fetched.fetches(), 2);
  EXPECT_EQ(fetched.issuer().count(TestIssuer::kDiscovery), 1);
}

TEST(IssuerKeys, ChangeWhenTheIssuerChangesThem) {
  Fetched fetched;
  fetched.start();
  ASSERT_NE(fetched.keys().renewed(nullptr), nullptr);
  fetched.issuer().set_keys({second()});
  const Keys keys = fetched.renew_after(10s);
  EXPECT_TRUE(keys->has("second"));
  EXPECT_FALSE(keys->has("first"));
}

TEST(IssuerKeys, AreRenewedByTheWayWhenTheyAreOld) {
  Fetched fetched;
  fetched.start();
  const Keys keys = fetched.keys().renewed(nullptr);
  fetched.clock().advance(IssuerKeys::kMaxAge - 1s);
  EXPECT_EQ(fetched.keys().known(), keys);
  EXPECT_FALSE(fetched.keys().renewed(keys) == keys);  // forced
  const Keys newer = fetched.keys().known();
  fetched.clock().advance(IssuerKeys::kMaxAge);
  fetched.issuer().set_keys({second()});
  EXPECT_EQ(fetched.keys().known(), newer);  // immediately, with the cached ones
  const Keys newest = fetched.keys().renewed(newer);
  EXPECT_TRUE(newest->has("second"));
  EXPECT_EQ(fetched.fetches(), 3);
}

TEST(IssuerKeys, StayAsTheyWereWhenTheIssuerFails) {
  Fetched fetched;
  fetched.start();
  const Keys keys = fetched.keys().renewed(nullptr);
  const std::vector<http::Response> failures = {
      {500, {}, {}, {}},
      {302, {{"location", "/keys"}}, {}, {}},
      {200, {}, Bytes(std::string("<html>")), {}},
      {200, {}, Bytes(std::string("{}")), {}},
      {200, {}, Bytes(std::string(2 << 20, ' ')), {}},
  };
  for (size_t i = 0; i < failures.size(); ++i) {
    SCOPED_TRACE(i);
    fetched.issuer().set_page(TestIssuer::kKeys, failures[i]);
    EXPECT_EQ(fetched.renew_after(10s), keys);
  }
  // Discovery is repeated: the keys may have moved.
  fetched.issuer().set_json(
      TestIssuer::kDiscovery,
      TestIssuer::discovery(fetched.issuer().url(), fetched.issuer().url() + "/moved"));
  fetched.issuer().set_json("/moved", crypto::key_set({second().public_json()}));
  EXPECT_TRUE(fetched.renew_after(10s)->has("second"));
}

TEST(IssuerKeys, AreNotFoundByAWrongDocument) {
  Fetched fetched;
  const std::string url = fetched.issuer().url();
  const std::string keys = url + TestIssuer::kKeys;
  const std::string plain = "http" + keys.substr(5);
  const auto page = [](const std::string& text) {
    return http::Response{200, {}, Bytes(text), {}};
  };
  const std::vector<http::Response> failures = {
      page(TestIssuer::discovery("https://another.example", keys)),
      page(TestIssuer::discovery(url + "/", keys)),
      page(TestIssuer::discovery(url, plain)),
      page(TestIssuer::discovery(url, "")),
      page(TestIssuer::discovery(url, "file:///etc/passwd")),
      page(TestIssuer::discovery(url, "https://user@127.0.0.1/keys")),
      page("{}"),
      page("null"),
      page("[]"),
      page("<html>"),
      page(R"({"issuer":7,"jwks_uri":8})"),
      page(TestIssuer::discovery(url, keys) + std::string(300'000, ' ')),
      {302, {{"location", "/.well-known/other"}}, {}, {}},
      {404, {}, {}, {}},
      {201, {}, Bytes(TestIssuer::discovery(url, keys)), {}},
  };
  fetched.issuer().set_json("/.well-known/other", TestIssuer::discovery(url, keys));
  fetched.issuer().set_page(TestIssuer::kDiscovery, failures[0]);
  fetched.start();
  EXPECT_EQ(fetched.keys().renewed(nullptr), nullptr);
  for (size_t i = 1; i < failures.size(); ++i) {
    SCOPED_TRACE(i);
    fetched.issuer().set_page(TestIssuer::kDiscovery, failures[i]);
    EXPECT_EQ(fetched.renew_after(10s), nullptr);
    EXPECT_EQ(fetched.issuer().count(TestIssuer::kDiscovery), static_cast<int>(i) + 1);
  }
  EXPECT_EQ(fetched.fetches(), 0);
  EXPECT_EQ(fetched.issuer().count("/.well-known/other"), 0);
  fetched.issuer().set_json(TestIssuer::kDiscovery, TestIssuer::discovery(url, keys));
  EXPECT_NE(fetched.renew_after(10s), nullptr);
}

TEST(IssuerKeys, DoNotKeepCallersWaitingForASlowIssuer) {
  Fetched fetched;
  fetched.issuer().set_page(TestIssuer::kKeys, std::nullopt);
  fetched.start();
  Keys keys;
  {
    const std::jthread waiting([&] { keys = fetched.keys().renewed(nullptr); });
    fetched.clock().await_waiters(1);
    fetched.clock().advance(IssuerKeys::kMaxWait);
  }
  EXPECT_EQ(keys, nullptr);
  // It may still respond, for a while; then it is queried again.
  while (fetched.fetches() == 0) std::this_thread::yield();
  EXPECT_TRUE(fetched.keys().can_wait());
  fetched.issuer().set_keys({first()});
  fetched.clock().advance(IssuerKeys::kFetchTimeout - IssuerKeys::kMaxWait);
  EXPECT_NE(fetched.keys().renewed(nullptr), nullptr);
  EXPECT_EQ(fetched.fetches(), 2);
}

TEST(IssuerKeys, LetOnlyAFewWait) {
  Fetched fetched;
  fetched.issuer().set_page(TestIssuer::kDiscovery, std::nullopt);
  fetched.start();
  {
    std::vector<std::jthread> waiting;
    for (int i = 0; i < IssuerKeys::kMaxWaiters; ++i) {
      waiting.emplace_back([&] { fetched.keys().renewed(nullptr); });
    }
    fetched.clock().await_waiters(IssuerKeys::kMaxWaiters);
    EXPECT_FALSE(fetched.keys().can_wait());
    EXPECT_EQ(fetched.keys().renewed(nullptr), nullptr);  // immediately
    fetched.keys().stop();
  }
  EXPECT_FALSE(fetched.keys().can_wait());
  fetched.clock().advance(1h);
  EXPECT_EQ(fetched.keys().renewed(nullptr), nullptr);
  EXPECT_LE(fetched.issuer().count(TestIssuer::kDiscovery), 1);
}

TEST(IssuerKeys, MayGoWhileTheyAreFetched) {
  for (int i = 0; i < 10; ++i) {
    Fetched fetched;
    fetched.start();
    if (i % 2 == 1) std::this_thread::yield();
  }
}

}  // namespace
}  // namespace proa::apiserver
