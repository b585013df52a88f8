#include "apiserver/access/authn/token_kinds/service_account.h"

#include <gtest/gtest.h>

#include "api/object/view.h"
#include "api/schema/builtin.h"
#include "apiserver/access/tokens/jwt.h"
#include "base/encoding.h"
#include "base/strings.h"
#include "crypto/digest.h"
#include "json/parse.h"
#include "store/memory/memory_store.h"
#include "testkit/fake_clock.h"

namespace proa::apiserver {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using Names = std::vector<std::string>;

const Names kHere = {"https://kubernetes.default.svc.cluster.local"};
const std::string kAccount = "/registry/serviceaccounts/default/robot";
const std::string kPod = "/registry/pods/default/web";
const std::string kNode = "/registry/minions/n1";
const std::string kSecret = "/registry/secrets/default/s";

class ServiceAccountTest : public testing::Test {
 protected:
  ServiceAccountTest() { put(kAccount, "robot", "u-1"); }

  static std::unique_ptr<const ServiceAccountTokens> make_tokens() {
    ServiceAccountTokens::Options options;
    options.keys = {make_token_key().private_key};
    return ServiceAccountTokens::make(options).value();
  }

  void commit(store::Operation operation) {
    ASSERT_TRUE(store_
                    ->commit({.compares = {}, .operations = {std::move(operation)}},
                             store::Durability::kSynced)
                    .ok());
  }
  void put(const std::string& key, const std::string& name, const std::string& uid,
           const std::string& deleted = "", const std::string& more = "") {
    const std::string deletion =
        deleted.empty() ? "" : R"(,"deletionTimestamp":")" + deleted + "\"";
    commit(store::Put{key, Bytes(R"({"metadata":{"name":")" + name + R"(","namespace":"default",)" +
                                 R"("uid":")" + uid + "\"" + deletion + "}" + more + "}")});
  }
  void remove(const std::string& key) { commit(store::Delete{key}); }

  ServiceAccountClaims claims() const {
    ServiceAccountClaims claims;
    claims.name_space = "default";
    claims.service_account = {"robot", "u-1"};
    claims.audiences = kHere;
    claims.id = "j-1";
    claims.issued = clock_.now();
    claims.expires = clock_.now() + hours(1);
    return claims;
  }
  std::string issue(const ServiceAccountClaims& claims) const {
    return tokens_->issue(claims).value();
  }
  std::string sign(const std::string& text) const {
    const json::Document document = json::parse(text).value();
    return sign_jwt(document.root(), *tokens_->keys()[0]).value();
  }
  Result<std::optional<TokenIdentity>> ask(std::string_view token, const Names& audiences = kHere) {
    return accounts_.authenticate(token, audiences);
  }
  // The failure; empty: valid.
  std::string refusal(std::string_view token, const Names& audiences = kHere) {
    const auto identity = ask(token, audiences);
    if (identity) return identity->has_value() ? "" : "of another kind";
    EXPECT_TRUE(identity.is(Reason::kUnauthorized));
    // The token itself is a secret.
    for (const std::string_view part : split(token, '.')) {
      if (part.size() <= 8) continue;
      EXPECT_EQ(identity.status().message().find(part), std::string::npos);
    }
    return identity.status().message();
  }
  static std::string extra_text(const User& user) {
    std::string text;
    for (const auto& [key, values] : user.extra) {
      EXPECT_TRUE(key.starts_with("authentication.kubernetes.io/"));
      text += key.substr(key.find('/') + 1) + "=" + join(values, ",") + " ";
    }
    return text;
  }

  testkit::FakeClock clock_;
  const std::unique_ptr<store::Store> store_ = store::make_memory_store(clock_);
  const std::unique_ptr<const ServiceAccountTokens> tokens_ = make_tokens();
  ServiceAccountAuthenticator accounts_{*tokens_, *store_, api::builtin_schema(), clock_};
};

TEST(ServiceAccountOf, ReadsNamesOfUsers) {
  const auto good = service_account_of("system:serviceaccount:ns:my.name");
  ASSERT_TRUE(good);
  EXPECT_EQ(good->name_space, "ns");
  EXPECT_EQ(good->name, "my.name");
  for (const std::string_view name :
       {"", "ns:name", "system:serviceaccount:", "system:serviceaccount:ns",
        "system:serviceaccount:ns:", "system:serviceaccount::name", "system:serviceaccount:a:b:c",
        "system:serviceaccount:a.b:c", "system:serviceaccount:A:c", "system:serviceaccount:a:../c",
        "system:serviceaccounts:a:b", " system:serviceaccount:a:b"}) {
    EXPECT_FALSE(service_account_of(name)) << name;
  }
}

