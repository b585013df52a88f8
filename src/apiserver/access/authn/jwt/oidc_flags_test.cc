#include "apiserver/access/authn/jwt/oidc_flags.h"

#include <gtest/gtest.h>

#include "testkit/apiserver/test_https_server.h"

namespace proa::apiserver {
namespace {

OidcFlags flags() {
  OidcFlags flags;
  flags.issuer_url = "https://issuer";
  flags.client_id = "client";
  return flags;
}

JwtIssuer issuer_of(const OidcFlags& given) { return configuration_of(given, {})->issuers.at(0); }

TEST(OidcFlags, NameAnIssuer) {
  const JwtIssuer issuer = issuer_of(flags());
  EXPECT_EQ(issuer.url, "https://issuer");
  EXPECT_EQ(issuer.discovery_document(), "https://issuer/.well-known/openid-configuration");
  EXPECT_EQ(issuer.audiences, std::vector<std::string>{"client"});
  EXPECT_EQ(issuer.username.claim, "sub");
  EXPECT_EQ(issuer.groups.claim, "");
  EXPECT_EQ(issuer.algorithms, std::vector<std::string>{"RS256"});
  EXPECT_TRUE(issuer.required_claims.empty());
  EXPECT_FALSE(configuration_of(flags(), {})->anonymous.has_value());
}

TEST(OidcFlags, SayAllThatAFileCouldSay) {
  OidcFlags given = flags();
  given.ca_pem = TestCertificates::get().authority.certificate_pem;
  given.groups_claim = "groups";
  given.groups_prefix = "oidc:";
  given.signing_algorithms = {"ES256", "PS512"};
  given.required_claims = {{"hd", "example.com"}, {"x", ""}};
  const JwtIssuer issuer = issuer_of(given);
  EXPECT_EQ(issuer.certificate_authority, given.ca_pem);
  EXPECT_EQ(issuer.groups.claim, "groups");
  EXPECT_EQ(issuer.groups.prefix, "oidc:");
  EXPECT_EQ(issuer.algorithms, given.signing_algorithms);
  ASSERT_EQ(issuer.required_claims.size(), 2u);
  EXPECT_EQ(issuer.required_claims[0].value, "example.com");
  EXPECT_EQ(issuer.required_claims[1].claim, "x");
}

TEST(OidcFlags, PutTheIssuerBeforeNamesUnlessTheySayOtherwise) {
  struct Case {
    std::string claim;
    std::string given;
    std::string prefix;
  };
  const std::vector<Case> cases = {
      {"sub", "", "https://issuer#"},
      {"sub", "-", ""},
      {"sub", "x:", "x:"},
      {"email", "", ""},
      {"email", "-", ""},
      {"email", "x:", "x:"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.claim + " " + c.given);
    OidcFlags given = flags();
    given.username_claim = c.claim;
    given.username_prefix = c.given;
    EXPECT_EQ(issuer_of(given).username.prefix, c.prefix);
  }
}

TEST(OidcFlags, AreRefusedWhereTheyAreWrong) {
  const auto failure = [](const OidcFlags& given, std::vector<std::string> own = {}) {
    const auto made = configuration_of(given, own);
    return made.ok() ? "" : made.status().message();
  };
  const std::string together =
      "oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set";
  OidcFlags given = flags();
  given.client_id.clear();
  EXPECT_EQ(failure(given), together);
  given = flags();
  given.issuer_url.clear();
  EXPECT_EQ(failure(given), together);
  given = flags();
  given.signing_algorithms = {"RS256", "HS256"};
  EXPECT_EQ(failure(given), "oidc: unsupported signing alg: \"HS256\"");
  given = flags();
  given.issuer_url = "http://issuer";
  EXPECT_EQ(failure(given),
            "invalid authentication configuration: jwt[0].issuer.url: Invalid value: "
            "\"http://issuer\": URL scheme must be https");
  given = flags();
  given.username_claim.clear();
  EXPECT_EQ(failure(given),
            "invalid authentication configuration: jwt[0].claimMappings.username: Required value: "
            "claim or expression is required");
  given = flags();
  given.ca_pem = "nothing";
  EXPECT_NE(failure(given), "");
  EXPECT_NE(failure(flags(), {"https://issuer"}), "");
}

}  // namespace
}  // namespace proa::apiserver
