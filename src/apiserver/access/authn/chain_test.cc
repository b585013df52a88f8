// The whole chain, as a server builds it, and hostile input.
#include "apiserver/access/authn/chain.h"

#include <gtest/gtest.h>

#include <thread>

#include "api/schema/builtin.h"
#include "base/encoding.h"
#include "crypto/authority.h"
#include "store/memory/memory_store.h"
#include "testkit/fake_clock.h"

namespace proa::apiserver {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using Names = std::vector<std::string>;

std::string der_of(const std::string& pem) {
  const auto begin = pem.find('\n') + 1;
  std::string text = pem.substr(begin, pem.find("-----END") - begin);
  std::erase(text, '\n');
  return from_base64(text).value();
}

// A slow remote authenticator.
class RemoteTokens final : public TokenAuthenticator {
 public:
  Result<std::optional<TokenIdentity>> authenticate(std::string_view token,
                                                    std::span<const std::string>) override {
    threads.push_back(std::this_thread::get_id());
    if (token != "remote") return std::optional<TokenIdentity>();
    auto user = std::make_shared<User>();
    user->name = "remote";
    return std::optional(TokenIdentity{.user = user, .audiences = {}});
  }
  bool may_wait(std::string_view) const override { return true; }

  std::vector<std::thread::id> threads;
};

class AuthenticationTest : public testing::Test {
 protected:
  AuthenticationTest() {
    ServiceAccountTokens::Options keys;
    keys.keys = {make_token_key().private_key};
    service_accounts_ = ServiceAccountTokens::make(keys).value();
    put("/registry/serviceaccounts/default/robot", "u-1");
    options_.client_authorities_pem = clients_.certificate_pem;
    options_.token_file = "file-token,carol,c-1,\"ops\"\n";
    options_.front_proxy.emplace();
    options_.front_proxy->authorities_pem = proxies_.certificate_pem;
    options_.front_proxy->allowed_names = {"front-proxy"};
    start();
  }

  void start(std::vector<std::unique_ptr<TokenAuthenticator>> further = {}) {
    authentication_ = Authentication::make(options_,
                                           {.store = *store_,
                                            .schema = api::builtin_schema(),
                                            .clock = clock_,
                                            .random = random_,
                                            .tokens = service_accounts_.get()},
                                           std::move(further))
                          .value();
  }
  void commit(store::Operation operation) {
    ASSERT_TRUE(store_
                    ->commit({.compares = {}, .operations = {std::move(operation)}},
                             store::Durability::kSynced)
                    .ok());
  }
  void put(const std::string& key, const std::string& uid) {
    commit(store::Put{key, Bytes(R"({"metadata":{"name":"x","uid":")" + uid + "\"}}")});
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
    wanted.organizations = {"dev"};
    wanted.for_client = true;
    wanted.not_before = clock_.now() - hours(1);
    wanted.not_after = clock_.now() + hours(1);
    const auto made = crypto::issue_certificate(ca, wanted).value();
    return {.address = {}, .certificates = {{der_of(made.certificate_pem)}}, .secure = true};
  }
  std::string robot_token() const {
    ServiceAccountClaims claims;
    claims.name_space = "default";
    claims.service_account = {"robot", "u-1"};
    claims.audiences = service_accounts_->audiences();
    claims.issued = clock_.now();
    claims.expires = clock_.now() + hours(1);
    return service_accounts_->issue(claims).value();
  }
  Caller ask(const http::Peer& from, const http::Headers& headers, std::string_view path = "/api") {
    const Credentials credentials{from, headers, path};
    Caller caller = authentication_->authenticate(credentials);
    if (caller.may_wait) authentication_->finish(caller, credentials);
    EXPECT_FALSE(caller.may_wait);
    return caller;
  }
  // The user's name; "401" if not authenticated.
  std::string name(const http::Peer& from, const http::Headers& headers,
                   std::string_view path = "/api") {
    const Caller caller = ask(from, headers, path);
    return caller.user == nullptr ? "401" : caller.user->name;
  }
  static http::Headers bearer(const std::string& token) {
    return {{"authorization", "Bearer " + token}};
  }

  testkit::FakeClock clock_;
  SeededRandom random_{1};
  const std::unique_ptr<store::Store> store_ = store::make_memory_store(clock_);
  const crypto::CertifiedKey clients_ = make_ca("clients");
  const crypto::CertifiedKey proxies_ = make_ca("proxies");
  std::unique_ptr<const ServiceAccountTokens> service_accounts_;
  AuthenticationOptions options_;
  std::unique_ptr<Authentication> authentication_;
  const http::Peer stranger_{};
};

