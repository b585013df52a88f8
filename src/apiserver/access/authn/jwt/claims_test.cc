#include "apiserver/access/authn/jwt/claims.h"

#include <gtest/gtest.h>

#include "apiserver/access/authn/authenticator.h"
#include "json/parse.h"

namespace proa::apiserver {
namespace {

using namespace std::chrono_literals;

// 2009-11-10T23:00:00Z
constexpr Time kNow{1257894000s};

JwtIssuer issuer() {
  return {.url = "https://auth.example.com",
          .discovery_url = "",
          .certificate_authority = "",
          .audiences = {"my-client"},
          .required_claims = {},
          .username = {.claim = "username"}};
}

class Claims {
 public:
  explicit Claims(const std::string& text) : document_(json::parse(text).value()) {}
  api::View view() const { return document_.root(); }

 private:
  const json::Document document_;
};

std::string outcome_of_check(const std::string& claims, const JwtIssuer& from = issuer()) {
  const Result<Time> checked = check_claims(Claims(claims).view(), from, kNow);
  return checked.ok() ? "good" : checked.status().message();
}

// `more`: claims besides those that every token has.
std::string claims_with(const std::string& more) {
  return R"({"iss":"https://auth.example.com",)" + more + "}";
}

TEST(TokenClaims, MustBeOfTheIssuer) {
  const std::string rest = R"(,"aud":"my-client","exp":1257897600})";
  EXPECT_EQ(outcome_of_check(R"({"iss":"https://auth.example.com")" + rest), "good");
  EXPECT_EQ(outcome_of_check(R"({"iss":"https://example.com")" + rest),
            "oidc: id token issued by a different provider, expected \"https://auth.example.com\" "
            "got \"https://example.com\"");
  EXPECT_EQ(outcome_of_check(R"({"sub":"x")" + rest),
            "oidc: id token issued by a different provider, expected \"https://auth.example.com\" "
            "got \"\"");
  JwtIssuer google = issuer();
  google.url = "https://accounts.google.com";
  EXPECT_EQ(outcome_of_check(R"({"iss":"accounts.google.com")" + rest, google), "good");
  EXPECT_EQ(outcome_of_check(R"({"iss":"https://accounts.google.com")" + rest, google), "good");
}

TEST(TokenClaims, MustBeForOneOfTheAudiences) {
  struct Case {
    std::string audience;
    std::vector<std::string> wanted;
    std::string outcome;
  };
  const std::vector<Case> cases = {
      {R"("my-client")", {"my-client"}, "good"},
      {R"(["not-my-client","my-client"])", {"my-client"}, "good"},
      {R"("not-my-client")",
       {"my-client"},
       "oidc: expected audience \"my-client\" got [\"not-my-client\"]"},
      {R"([])", {"my-client"}, "oidc: expected audience \"my-client\" got []"},
      {R"("my-client")", {"random-client", "my-client"}, "good"},
      {R"(["x","y"])",
       {"random-client", "my-client"},
       "oidc: expected audience in [\"my-client\" \"random-client\"] got [\"x\" \"y\"]"},
      {R"(7)",
       {"my-client"},
       "oidc: failed to unmarshal claims: aud: json: cannot unmarshal number into Go value of type "
       "string"},
      {R"(["my-client",7])",
       {"my-client"},
       "oidc: failed to unmarshal claims: aud: json: cannot unmarshal array into Go value of type "
       "string"},
      {R"(null)",
       {"my-client"},
       "oidc: failed to unmarshal claims: aud: json: cannot unmarshal null into Go value of type "
       "string"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.audience);
    JwtIssuer wanted = issuer();
    wanted.audiences = c.wanted;
    EXPECT_EQ(outcome_of_check(claims_with(R"("exp":1257897600,"aud":)" + c.audience), wanted),
              c.outcome);
  }
  EXPECT_EQ(outcome_of_check(claims_with(R"("exp":1257897600)")),
            "oidc: expected audience \"my-client\" got []");
}

TEST(TokenClaims, MustBeGoodNow) {
  struct Case {
    std::string name;
    std::string times;
    std::string outcome;
  };
  const std::vector<Case> cases = {
      {"an hour left", R"("exp":1257897600)", "good"},
      {"the last moment", R"("exp":1257894000)", "good"},
      {"a second ago", R"("exp":1257893999)",
       "oidc: token is expired (Token Expiry: 2009-11-10 22:59:59 +0000 UTC)"},
      {"with a fraction", R"("exp":1257897600.75)", "good"},
      {"with an exponent", R"("exp":1.2578976e9)", "good"},
      {"for ever", R"("exp":1e300)", "good"},
      {"since ever", R"("exp":-1e300)",
       "oidc: token is expired (Token Expiry: 1677-09-21 00:12:43 +0000 UTC)"},
      {"no end", R"("iat":1)",
       "oidc: token is expired (Token Expiry: 0001-01-01 00:00:00 +0000 UTC)"},
      {"an end that is a text", R"("exp":"1257897600")",
       "oidc: failed to unmarshal claims: exp: json: cannot unmarshal string into Go value of type "
       "json.Number"},
      {"an end that is null", R"("exp":null)",
       "oidc: failed to unmarshal claims: exp: json: cannot unmarshal null into Go value of type "
       "json.Number"},
      {"begun", R"("exp":1257897600,"nbf":1257894000)", "good"},
      {"begins within a minute", R"("exp":1257897600,"nbf":1257894060)", "good"},
      {"begins later", R"("exp":1257897600,"nbf":1257894061)",
       "oidc: current time 2009-11-10 23:00:00 +0000 UTC before the nbf (not before) time: "
       "2009-11-10 23:01:01 +0000 UTC"},
      {"never begins", R"("exp":1257897600,"nbf":1e300)",
       "oidc: current time 2009-11-10 23:00:00 +0000 UTC before the nbf (not before) time: "
       "2262-04-11 23:47:16 +0000 UTC"},
      {"a begin that is an object", R"("exp":1257897600,"nbf":{})",
       "oidc: failed to unmarshal claims: nbf: json: cannot unmarshal object into Go value of type "
       "json.Number"},
      {"issued in the future", R"("exp":1257897600,"iat":1257897000)", "good"},
      {"issued at a text", R"("exp":1257897600,"iat":"x")",
       "oidc: failed to unmarshal claims: iat: json: cannot unmarshal string into Go value of type "
       "json.Number"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(outcome_of_check(claims_with(R"("aud":"my-client",)" + c.times)), c.outcome);
  }
}

TEST(TokenClaims, TellUntilWhenTheyAreGood) {
  const Claims claims(claims_with(R"("aud":"my-client","exp":1257897600)"));
  EXPECT_EQ(check_claims(claims.view(), issuer(), kNow).value(), Time(1257897600s));
}

TEST(TokenClaims, NameTheUser) {
  JwtIssuer from = issuer();
  from.username = {.claim = "username", .prefix = "oidc:"};
  from.groups = {.claim = "groups", .prefix = "group:"};
  from.uid.claim = "id";
  from.required_claims = {{.claim = "hd", .value = "example.com"}};
  const Claims claims(
      R"({"username":"jane","groups":["team1","team2"],"id":"1234","jti":"j","hd":"example.com"})");
  const Result<User> user = user_of(claims.view(), from);
  ASSERT_TRUE(user.ok()) << user.status().message();
  EXPECT_EQ(user->name, "oidc:jane");
  EXPECT_EQ(user->uid, "1234");
  EXPECT_EQ(user->groups, (std::vector<std::string>{"group:team1", "group:team2"}));
  ASSERT_EQ(user->extra.size(), 1u);
  EXPECT_EQ(user->extra[0].first, "authentication.kubernetes.io/credential-id");
  EXPECT_EQ(user->extra[0].second, std::vector<std::string>{"JTI=j"});
}

TEST(TokenClaims, NameNoUserWithoutWhatIsNeeded) {
  struct Case {
    std::string claims;
    std::string outcome;
  };
  JwtIssuer by_email = issuer();
  by_email.username = {.claim = "email"};
  const std::vector<Case> cases = {
      {R"({"email":"jane@example.com","email_verified":true})", "jane@example.com"},
      {R"({"email":"jane@example.com"})", "jane@example.com"},
      {R"({"email":"jane@example.com","email_verified":false})", "oidc: email not verified"},
      {R"({"email":"jane@example.com","email_verified":null})", "oidc: email not verified"},
      {R"({"email":"jane@example.com","email_verified":"true"})",
       "oidc: parse 'email_verified' claim: json: cannot unmarshal string into Go value of type "
       "bool"},
      {R"({"email":""})", ""},
      {R"({"sub":"jane"})", "oidc: parse username claims \"email\": claim not present"},
      {R"({"email":7})",
       "oidc: parse username claims \"email\": json: cannot unmarshal number into Go value of type "
       "string"},
      {R"({"email":null})",
       "oidc: parse username claims \"email\": json: cannot unmarshal null into Go value of type "
       "string"},
      {R"({"email":["jane"]})",
       "oidc: parse username claims \"email\": json: cannot unmarshal array into Go value of type "
       "string"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.claims);
    const Result<User> user = user_of(Claims(c.claims).view(), by_email);
    EXPECT_EQ(user.ok() ? user->name : user.status().message(), c.outcome);
  }
}

TEST(TokenClaims, ReadGroupsAsAListOrAsOne) {
  struct Case {
    std::string claims;
    std::vector<std::string> groups;
    std::string failure = "";
  };
  const std::vector<Case> cases = {
      {R"({"username":"jane","groups":["a","b"]})", {"a", "b"}},
      {R"({"username":"jane","groups":"a"})", {"a"}},
      {R"({"username":"jane","groups":[]})", {}},
      {R"({"username":"jane","groups":null})", {}},
      {R"({"username":"jane"})", {}},
      {R"({"username":"jane","groups":42})",
       {},
       "oidc: parse groups claim \"groups\": json: cannot unmarshal number into Go value of type "
       "string"},
      {R"({"username":"jane","groups":["a",7]})",
       {},
       "oidc: parse groups claim \"groups\": json: cannot unmarshal array into Go value of type "
       "string"},
      {R"({"username":"jane","groups":["a"],"_claim_names":{"groups":"x"}})", {"a"}},
      {R"({"username":"jane","_claim_names":{"address":"x"}})", {}},
      {R"({"username":"jane","_claim_names":{"groups":"x"},)"
       R"("_claim_sources":{"x":{"endpoint":"https://elsewhere"}}})",
       {},
       "oidc: could not expand distributed claims: they are not fetched from other servers"},
  };
  JwtIssuer from = issuer();
  from.groups = {.claim = "groups"};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.claims);
    const Result<User> user = user_of(Claims(c.claims).view(), from);
    EXPECT_EQ(user.ok() ? "" : user.status().message(), c.failure);
    if (user.ok()) {
      EXPECT_EQ(user->groups, c.groups);
    }
  }
  // Without a groups claim configured, there are no groups.
  EXPECT_TRUE(user_of(Claims(cases[0].claims).view(), issuer()).value().groups.empty());
}

TEST(TokenClaims, NeedAnIdOnlyWhereOneIsWanted) {
  JwtIssuer from = issuer();
  EXPECT_EQ(user_of(Claims(R"({"username":"jane"})").view(), from).value().uid, "");
  from.uid.claim = "uid";
  EXPECT_EQ(user_of(Claims(R"({"username":"jane"})").view(), from).status().message(),
            "oidc: parse uid claim \"uid\": claim not present");
  for (const char* claims :
       {R"({"username":"j","uid":"1","jti":""})", R"({"username":"j","uid":"1","jti":7})",
        R"({"username":"j","uid":"1"})"}) {
    SCOPED_TRACE(claims);
    EXPECT_TRUE(user_of(Claims(claims).view(), from).value().extra.empty());
  }
}

TEST(TokenClaims, MustHaveWhatIsRequired) {
  JwtIssuer from = issuer();
  from.required_claims = {{.claim = "hd", .value = "example.com"}, {.claim = "sub", .value = "t"}};
  const auto outcome = [&](const char* claims) {
    const Result<User> user = user_of(Claims(claims).view(), from);
    return user.ok() ? "good" : user.status().message();
  };
  EXPECT_EQ(outcome(R"({"username":"jane","hd":"example.com","sub":"t"})"), "good");
  EXPECT_EQ(outcome(R"({"username":"jane","hd":"example.com"})"),
            "oidc: required claim sub not present in ID token");
  EXPECT_EQ(outcome(R"({"username":"jane","hd":"example.org","sub":"t"})"),
            "oidc: required claim hd value does not match. Got = example.org, want = example.com");
  EXPECT_EQ(outcome(R"({"username":"jane","hd":true,"sub":"t"})"),
            "oidc: parse claim hd: json: cannot unmarshal bool into Go value of type string");
}

std::optional<cel::IdentityExpression> mapping(std::string_view expression) {
  auto compiled = cel::compile_claims_expression(expression, cel::IdentityResult::kAny);
  EXPECT_EQ(compiled.error, "");
  return compiled;
}

// The claims of a token that has many.
constexpr const char* kMany = R"({"sub":"jane","hd":"example.com","roles":["a","","b"],
  "role":"c","n":1,"empty":"","jti":"j","nested":{"list":["x"]},"null":null})";

std::string groups_by(std::string_view expression) {
  JwtIssuer from = issuer();
  from.username = {.expression = mapping("claims.sub")};
  from.groups = {.expression = mapping(expression)};
  const Result<User> user = user_of(Claims(kMany).view(), from);
  if (!user) return user.status().message();
  std::string all;
  for (const std::string& group : user->groups) all += group + ";";
  return all;
}

TEST(ClaimExpressions, NameTheUser) {
  JwtIssuer from = issuer();
  from.username = {.expression = mapping("'oidc:' + claims.sub")};
  from.groups = {.expression = mapping("dyn(claims.roles).map(r, 'role:' + r)")};
  from.uid = {.expression = mapping("claims.sub + '-' + claims.hd")};
  from.extra.push_back({.key = "example.com/a", .value = *mapping("claims.roles")});
  from.extra.push_back({.key = "example.com/b", .value = *mapping("claims.empty")});
  const Result<User> user = user_of(Claims(kMany).view(), from);
  ASSERT_TRUE(user.ok()) << user.status().message();
  EXPECT_EQ(user->name, "oidc:jane");
  EXPECT_EQ(user->uid, "jane-example.com");
  EXPECT_EQ(user->groups, (std::vector<std::string>{"role:a", "role:", "role:b"}));
  ASSERT_EQ(user->extra.size(), 2u);
  EXPECT_EQ(user->extra[1].first, "example.com/a");
  EXPECT_EQ(user->extra[1].second, (std::vector<std::string>{"a", "b"}));
}

TEST(ClaimExpressions, GiveStringsOrListsOfThem) {
  EXPECT_EQ(groups_by("claims.roles"), "a;b;");
  EXPECT_EQ(groups_by("claims.role"), "c;");
  EXPECT_EQ(groups_by("claims.empty"), "");
  EXPECT_EQ(groups_by("claims['null']"), "");
  EXPECT_EQ(groups_by("[]"), "");
  EXPECT_EQ(groups_by("claims.nested.list"), "x;");
  const std::string failed = "oidc: error evaluating group claim expression: ";
  const std::string no_texts = failed + "expression must return a string or a list of strings";
  EXPECT_EQ(groups_by("claims.n"), no_texts);
  EXPECT_EQ(groups_by("[claims.n]"), no_texts);
  EXPECT_EQ(groups_by("claims.nested"), no_texts);
  EXPECT_EQ(groups_by("claims.none"),
            failed + "expression 'claims.none' resulted in error: no such key: none");
}

TEST(ClaimExpressions, FailAsUpstreamDoes) {
  const auto outcome = [](const JwtIssuer& from) {
    const Result<User> user = user_of(Claims(kMany).view(), from);
    return user.ok() ? "good" : user.status().message();
  };
  JwtIssuer from = issuer();
  from.username = {.expression = mapping("claims.n")};
  EXPECT_EQ(outcome(from),
            "oidc: error evaluating username claim expression: username claim expression must "
            "return a string");
  from.username = {.expression = mapping("claims.empty")};
  EXPECT_EQ(outcome(from), "oidc: empty username via CEL expression is not allowed");
  from.username = {.expression = mapping("claims.sub")};
  from.uid = {.expression = mapping("claims.n")};
  EXPECT_EQ(outcome(from),
            "oidc: error evaluating uid claim expression: uid claim expression must return a "
            "string");
  from.uid = {};
  from.extra.push_back({.key = "example.com/a", .value = *mapping("claims.n")});
  EXPECT_EQ(outcome(from),
            "oidc: error evaluating extra claim expression: claims.n: expression must return a "
            "string or a list of strings");
}

TEST(ClaimExpressions, ValidateClaimsAndUser) {
  const auto claim_rule = [](std::string_view expression) {
    return IdentityRule{cel::compile_claims_expression(expression, cel::IdentityResult::kBool),
                        "that is wrong"};
  };
  const auto outcome = [](const JwtIssuer& from) {
    const Result<User> user = user_of(Claims(kMany).view(), from);
    return user.ok() ? "good" : user.status().message();
  };
  JwtIssuer from = issuer();
  from.username = {.claim = "sub", .prefix = "system:"};
  from.claim_rules = {claim_rule("claims.hd == 'example.com'")};
  EXPECT_EQ(outcome(from), "good");
  from.claim_rules.push_back(claim_rule("claims.n == 2"));
  EXPECT_EQ(outcome(from),
            "oidc: error evaluating claim validation expression: validation expression 'claims.n "
            "== 2' failed: that is wrong");
  from.claim_rules.push_back(claim_rule("claims.none == 2"));
  EXPECT_EQ(outcome(from),
            "oidc: error evaluating claim validation expression: expression 'claims.none == 2' "
            "resulted in error: no such key: none");
  from.claim_rules.clear();
  from.user_rules = {{cel::compile_user_expression("!user.username.startsWith('system:')"),
                      "username cannot use reserved system: prefix"}};
  EXPECT_EQ(outcome(from),
            "oidc: error evaluating user info validation rule: validation expression "
            "'!user.username.startsWith('system:')' failed: username cannot use reserved system: "
            "prefix");
  from.username.prefix = "";
  EXPECT_EQ(outcome(from), "good");
}

}  // namespace
}  // namespace proa::apiserver
