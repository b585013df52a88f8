#include "apiserver/front/paths/issuer.h"

#include <gtest/gtest.h>

#include "api/object/view.h"
#include "base/encoding.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::apiserver {
namespace {

constexpr std::string_view kRsaKey =
    "-----BEGIN PUBLIC KEY-----\n"
    "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA1jMtc5Djk7qigYDU5aI2\n"
    "2avhBpAXB9sjaesd/WVIwIc/XsJUedGc2r61P7DEtMpJhUbq3fMHbUf4YCBxsxRx\n"
    "4927/67nRE0rRr/DX8HSodLqlO7pD41NfIWdyLTrXA6QnuztNQnOcQLWWqAQ3q0a\n"
    "/n+HUo1pguFS5eug8zttsY8qZuM09BLDFL9csVjZbf4CeGiy5EQOzVbHabQkTOeA\n"
    "Nj5JS7yFRoiSub9prkMscF+4xyoTKfNHbDmdm+OV59paqI4iNK4KA49Ml+gMKigM\n"
    "aLuVqaFQzecGg9FmOK3s8MZbOS+T+GBeJkBDuq4CEkI/K8oB/FreAw7sdeaZFwHA\n"
    "XwIDAQAB\n"
    "-----END PUBLIC KEY-----\n";
constexpr std::string_view kP256Key =
    "-----BEGIN PUBLIC KEY-----\n"
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAELZiKBGXs+vK5QFG2FchrILAQXfel\n"
    "QWiPRDDYHolK6DbsyJxm0t1i3doiqkJ+NH8SbmtqnwfonFy22Zla0UUoUQ==\n"
    "-----END PUBLIC KEY-----\n";
constexpr std::string_view kP521Key =
    "-----BEGIN PUBLIC KEY-----\n"
    "MIGbMBAGByqGSM49AgEGBSuBBAAjA4GGAAQAJI+CE26vQczS0oEwRyrjMeUKONBy\n"
    "j4rHLshtXXKXvEJXV4CDbuFTlP5pfoQiOCm/t9HJ4xbsw0G3uF3h+GXax6oANB6l\n"
    "YirHLCszslXZLQ7dwh3GQ48r6JttMIKm04qH2gVVq7uvJJ2mei4IAhl+9ilFQkmm\n"
    "eYF90ZIHahb2Y1D2yUg=\n"
    "-----END PUBLIC KEY-----\n";

std::unique_ptr<const ServiceAccountTokens> tokens_with(std::vector<std::string_view> more = {},
                                                        const std::string& issuer = "") {
  ServiceAccountTokens::Options options;
  options.keys.push_back(make_token_key().private_key);
  options.keys.insert(options.keys.end(), more.begin(), more.end());
  if (!issuer.empty()) options.issuer = issuer;
  return ServiceAccountTokens::make(options).value();
}

std::optional<http::Response> ask(IssuerPaths& paths, std::string_view path,
                                  std::string_view method = "GET") {
  http::RequestHead head;
  head.method = method;
  head.target = path;
  return paths.answer(head, http::parse_target(path).value());
}

TEST(IssuerPaths, SayWhoIssuesTokens) {
  const auto tokens = tokens_with({kRsaKey, kP256Key});
  auto paths = IssuerPaths::make(*tokens, {.server_address = "192.0.2.1:6443"}).value();
  const auto answer = ask(*paths, "/.well-known/openid-configuration").value();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.get("content-type"), "application/json");
  EXPECT_EQ(answer.headers.get("cache-control"), "public, max-age=3600");
  EXPECT_EQ(answer.body.view(),
            R"({"issuer":"https://kubernetes.default.svc.cluster.local",)"
            R"("jwks_uri":"https://192.0.2.1:6443/openid/v1/jwks",)"
            R"("response_types_supported":["id_token"],"subject_types_supported":["public"],)"
            R"("id_token_signing_alg_values_supported":["ES256","RS256"]})");
}