TEST_F(ServiceAccountTest, NamesTheAccountAndItsGroups) {
  const auto identity = ask(issue(claims())).value();
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->user->name, "system:serviceaccount:default:robot");
  EXPECT_EQ(identity->user->uid, "u-1");
  EXPECT_EQ(identity->user->groups,
            (Names{"system:serviceaccounts", "system:serviceaccounts:default"}));
  EXPECT_EQ(extra_text(*identity->user), "credential-id=JTI=j-1 ");
  EXPECT_EQ(identity->audiences, kHere);
  EXPECT_TRUE(identity->warnings.empty());
}

TEST_F(ServiceAccountTest, SaysWhatTheTokenIsBoundTo) {
  put(kPod, "web", "p-1");
  ServiceAccountClaims of_pod = claims();
  of_pod.pod = {"web", "p-1"};
  of_pod.node = {"n1", "n-1"};
  // The pod's node need not exist.
  EXPECT_EQ(extra_text(*ask(issue(of_pod)).value()->user),
            "credential-id=JTI=j-1 node-name=n1 node-uid=n-1 pod-name=web pod-uid=p-1 ");
  of_pod.node = {"n1", ""};
  of_pod.id = "";
  EXPECT_EQ(extra_text(*ask(issue(of_pod)).value()->user),
            "node-name=n1 pod-name=web pod-uid=p-1 ");
  ServiceAccountClaims of_node = claims();
  of_node.node = {"n1", "n-1"};
  put(kNode, "n1", "n-1");
  EXPECT_EQ(extra_text(*ask(issue(of_node)).value()->user),
            "credential-id=JTI=j-1 node-name=n1 node-uid=n-1 ");
}

TEST_F(ServiceAccountTest, LeavesTokensOfOthersAlone) {
  const auto other =
      ServiceAccountTokens::make(
          {.issuer = "https://other", .audiences = {}, .keys = {make_token_key().private_key}})
          .value();
  const std::string body =
      to_base64_url(R"({"iss":"https://kubernetes.default.svc.cluster.local"})");
  const std::vector<std::string> others = {"",
                                           "abc",
                                           "abc123.0123456789abcdef",
                                           "a.b.c",
                                           "..",
                                           "...",
                                           other->issue(claims()).value(),
                                           "x.%%.y",
                                           "x." + to_base64_url("{") + ".y",
                                           "x." + to_base64_url("[]") + ".y",
                                           "x." + to_base64_url(R"({"iss":["a"]})") + ".y",
                                           "x." + body + "=.y",
                                           "x." + body,
                                           "x." + body + ".y.z",
                                           std::string(1 << 20, 'a'),
                                           "x." + std::string(1 << 20, 'a') + ".y"};
  for (const std::string& token : others) {
    EXPECT_EQ(refusal(token), "of another kind") << token.substr(0, 40);
  }
}

TEST_F(ServiceAccountTest, TokensMustBeSignedByUs) {
  const std::string good = issue(claims());
  const std::vector<std::string_view> parts = split(good, '.');
  const std::string payload(parts[1]);
  const std::string signature(parts[2]);
  const auto with = [&](std::string_view header, const std::string& proof) {
    return to_base64_url(header) + "." + payload + "." + proof;
  };
  const std::string wrong = "invalid bearer token: its signature is not one of ours";
  EXPECT_EQ(refusal(good), "");
  // Tokens that try to disable or choose their verification.
  for (const std::string_view header :
       {R"({"alg":"none"})", R"({"alg":"None"})", R"({"alg":""})", "{}", R"({"alg":"HS256"})",
        R"({"alg":"RS256"})", R"({"alg":"ES384"})", R"({"alg":"ES256","kid":"other"})",
        R"({"alg":"ES256","kid":""})"}) {
    EXPECT_EQ(refusal(with(header, "")), wrong) << header;
    EXPECT_EQ(refusal(with(header, signature)), wrong) << header;
  }
  // With our public key as the secret of a MAC.
  const std::string text = to_base64_url(R"({"alg":"HS256"})") + "." + payload;
  const std::string key = tokens_->keys()[0]->public_key().pem();
  const std::string mac = to_base64_url(crypto::hmac_sha256(key, text).view());
  EXPECT_EQ(refusal(text + "." + mac), wrong);
  // Signed by a foreign key, under any name.
  const auto others = make_tokens();
  EXPECT_EQ(refusal(others->issue(claims()).value()), wrong);
  const std::string named =
      to_base64_url(R"({"alg":"ES256","kid":")" + tokens_->keys()[0]->id() + "\"}") + "." + payload;
  EXPECT_EQ(refusal(named + "." + to_base64_url(others->keys()[0]->sign(named).value())), wrong);
}