TEST_F(AuthenticationTest, KnowsCallersInManyWays) {
  EXPECT_EQ(name(peer(clients_, "alice"), {}), "alice");
  EXPECT_EQ(name(stranger_, bearer("file-token")), "carol");
  EXPECT_EQ(name(stranger_, bearer(robot_token())), "system:serviceaccount:default:robot");
  EXPECT_EQ(name(peer(proxies_, "front-proxy"), {{"x-remote-user", "dave"}}), "dave");
  commit(store::Put{
      "/registry/secrets/kube-system/bootstrap-token-abc123",
      Bytes(R"({"metadata":{},"type":"bootstrap.kubernetes.io/token","data":{"token-id":")" +
            to_base64("abc123") + R"(","token-secret":")" + to_base64(std::string(32, 'f')) +
            R"(","usage-bootstrap-authentication":")" + to_base64("true") + "\"}}")});
  EXPECT_EQ(name(stranger_, bearer("abc123." + std::string(32, 'f'))), "system:bootstrap:abc123");
  for (const http::Headers& headers : {bearer("file-token"), bearer(robot_token())}) {
    EXPECT_TRUE(ask(stranger_, headers).user->in_group("system:authenticated"));
  }
  // The certificate takes precedence over the token.
  EXPECT_EQ(name(peer(clients_, "alice"), bearer("file-token")), "alice");
  EXPECT_EQ(name(peer(clients_, "alice"), bearer("garbage")), "alice");
}

TEST_F(AuthenticationTest, LetsNobodyInWithoutAName) {
  EXPECT_EQ(name(stranger_, {}), "401");
  EXPECT_EQ(name(stranger_, {}, "/livez"), "system:anonymous");
  EXPECT_EQ(ask(stranger_, {}, "/livez").user->groups, Names{"system:unauthenticated"});
  options_.anonymous.scope = AnonymousScope::kEverywhere;
  start();
  EXPECT_EQ(name(stranger_, {}), "system:anonymous");
  options_.anonymous.scope = AnonymousScope::kNowhere;
  start();
  EXPECT_EQ(name(stranger_, {}, "/livez"), "401");
}

TEST_F(AuthenticationTest, SendsThoseAwayWhoShowSomethingWrong) {
  options_.anonymous.scope = AnonymousScope::kEverywhere;
  start();
  for (const std::string_view path : {"/livez", "/api"}) {
    EXPECT_EQ(name(stranger_, bearer("garbage"), path), "401");
    EXPECT_EQ(name(peer(make_ca("clients"), "alice"), {}, path), "401");
    EXPECT_EQ(name({.address = {}, .certificates = {{"garbage"}}, .secure = true}, {}, path),
              "401");
  }
  // An invalid certificate does not invalidate a valid token.
  EXPECT_EQ(name(peer(make_ca("clients"), "alice"), bearer("file-token")), "carol");
}

TEST_F(AuthenticationTest, IgnoresNamesThatAnybodyCanWrite) {
  const http::Headers spoofed = {{"x-remote-user", "system:admin"},
                                 {"x-remote-group", "system:masters"},
                                 {"x-remote-uid", "1"},
                                 {"x-remote-extra-scopes", "all"}};
  EXPECT_EQ(name(stranger_, spoofed), "401");
  EXPECT_EQ(name(stranger_, spoofed, "/livez"), "system:anonymous");
  http::Headers with_token = spoofed;
  with_token.set("authorization", "Bearer file-token");
  for (const Caller& caller :
       {ask(peer(clients_, "alice"), spoofed), ask(peer(clients_, "front-proxy"), spoofed),
        ask(stranger_, with_token), ask(peer(clients_, "alice"), with_token)}) {
    ASSERT_NE(caller.user, nullptr);
    EXPECT_NE(caller.user->name, "system:admin");
    EXPECT_FALSE(caller.user->in_group("system:masters"));
    for (const auto& [key, values] : caller.user->extra) EXPECT_NE(key, "scopes");
  }
  // Signed by the right CA, but not an allowed proxy.
  EXPECT_EQ(name(peer(proxies_, "other"), spoofed), "401");
  // A proxy request without a user name is not authenticated.
  EXPECT_EQ(name(peer(proxies_, "front-proxy"), {}), "401");
  EXPECT_EQ(name(peer(proxies_, "front-proxy"), {{"x-remote-group", "system:masters"}}), "401");
}

TEST_F(AuthenticationTest, SeesAtOnceThatATokenIsRevoked) {
  const std::string token = robot_token();
  EXPECT_EQ(name(stranger_, bearer(token)), "system:serviceaccount:default:robot");
  EXPECT_EQ(name(stranger_, bearer(token)), "system:serviceaccount:default:robot");
  commit(store::Delete{"/registry/serviceaccounts/default/robot"});
  EXPECT_EQ(name(stranger_, bearer(token)), "401");
  put("/registry/serviceaccounts/default/robot", "u-2");
  EXPECT_EQ(name(stranger_, bearer(token)), "401");
  put("/registry/serviceaccounts/default/robot", "u-1");
  EXPECT_EQ(name(stranger_, bearer(token)), "system:serviceaccount:default:robot");
  clock_.advance(hours(2));
  EXPECT_EQ(name(stranger_, bearer(token)), "401");
}