TEST(IssuerPaths, ShowTheKeysAsUpstreamDoes) {
  const auto tokens = tokens_with({kRsaKey, kP256Key, kP521Key});
  auto paths = IssuerPaths::make(*tokens, {.server_address = "a:1"}).value();
  const auto answer = ask(*paths, "/openid/v1/jwks").value();
  EXPECT_EQ(answer.headers.get("content-type"), "application/jwk-set+json");
  EXPECT_EQ(answer.headers.get("cache-control"), "public, max-age=3600");
  const json::Document document = json::parse(answer.body.view()).value();
  const api::View keys = api::View(document.root())["keys"];
  ASSERT_EQ(keys.size(), 4u);
  const std::string rsa =
      R"({"use":"sig","kty":"RSA","kid":"ID","alg":"RS256","n":"1jMtc5Djk7qigYDU5aI22avhBpAXB9sja)"
      R"(esd_WVIwIc_XsJUedGc2r61P7DEtMpJhUbq3fMHbUf4YCBxsxRx4927_67nRE0rRr_DX8HSodLqlO7pD41NfIWdyL)"
      R"(TrXA6QnuztNQnOcQLWWqAQ3q0a_n-HUo1pguFS5eug8zttsY8qZuM09BLDFL9csVjZbf4CeGiy5EQOzVbHabQkTOe)"
      R"(ANj5JS7yFRoiSub9prkMscF-4xyoTKfNHbDmdm-OV59paqI4iNK4KA49Ml-gMKigMaLuVqaFQzecGg9FmOK3s8MZb)"
      R"(OS-T-GBeJkBDuq4CEkI_K8oB_FreAw7sdeaZFwHAXw","e":"AQAB"})";
  const std::string p256 = R"({"use":"sig","kty":"EC","kid":"ID","crv":"P-256","alg":"ES256",)"
                           R"("x":"LZiKBGXs-vK5QFG2FchrILAQXfelQWiPRDDYHolK6DY",)"
                           R"("y":"7MicZtLdYt3aIqpCfjR_Em5rap8H6JxcttmZWtFFKFE"})";
  // Leading zeros are kept.
  const std::string p521 =
      R"({"use":"sig","kty":"EC","kid":"ID","crv":"P-521","alg":"ES512",)"
      R"("x":"ACSPghNur0HM0tKBMEcq4zHlCjjQco-Kxy7IbV1yl7xCV1eAg27hU5T-aX6EIjgpv7fRyeMW7MNBt7hd4fhl)"
      R"(2seq","y":"ADQepWIqxywrM7JV2S0O3cIdxkOPK-ibbTCCptOKh9oFVau7rySdpnouCAIZfvYpRUJJpnmBfdGSB2o)"
      R"(W9mNQ9slI"})";
  size_t index = 1;
  for (std::string expected : {rsa, p256, p521}) {
    expected.replace(expected.find("ID"), 2, tokens->keys()[index]->id());
    EXPECT_EQ(json::print(*keys.item(index).value()), expected);
    ++index;
  }
}

TEST(IssuerPaths, KeepPrivateKeysToThemselves) {
  const auto tokens = tokens_with();
  auto paths = IssuerPaths::make(*tokens, {.server_address = "a:1"}).value();
  const auto answer = ask(*paths, "/openid/v1/jwks").value();
  const json::Document document = json::parse(answer.body.view()).value();
  const api::View key = api::View(document.root())["keys"].item(0);
  EXPECT_EQ(key.size(), 7u);
  EXPECT_FALSE(key["d"].exists());
  EXPECT_EQ(from_base64_url(key["x"].text())->size(), 32u);
  EXPECT_EQ(from_base64_url(key["y"].text())->size(), 32u);
}

TEST(IssuerPaths, AreOnlyRead) {
  const auto tokens = tokens_with();
  auto paths = IssuerPaths::make(*tokens, {.server_address = "a:1"}).value();
  EXPECT_EQ(ask(*paths, "/openid/v1/jwks", "POST")->status, 405);
  EXPECT_EQ(ask(*paths, "/openid/v1/jwks", "HEAD")->status, 405);
  for (const std::string_view path :
       {"/", "/openid/v1", "/openid/v1/jwks/x", "/openid%2fv1/jwks", "/.well-known"}) {
    EXPECT_FALSE(ask(*paths, path)) << path;
  }
}

TEST(IssuerPaths, NeedSecureUrls) {
  const IssuerPaths::Options here{.server_address = "a:1"};
  for (const std::string& issuer :
       {std::string("http://a"), std::string("a"), std::string("https://a?b"),
        std::string("https://a#b"), std::string("https://user@a")}) {
    EXPECT_TRUE(IssuerPaths::make(*tokens_with({}, issuer), here).is(Reason::kInvalid)) << issuer;
  }
  const auto tokens = tokens_with();
  EXPECT_TRUE(IssuerPaths::make(*tokens, {.server_address = ""}).is(Reason::kInvalid));
  EXPECT_TRUE(IssuerPaths::make(*tokens, {.server_address = "a:1", .keys_url = "http://k"})
                  .is(Reason::kInvalid));
  auto paths =
      IssuerPaths::make(*tokens, {.server_address = "a:1", .keys_url = "https://k/jwks"}).value();
  const auto answer = ask(*paths, "/.well-known/openid-configuration").value();
  EXPECT_NE(answer.body.view().find(R"("jwks_uri":"https://k/jwks")"), std::string_view::npos);
}

}  // namespace
}  // namespace proa::apiserver