TEST_F(ServiceAccountTest, TokensAreForTheirAudience) {
  ServiceAccountClaims both = claims();
  both.audiences = {"vault", "other", kHere[0]};
  EXPECT_EQ(ask(issue(both), {"vault", kHere[0], "x"}).value()->audiences,
            (Names{"vault", kHere[0]}));
  ServiceAccountClaims vault = claims();
  vault.audiences = {"vault"};
  EXPECT_EQ(refusal(issue(vault)), "token audiences are invalid for the target audiences");
  EXPECT_EQ(refusal(issue(vault), {}), "token audiences are invalid for the target audiences");
  EXPECT_EQ(refusal(issue(vault), {"vault"}), "");
}

TEST_F(ServiceAccountTest, TokensHaveTheirTime) {
  ServiceAccountClaims late = claims();
  late.issued += minutes(2);
  EXPECT_EQ(refusal(issue(late)), "service account token is not valid yet");
  const std::string token = issue(claims());
  clock_.advance(hours(1) + minutes(1));
  EXPECT_EQ(refusal(token), "");
  clock_.advance(seconds(1));
  EXPECT_EQ(refusal(token), "service account token has expired");
}

TEST_F(ServiceAccountTest, EndsWithItsAccount) {
  const std::string token = issue(claims());
  const TokenIdentity identity = *ask(token).value();
  EXPECT_TRUE(accounts_.still_holds(identity));
  put(kAccount, "robot", "u-1", "", R"(,"secrets":[{"name":"x"}])");
  EXPECT_TRUE(accounts_.still_holds(identity));
  // While it is being deleted, for another minute.
  put(kAccount, "robot", "u-1", "2026-01-02T15:04:05Z");
  EXPECT_EQ(refusal(token), "");
  EXPECT_TRUE(accounts_.still_holds(identity));
  clock_.advance(seconds(60));
  EXPECT_EQ(refusal(token), "");
  EXPECT_TRUE(accounts_.still_holds(identity));
  clock_.advance(seconds(1));
  EXPECT_EQ(refusal(token), "service account default/robot has been deleted");
  EXPECT_FALSE(accounts_.still_holds(identity));
  // Another object of the same name.
  put(kAccount, "robot", "u-2");
  EXPECT_EQ(refusal(token), "service account UID (u-2) does not match claim (u-1)");
  EXPECT_FALSE(accounts_.still_holds(identity));
  remove(kAccount);
  EXPECT_EQ(refusal(token), "serviceaccounts \"robot\" not found");
  EXPECT_FALSE(accounts_.still_holds(identity));
}

TEST_F(ServiceAccountTest, EndsWithWhatItIsBoundTo) {
  struct Case {
    std::string what, key, name;
    std::optional<NamedObject> ServiceAccountClaims::*place;
  };
  const Case cases[] = {
      {"pod", kPod, "web", &ServiceAccountClaims::pod},
      {"node", kNode, "n1", &ServiceAccountClaims::node},
      {"secret", kSecret, "s", &ServiceAccountClaims::secret},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    ServiceAccountClaims bound = claims();
    bound.*c.place = {c.name, "b-1"};
    const std::string token = issue(bound);
    EXPECT_EQ(refusal(token), "service account token has been invalidated");
    put(c.key, c.name, "b-1");
    const auto identity = ask(token);
    ASSERT_TRUE(identity.ok()) << identity.status().message();
    EXPECT_TRUE(accounts_.still_holds(**identity));
    // A pod with thirty seconds left counts until a minute after that.
    const Time end = clock_.now() + seconds(30);
    put(c.key, c.name, "b-1", format_time(end));
    clock_.advance(seconds(90));
    EXPECT_EQ(refusal(token), "");
    EXPECT_TRUE(accounts_.still_holds(**identity));
    clock_.advance(seconds(1));
    EXPECT_EQ(refusal(token), "service account token has been invalidated");
    EXPECT_FALSE(accounts_.still_holds(**identity));
    put(c.key, c.name, "b-2");
    EXPECT_EQ(refusal(token),
              c.what + " UID (b-2) does not match service account " + c.what + " ref claim (b-1)");
    EXPECT_FALSE(accounts_.still_holds(**identity));
    remove(c.key);
    EXPECT_EQ(refusal(token), "service account token has been invalidated");
    EXPECT_FALSE(accounts_.still_holds(**identity));
  }
  ServiceAccountClaims nameless = claims();
  nameless.pod = {"web", ""};
  put(kPod, "web", "p-1");
  EXPECT_EQ(refusal(issue(nameless)),
            "pod UID (p-1) does not match service account pod ref claim ()");
}