TEST_F(AuthenticationTest, AsksOthersOnAnotherThread) {
  auto made = std::make_unique<RemoteTokens>();
  RemoteTokens& remote = *made;
  std::vector<std::unique_ptr<TokenAuthenticator>> further;
  further.push_back(std::move(made));
  start(std::move(further));
  const http::Headers headers = bearer("remote");
  const Credentials credentials{stranger_, headers, "/api"};
  Caller caller = authentication_->authenticate(credentials);
  EXPECT_TRUE(caller.may_wait);
  EXPECT_EQ(caller.user, nullptr);
  EXPECT_TRUE(remote.threads.empty());
  std::jthread([&] { authentication_->finish(caller, credentials); }).join();
  EXPECT_FALSE(caller.may_wait);
  ASSERT_NE(caller.user, nullptr);
  EXPECT_EQ(caller.user->name, "remote");
  // Cached now: does not block.
  caller = authentication_->authenticate(credentials);
  EXPECT_FALSE(caller.may_wait);
  EXPECT_EQ(caller.user->name, "remote");
  EXPECT_EQ(remote.threads.size(), 1u);
  // Requests with certificates or without credentials never block.
  const http::Peer alice = peer(clients_, "alice");
  EXPECT_FALSE(authentication_->authenticate({alice, headers, "/api"}).may_wait);
  const http::Headers none;
  EXPECT_FALSE(authentication_->authenticate({stranger_, none, "/api"}).may_wait);
  // Invalid credentials are not accepted as anonymous.
  const http::Headers wrong = bearer("garbage");
  EXPECT_EQ(name(stranger_, wrong, "/livez"), "401");
}

TEST_F(AuthenticationTest, PassesOnWarnings) {
  const Caller caller = ask(stranger_, {{"authorization", "Bearer  x"}}, "/livez");
  EXPECT_EQ(caller.user->name, "system:anonymous");
  EXPECT_EQ(caller.warnings.size(), 1u);
}

TEST_F(AuthenticationTest, SurvivesAnything) {
  const std::string long_token(60'000, 'a');
  const std::string robot = robot_token();
  for (const std::string& value :
       {std::string(), std::string("Bearer"), std::string("Bearer ."), std::string("Bearer .."),
        std::string("Bearer ..."), "Bearer " + long_token, "Bearer " + std::string(60'000, '.'),
        "Bearer a." + long_token + ".b", std::string("Bearer \0x", 9),
        std::string("Bearer \xff\xfe.\xff.\xff"), "Bearer " + robot.substr(0, robot.size() / 2),
        "Bearer " + robot + robot, std::string(100'000, ' ')}) {
    EXPECT_EQ(name(stranger_, {{"authorization", value}}), "401") << value.substr(0, 40);
  }
}

TEST_F(AuthenticationTest, NeedsOptionsThatCanBe) {
  const AuthenticationContext context{
      .store = *store_, .schema = api::builtin_schema(), .clock = clock_, .random = random_};
  const AuthenticationOptions good = options_;
  EXPECT_TRUE(Authentication::make(good, context).ok());
  options_.client_authorities_pem = "";
  EXPECT_TRUE(Authentication::make(options_, context).is(Reason::kInvalid));
  options_ = good;
  options_.token_file = "canary";
  const auto made = Authentication::make(options_, context);
  ASSERT_TRUE(made.is(Reason::kInvalid));
  EXPECT_EQ(made.status().message().find("canary"), std::string::npos);
  options_ = good;
  options_.front_proxy->authorities_pem = clients_.certificate_pem;
  EXPECT_TRUE(Authentication::make(options_, context).is(Reason::kInvalid));
}

TEST_F(AuthenticationTest, IsCountedByResult) {
  const auto has = [this](const std::string& line) {
    MetricsText text;
    authentication_->write_metrics(text);
    return text.take().find("\n" + line + "\n") != std::string::npos;
  };
  EXPECT_EQ(name(stranger_, {}, "/livez"), "system:anonymous");
  EXPECT_EQ(name(stranger_, bearer("file-token")), "carol");
  EXPECT_EQ(name(stranger_, bearer("wrong")), "401");
  EXPECT_EQ(name(peer(clients_, "admin"), {}), "admin");
  EXPECT_EQ(name(peer(clients_, "a@example.com"), {}), "a@example.com");
  EXPECT_TRUE(has(R"(authentication_attempts{result="success"} 4)"));
  EXPECT_TRUE(has(R"(authentication_attempts{result="error"} 1)"));
  EXPECT_FALSE(has(R"(authentication_attempts{result="failure"} 0)"));
  EXPECT_TRUE(has(R"(authentication_duration_seconds_count{result="success"} 4)"));
  EXPECT_TRUE(has(R"(authenticated_user_requests{username="admin"} 1)"));
  EXPECT_TRUE(has(R"(authenticated_user_requests{username="email_id"} 1)"));
  EXPECT_TRUE(has(R"(authenticated_user_requests{username="other"} 2)"));
  EXPECT_EQ(name(stranger_, {}), "401");
  EXPECT_TRUE(has(R"(authentication_attempts{result="failure"} 1)"));
}

}  // namespace
}  // namespace proa::apiserver
