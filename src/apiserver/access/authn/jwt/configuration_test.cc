#include "apiserver/access/authn/jwt/configuration.h"

#include <gtest/gtest.h>

#include "testkit/apiserver/test_https_server.h"

namespace proa::apiserver {
namespace {

constexpr std::string_view kWhole = R"(
apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
jwt:
- issuer:
    url: https://issuer.example/tenant
    discoveryURL: https://discovery.example/.well-known/openid-configuration
    audiences: [my-app, my-other-app]
    audienceMatchPolicy: MatchAny
  claimValidationRules:
  - claim: hd
    requiredValue: example.com
  claimMappings:
    username: {claim: email, prefix: ""}
    groups: {claim: groups, prefix: "oidc:"}
    uid: {claim: sub}
- issuer:
    url: https://second.example/
    audiences: [one]
  claimMappings:
    username: {claim: sub, prefix: "second:"}
anonymous:
  enabled: true
  conditions:
  - path: /livez
  - path: /readyz
)";

std::string failure_of(std::string_view text, std::vector<std::string> own = {}) {
  const auto read = read_authentication_configuration(text, own);
  return read.ok() ? "" : read.status().message();
}

TEST(AuthenticationConfiguration, IsReadFromAFile) {
  const auto read = read_authentication_configuration(kWhole, {});
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->issuers.size(), 2u);
  const JwtIssuer& first = read->issuers[0];
  EXPECT_EQ(first.url, "https://issuer.example/tenant");
  EXPECT_EQ(first.discovery_document(),
            "https://discovery.example/.well-known/openid-configuration");
  EXPECT_EQ(first.audiences, (std::vector<std::string>{"my-app", "my-other-app"}));
  ASSERT_EQ(first.required_claims.size(), 1u);
  EXPECT_EQ(first.required_claims[0].claim, "hd");
  EXPECT_EQ(first.required_claims[0].value, "example.com");
  EXPECT_EQ(first.username.claim, "email");
  EXPECT_EQ(first.username.prefix, "");
  EXPECT_EQ(first.groups.claim, "groups");
  EXPECT_EQ(first.groups.prefix, "oidc:");
  EXPECT_EQ(first.uid.claim, "sub");
  EXPECT_EQ(first.algorithms.size(), 9u);
  const JwtIssuer& second = read->issuers[1];
  EXPECT_EQ(second.discovery_document(), "https://second.example/.well-known/openid-configuration");
  EXPECT_EQ(second.username.prefix, "second:");
  EXPECT_EQ(second.groups.claim, "");
  ASSERT_TRUE(read->anonymous.has_value());
  EXPECT_EQ(read->anonymous->scope, AnonymousScope::kPaths);
  EXPECT_EQ(read->anonymous->paths, (std::vector<std::string>{"/livez", "/readyz"}));
}

TEST(AuthenticationConfiguration, HasItsAuthoritiesInside) {
  std::string indented = TestCertificates::get().authority.certificate_pem;
  for (size_t at = indented.find('\n'); at != std::string::npos; at = indented.find('\n', at + 1)) {
    indented.insert(at + 1, "      ");
  }
  const std::string text =
      "apiVersion: apiserver.config.k8s.io/v1beta1\nkind: AuthenticationConfiguration\njwt:\n"
      "- issuer:\n    url: https://a\n    audiences: [a]\n    certificateAuthority: |\n      " +
      indented + "\n  claimMappings: {username: {claim: sub, prefix: ''}}\n";
  const auto read = read_authentication_configuration(text, {});
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_TRUE(read->issuers[0].certificate_authority.starts_with("-----BEGIN CERTIFICATE-----"));
}

TEST(AuthenticationConfiguration, SaysWhereAnonymousCallersAreLetIn) {
  const std::string head =
      "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n";
  const auto anonymous = [&](const std::string& text) {
    return read_authentication_configuration(head + text, {}).value().anonymous;
  };
  EXPECT_FALSE(anonymous("jwt: []\n").has_value());
  EXPECT_EQ(anonymous("anonymous: {enabled: false}\n")->scope, AnonymousScope::kNowhere);
  EXPECT_EQ(anonymous("anonymous: {enabled: true}\n")->scope, AnonymousScope::kEverywhere);
  EXPECT_EQ(anonymous("anonymous: {}\n")->scope, AnonymousScope::kNowhere);
}

TEST(AuthenticationConfiguration, IsReadInEachOfItsVersions) {
  for (const char* version : {"v1", "v1beta1", "v1alpha1"}) {
    SCOPED_TRACE(version);
    EXPECT_EQ(failure_of("apiVersion: apiserver.config.k8s.io/" + std::string(version) +
                         "\nkind: AuthenticationConfiguration\njwt: []\n"),
              "");
    EXPECT_EQ(failure_of(R"({"apiVersion":"apiserver.config.k8s.io/)" + std::string(version) +
                         R"(","kind":"AuthenticationConfiguration"})"),
              "");
  }
}

TEST(AuthenticationConfiguration, RefusesWhatItIsNot) {
  const std::string head =
      "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n";
  EXPECT_EQ(failure_of(""), "empty config data");
  EXPECT_EQ(failure_of("kind: AuthenticationConfiguration\n"), "Object 'apiVersion' is missing");
  EXPECT_EQ(failure_of("[]"), "Object 'Kind' is missing");
  EXPECT_EQ(failure_of("apiVersion: v1\nkind: Pod\n"),
            "no kind \"Pod\" is registered for version \"v1\"");
  EXPECT_EQ(failure_of("apiVersion: apiserver.config.k8s.io/v2\nkind: AuthenticationConfiguration"),
            "no kind \"AuthenticationConfiguration\" is registered for version "
            "\"apiserver.config.k8s.io/v2\"");
  EXPECT_EQ(failure_of(head + "jwts: []\n"), "strict decoding error: unknown field \"jwts\"");
  EXPECT_EQ(failure_of(head + "jwt: [{issuer: {uri: x}}]\n"),
            "strict decoding error: unknown field \"jwt[0].issuer.uri\"");
  EXPECT_NE(failure_of(head + "jwt: {}\n"), "");
  EXPECT_NE(failure_of(head + "jwt: [{issuer: {url: 7}}]\n"), "");
  EXPECT_NE(failure_of(head + "anonymous: true\n"), "");
  EXPECT_NE(failure_of("{"), "");
}

TEST(AuthenticationConfiguration, NamesAllThatIsWrong) {
  const std::string text =
      "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n"
      "jwt: [{issuer: {url: 'http://a', audiences: [x]}, claimMappings: {username: {claim: c}}}]\n";
  EXPECT_EQ(failure_of(text),
            "invalid authentication configuration: [jwt[0].issuer.url: Invalid value: "
            "\"http://a\": URL scheme must be https, jwt[0].claimMappings.username.prefix: "
            "Required value: prefix is required when claim is set. It can be set to an empty "
            "string to disable prefixing]");
  EXPECT_EQ(failure_of(kWhole, {"https://second.example/", "a"}),
            "invalid authentication configuration: jwt[1].issuer.url: Invalid value: "
            "\"https://second.example/\": URL must not overlap with disallowed issuers: [a "
            "https://second.example/]");
}

}  // namespace
}  // namespace proa::apiserver
