#include "apiserver/access/authn/jwt/configuration_rules.h"

#include <gtest/gtest.h>

#include "json/yaml.h"

namespace proa::apiserver {
namespace {

std::vector<std::string> wrong_in(const std::string& yaml, std::vector<std::string> own = {}) {
  const json::Document document = json::parse_yaml(yaml).value();
  api::FieldErrors errors;
  validate_authentication_configuration(document.root(), own, errors);
  return errors.texts();
}

using Wrong = std::vector<std::string>;

constexpr const char* kMappings = "claimMappings: {username: {claim: sub, prefix: ''}}";

std::string with_issuer(const std::string& issuer) {
  return "jwt: [{issuer: " + issuer + ", " + kMappings + "}]";
}

TEST(AuthenticationConfigurationRules, HoldForIssuers) {
  struct Case {
    std::string name;
    std::string issuer;
    Wrong wrong;
  };
  const std::string url = "jwt[0].issuer.url: ";
  const std::string discovery = "jwt[0].issuer.discoveryURL: ";
  const std::vector<Case> cases = {
      {"good", "{url: 'https://issuer-url', audiences: [a]}", {}},
      {"good with a path", "{url: 'https://issuer-url:8443/a/b', audiences: [a]}", {}},
      {"no URL", "{audiences: [a]}", {url + "Required value"}},
      {"no scheme",
       "{url: invalid-url, audiences: [a]}",
       {url + R"(Invalid value: "invalid-url": URL scheme must be https)"}},
      {"not https",
       "{url: 'http://issuer-url', audiences: [a]}",
       {url + R"(Invalid value: "http://issuer-url": URL scheme must be https)"}},
      {"a user",
       "{url: 'https://user:pass@issuer-url', audiences: [a]}",
       {url + R"(Invalid value: "https://user:pass@issuer-url": )" +
        "URL must not contain a username or password"}},
      {"a query",
       "{url: 'https://issuer-url?query', audiences: [a]}",
       {url + R"(Invalid value: "https://issuer-url?query": URL must not contain a query)"}},
      {"a fragment",
       "{url: 'https://issuer-url#fragment', audiences: [a]}",
       {url + R"(Invalid value: "https://issuer-url#fragment": URL must not contain a fragment)"}},
      {"discovery", "{url: 'https://a', discoveryURL: 'https://b/c', audiences: [a]}", {}},
      {"discovery without TLS",
       "{url: 'https://a', discoveryURL: 'http://b', audiences: [a]}",
       {discovery + R"(Invalid value: "http://b": URL scheme must be https)"}},
      {"discovery at the same place",
       "{url: 'https://a', discoveryURL: 'https://a///', audiences: [a]}",
       {discovery + R"(Invalid value: "https://a///": discoveryURL must be different from URL)"}},
      {"no audience",
       "{url: 'https://a'}",
       {"jwt[0].issuer.audiences: Required value: at least one jwt[0].issuer.audiences is "
        "required"}},
      {"an empty audience",
       "{url: 'https://a', audiences: ['']}",
       {"jwt[0].issuer.audiences[0]: Required value"}},
      {"an audience twice",
       "{url: 'https://a', audiences: [a, a], audienceMatchPolicy: MatchAny}",
       {R"(jwt[0].issuer.audiences[1]: Duplicate value: "a")"}},
      {"several audiences without a policy",
       "{url: 'https://a', audiences: [a, b]}",
       {R"(jwt[0].issuer.audienceMatchPolicy: Invalid value: "": )"
        "audienceMatchPolicy must be MatchAny for multiple audiences"}},
      {"another policy",
       "{url: 'https://a', audiences: [a], audienceMatchPolicy: MatchExact}",
       {R"(jwt[0].issuer.audienceMatchPolicy: Invalid value: "MatchExact": )"
        "audienceMatchPolicy must be empty or MatchAny for single audience"}},
      {"no certificate",
       "{url: 'https://a', audiences: [a], certificateAuthority: secret}",
       {R"(jwt[0].issuer.certificateAuthority: Invalid value: "<omitted>": )"
        "data does not contain any valid RSA or ECDSA certificates"}},
      {"egress",
       "{url: 'https://a', audiences: [a], egressSelectorType: cluster}",
       {R"(jwt[0].issuer.egressSelectorType: Invalid value: "cluster": )"
        "egress selectors are not supported by this server"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(wrong_in(with_issuer(c.issuer)), c.wrong);
  }
  for (const char* text : {"https://", "https:///path", "https:opaque", "https://issuer-url:port",
                           "https://[::1", "https://a b", "https://a/%zz", "https://a%41/"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(wrong_in(with_issuer("{url: '" + std::string(text) + "', audiences: [a]}")).size(),
              1u);
  }
}

TEST(AuthenticationConfigurationRules, HoldForTheIssuersTogether) {
  const auto issuer = [](const std::string& url, const std::string& discovery) {
    return "{issuer: {url: '" + url + "', discoveryURL: '" + discovery + "', audiences: [a]}, " +
           kMappings + "}";
  };
  EXPECT_EQ(wrong_in("jwt: [" + issuer("https://a", "") + ", " + issuer("https://a", "") + "]"),
            Wrong{R"(jwt[1].issuer.url: Duplicate value: "https://a")"});
  EXPECT_EQ(wrong_in("jwt: [" + issuer("https://a", "https://d") + ", " +
                     issuer("https://b", "https://d") + "]"),
            Wrong{R"(jwt[1].issuer.discoveryURL: Duplicate value: "https://d")"});
  EXPECT_EQ(wrong_in("jwt: [" + issuer("https://a", "") + "]", {"https://a", "c", "b"}),
            Wrong{R"(jwt[0].issuer.url: Invalid value: "https://a": )"
                  "URL must not overlap with disallowed issuers: [b c https://a]"});
  std::string many = "jwt: [{}";
  for (int i = 0; i < 64; ++i) many += ", {}";
  EXPECT_EQ(wrong_in(many + "]"), Wrong{"jwt: Too many: 65: must have at most 64 items"});
}

TEST(AuthenticationConfigurationRules, HoldForClaims) {
  struct Case {
    std::string name;
    std::string rest;
    Wrong wrong;
  };
  const std::string prefix =
      "Required value: prefix is required when claim is set. It can be set to an empty string to "
      "disable prefixing";
  const std::string mappings = "jwt[0].claimMappings.";
  const std::string rules = "jwt[0].claimValidationRules";
  const std::vector<Case> cases = {
      {"no mappings", "", {mappings + "username: Required value: claim or expression is required"}},
      {"no prefix",
       "claimMappings: {username: {claim: a}, groups: {claim: b}}",
       {mappings + "username.prefix: " + prefix, mappings + "groups.prefix: " + prefix}},
      {"both",
       "claimMappings: {username: {claim: a, expression: b}, uid: {claim: a, expression: b}}",
       {mappings + R"(username: Invalid value: "": claim and expression can't both be set)",
        mappings + R"(uid: Invalid value: "": claim and expression can't both be set)"}},
      {"rules",
       std::string(kMappings) +
           ", claimValidationRules: [{claim: a, requiredValue: b}, {}, {claim: a}, {claim: d, "
           "expression: e}, {claim: f, message: g}]",
       {rules + "[1]: Required value: claim or expression is required",
        rules + R"([2].claim: Duplicate value: "a")",
        rules + R"([3]: Invalid value: "d": claim and expression can't both be set)",
        rules + R"([4].message: Invalid value: "g": may not be specified when claim is set)"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(wrong_in("jwt: [{issuer: {url: 'https://a', audiences: [a]}" +
                       (c.rest.empty() ? "" : ", " + c.rest) + "}]"),
              c.wrong);
  }
}

std::string undeclared(const std::string& name) {
  return "Invalid value: \"" + name +
         "\": compilation failed: ERROR: <input>:1:1: undeclared reference to '" + name +
         "' (in container '')\n | " + name + "\n | ^";
}

TEST(AuthenticationConfigurationRules, HoldForExpressions) {
  struct Case {
    std::string name;
    std::string rest;
    Wrong wrong;
  };
  const std::string mappings = "jwt[0].claimMappings.";
  const std::string rules = "jwt[0].claimValidationRules";
  const std::string users = "jwt[0].userValidationRules";
  const std::string verified =
      "claims.email_verified must be used in claimMappings.username.expression or "
      "claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when "
      "claims.email is used in claimMappings.username.expression";
  const std::string with_email = "claimMappings: {username: {expression: claims.email}";
  const Wrong no_verified = {mappings +
                             "username.expression: Invalid value: \"claims.email\": " + verified};
  const std::vector<Case> cases = {
      {"good",
       "claimMappings: {username: {expression: '\"a:\" + claims.sub'}, groups: {expression: "
       "claims.groups}, uid: {expression: claims.sub}, extra: [{key: a.example/b, "
       "valueExpression: claims.b}]}, claimValidationRules: [{expression: claims.hd == 'a', "
       "message: no}], userValidationRules: [{expression: "
       "\"!user.username.startsWith('system:')\", "
       "message: reserved}]",
       {}},
      {"names that are not there",
       "claimMappings: {username: {expression: a}, groups: {expression: b}, uid: {expression: c}, "
       "extra: [{key: x/y, valueExpression: d}]}, claimValidationRules: [{expression: e}], "
       "userValidationRules: [{expression: claims}]",
       {rules + "[0].expression: " + undeclared("e"),
        mappings + "username.expression: " + undeclared("a"),
        mappings + "groups.expression: " + undeclared("b"),
        mappings + "uid.expression: " + undeclared("c"),
        mappings + "extra[0].valueExpression: " + undeclared("d"),
        users + "[0].expression: " + undeclared("claims")}},
      {"rules",
       std::string(kMappings) +
           ", claimValidationRules: [{expression: 'true', requiredValue: a}, {expression: 'true'}, "
           "{expression: claims.a}], userValidationRules: [{expression: 'true'}, {}, {expression: "
           "'true'}, {expression: user.uid}]",
       {rules + "[0].requiredValue: Invalid value: \"a\": may not be specified when expression is "
                "set",
        rules + "[1].expression: Duplicate value: \"true\"",
        rules + "[2].expression: Invalid value: \"claims.a\": must evaluate to bool",
        users + "[1].expression: Required value",
        users + "[2].expression: Duplicate value: \"true\"",
        users + "[3].expression: Invalid value: \"user.uid\": must evaluate to bool"}},
      {"a prefix",
       "claimMappings: {username: {expression: claims.sub, prefix: a}}",
       {mappings + "username.prefix: Invalid value: \"a\": may not be specified when expression is "
                   "set"}},
      {"extra",
       "claimMappings: {username: {claim: a, prefix: ''}, extra: [{valueExpression: claims.a}, "
       "{key: a, valueExpression: claims.a}, {key: A.example/x, valueExpression: claims.a}, {key: "
       "a.k8s.io/b, valueExpression: claims.a}, {key: a.example/b, valueExpression: ''}, {key: "
       "a.example/b, valueExpression: claims.a}, {key: kubernetes.io/b, valueExpression: "
       "claims.a}]}",
       {mappings + "extra[0].key: Required value",
        mappings + "extra[1].key: Invalid value: \"a\": must be a domain-prefixed path (such as "
                   "\"acme.io/foo\")",
        mappings +
            "extra[2].key: Invalid value: \"A.example\": a lowercase RFC 1123 subdomain must "
            "consist of lower case alphanumeric characters, '-' or '.', and must start and "
            "end with an alphanumeric character (e.g. 'example.com', regex used for "
            "validation is "
            "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        mappings + "extra[2].key: Invalid value: \"A.example/x\": must be lowercase",
        mappings + "extra[3].key: Invalid value: \"a.k8s.io/b\": k8s.io, kubernetes.io and their "
                   "subdomains are reserved for Kubernetes use",
        mappings + "extra[4].valueExpression: Required value",
        mappings + "extra[5].key: Duplicate value: \"a.example/b\"",
        mappings + "extra[6].key: Invalid value: \"kubernetes.io/b\": k8s.io, kubernetes.io and "
                   "their subdomains are reserved for Kubernetes use"}},
      {"an address that nobody verified", with_email + "}", no_verified},
      {"an address that groups verify",
       with_email + ", groups: {expression: claims.email_verified}}", no_verified},
      {"an address that a user rule verifies",
       with_email + "}, userValidationRules: [{expression: \"user.username != ''\"}]", no_verified},
      {"an address that a rule verifies",
       with_email + "}, claimValidationRules: [{expression: claims.?email_verified.orValue(true)}]",
       {rules + "[0].expression: Invalid value: \"claims.?email_verified.orValue(true)\": must "
                "evaluate to bool",
        no_verified[0]}},
      {"an address that a rule verifies well",
       with_email +
           "}, claimValidationRules: [{expression: claims.?email_verified.orValue(true) == true}]",
       {}},
      {"an address that extra verifies",
       with_email +
           ", extra: [{key: a.example/b, valueExpression: string(claims.email_verified)}]}",
       {}},
      {"an address that its own expression verifies",
       "claimMappings: {username: {expression: 'claims.email_verified ? claims.email : "
       "claims.sub'}}",
       {}},
      {"an address in brackets",
       "claimMappings: {username: {expression: 'claims[\"email\"]'}}",
       {}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(wrong_in("jwt: [{issuer: {url: 'https://a', audiences: [a]}, " + c.rest + "}]"),
              c.wrong);
  }
}

TEST(AuthenticationConfigurationRules, HoldForAnonymousCallers) {
  EXPECT_EQ(wrong_in("anonymous: {enabled: true, conditions: [{path: /livez}]}"), Wrong{});
  EXPECT_EQ(wrong_in("anonymous: {enabled: false, conditions: [{path: /livez}]}"),
            Wrong{"anonymous.conditions: Invalid value: [{\"path\":\"/livez\"}]: enabled should be "
                  "set to true when conditions are defined"});
}

}  // namespace
}  // namespace proa::apiserver