TEST_F(ServiceAccountTest, DoesNotHoldBeyondItsEnd) {
  const TokenIdentity identity = *ask(issue(claims())).value();
  clock_.advance(hours(1) - seconds(1));
  EXPECT_TRUE(accounts_.still_holds(identity));
  clock_.advance(seconds(1));
  EXPECT_FALSE(accounts_.still_holds(identity));
}

// Legacy tokens in Secrets.
class OlderTokenTest : public ServiceAccountTest {
 protected:
  static std::string text() {
    return R"({"iss":"kubernetes/serviceaccount",)"
           R"("kubernetes.io/serviceaccount/namespace":"default",)"
           R"("kubernetes.io/serviceaccount/secret.name":"s",)"
           R"("kubernetes.io/serviceaccount/service-account.name":"robot",)"
           R"("kubernetes.io/serviceaccount/service-account.uid":"u-1",)"
           R"("sub":"system:serviceaccount:default:robot"})";
  }
  std::string changed(std::string_view from, std::string_view to) const {
    std::string claims = text();
    claims.replace(claims.find(from), from.size(), to);
    return sign(claims);
  }
  void put_secret(const std::string& token, const std::string& deleted = "") {
    put(kSecret, "s", "s-1", deleted, R"(,"data":{"token":")" + to_base64(token) + "\"}");
  }

  const std::string token_ = sign(text());
};

TEST_F(OlderTokenTest, IsTheOneInItsSecret) {
  EXPECT_EQ(refusal(token_), "Token has been invalidated");
  put_secret(token_);
  // The first use leaves its date, which changes the Secret.
  const auto writes = store_->watch({.prefix = kSecret, .exact = true, .from = {}, .wake = {}});
  (void)(*writes)->next(16);
  EXPECT_EQ(refusal(token_), "");
  ASSERT_TRUE((*writes)->wait({}));
  const auto identity = ask(token_).value();
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->user->name, "system:serviceaccount:default:robot");
  EXPECT_EQ(identity->user->uid, "u-1");
  EXPECT_TRUE(identity->user->extra.empty());
  EXPECT_EQ(identity->audiences, kHere);
  EXPECT_TRUE(accounts_.still_holds(*identity));
  // Signed by us, but not the current token of the Secret. (ECDSA signatures differ each time.)
  EXPECT_EQ(refusal(sign(text())), "Token does not match server's copy");
  put_secret(sign(text()));
  EXPECT_EQ(refusal(token_), "Token does not match server's copy");
  EXPECT_FALSE(accounts_.still_holds(*identity));
  put_secret("");
  EXPECT_EQ(refusal(token_), "Token does not match server's copy");
  put_secret(token_, "2026-01-02T15:04:05Z");
  EXPECT_EQ(refusal(token_), "Token has been invalidated");
  remove(kSecret);
  EXPECT_FALSE(accounts_.still_holds(*identity));
}

TEST_F(OlderTokenTest, EndsWithItsAccount) {
  put_secret(token_);
  const auto identity = ask(token_).value();
  put(kAccount, "robot", "u-2");
  EXPECT_FALSE(accounts_.still_holds(*identity));
  EXPECT_EQ(refusal(token_), "ServiceAccount UID (u-2) does not match claim (u-1)");
  put(kAccount, "robot", "u-1", "2026-01-02T15:04:05Z");
  EXPECT_EQ(refusal(token_), "ServiceAccount default/robot has been deleted");
  remove(kAccount);
  EXPECT_EQ(refusal(token_), "serviceaccounts \"robot\" not found");
}

TEST_F(OlderTokenTest, MustSayEverything) {
  const std::string own = "\"kubernetes.io/serviceaccount/";
  const std::tuple<std::string, std::string, std::string> cases[] = {
      {R"("sub":"system:serviceaccount:default:robot")", R"("x":1)", "sub claim is missing"},
      {R"(:robot")", R"(:other")", "sub claim is invalid"},
      {R"("sub":"system:serviceaccount:default:robot")", R"("sub":"robot")",
       "sub claim is invalid"},
      {own + "namespace", "\"x", "namespace claim is missing"},
      {own + "secret.name", "\"x", "secretName claim is missing"},
      {own + "service-account.name", "\"x", "serviceAccountName claim is missing"},
      {own + "service-account.uid", "\"x", "serviceAccountUID claim is missing"},
  };
  for (const auto& [from, to, message] : cases) {
    const std::string token = changed(from, to);
    put_secret(token);
    EXPECT_EQ(refusal(token), message);
  }
}

TEST_F(OlderTokenTest, IsForThisServer) {
  put_secret(token_);
  EXPECT_EQ(refusal(token_, {"vault", "x"}),
            "token audiences [\"https://kubernetes.default.svc.cluster.local\"] is invalid for the "
            "target audiences [\"vault\" \"x\"]");
  const std::string vault = changed("{", R"({"aud":"vault",)");
  put_secret(vault);
  EXPECT_EQ(refusal(vault),
            "token audiences [\"vault\"] is invalid for the target audiences "
            "[\"https://kubernetes.default.svc.cluster.local\"]");
  EXPECT_EQ(refusal(vault, {"vault"}), "");
}

TEST_F(OlderTokenTest, IsNotWhatOneShouldUse) {
  put_secret(token_);
  put(kAccount, "robot", "u-1", "", R"(,"secrets":[{"name":"other"},{"name":"s"}])");
  EXPECT_EQ(ask(token_).value()->warnings,
            Names{"Use tokens from the TokenRequest API or manually created secret-based tokens "
                  "instead of auto-generated secret-based tokens."});
  commit(store::Put{kSecret, Bytes(R"({"metadata":{"name":"s","labels":{)"
                                   R"("kubernetes.io/legacy-token-invalid-since":"2026-01-01"}},)"
                                   R"("data":{"token":")" +
                                   to_base64(token_) + "\"}}")});
  EXPECT_EQ(refusal(token_),
            "the token in secret default/s for service account default/robot has been marked "
            "invalid. Use tokens from the TokenRequest API or manually created secret-based "
            "tokens, or remove the 'kubernetes.io/legacy-token-invalid-since' label from the "
            "secret to temporarily allow use of this token");
}

TEST_F(OlderTokenTest, LeavesADate) {
  const auto last_used = [this] {
    const auto secret = json::parse((*store_->get(kSecret))->value());
    return std::string(api::View(secret->root())
                           .at("metadata.labels")["kubernetes.io/legacy-token-last-used"]
                           .text());
  };
  put_secret(token_);
  // The date is written by another thread.
  const auto writes = store_->watch({.prefix = kSecret, .exact = true, .from = {}, .wake = {}});
  const auto use = [&](bool writes_date) {
    (void)(*writes)->next(16);
    EXPECT_EQ(refusal(token_), "");
    if (!writes_date) return;
    EXPECT_TRUE((*writes)->wait({}));
  };
  EXPECT_EQ(refusal(sign(text())), "Token does not match server's copy");
  EXPECT_EQ(last_used(), "");
  use(true);
  EXPECT_EQ(last_used(), "2026-01-02");
  // Once a day.
  const store::Revision first = store_->revision();
  use(false);
  clock_.advance(hours(24));
  use(true);
  EXPECT_EQ(last_used(), "2026-01-03");
  EXPECT_EQ(store_->revision(), first.next());
}

TEST_F(OlderTokenTest, MustBeSignedByUs) {
  put_secret(token_);
  const std::vector<std::string_view> parts = split(token_, '.');
  const std::string forged = to_base64_url(R"({"alg":"none"})") + "." + std::string(parts[1]) + ".";
  put_secret(forged);
  EXPECT_EQ(refusal(forged), "invalid bearer token: its signature is not one of ours");
}

TEST_F(OlderTokenTest, IsCounted) {
  const auto has = [this](const std::string& line) {
    MetricsText text;
    accounts_.write_metrics(text);
    return text.take().find("\nserviceaccount_" + line + "\n") != std::string::npos;
  };
  EXPECT_TRUE(has("legacy_tokens_total 0"));
  put_secret(token_);
  EXPECT_EQ(refusal(token_), "");
  EXPECT_TRUE(has("legacy_manual_token_uses_total 1"));
  put(kAccount, "robot", "u-1", "", R"(,"secrets":[{"name":"s"}])");
  EXPECT_EQ(refusal(token_), "");
  EXPECT_TRUE(has("legacy_auto_token_uses_total 1"));
  EXPECT_TRUE(has("legacy_tokens_total 2"));
  ServiceAccountClaims issued = claims();
  EXPECT_EQ(refusal(issue(issued)), "");
  EXPECT_TRUE(has("valid_tokens_total 0"));
  issued.warn_after = clock_.now() + seconds(10);
  EXPECT_EQ(refusal(issue(issued)), "");
  clock_.advance(seconds(11));
  EXPECT_EQ(refusal(issue(issued)), "");
  EXPECT_TRUE(has("valid_tokens_total 1"));
  EXPECT_TRUE(has("stale_tokens_total 1"));
}

}  // namespace
}  // namespace proa::apiserver
