#include "cel/access/identity.h"

#include <gtest/gtest.h>

#include "cel/values/print.h"
#include "json/parse.h"

namespace proa::cel {
namespace {

std::string claims_result(std::string_view expression, std::string_view claims) {
  const IdentityExpression compiled = compile_claims_expression(expression, IdentityResult::kAny);
  if (!compiled.error.empty()) return compiled.error;
  const json::Document document = json::parse(claims).value();
  Arena arena;
  const Result<Value> value =
      evaluate_identity(compiled, claims_value(arena, document.root()), arena);
  return value.ok() ? print_plain(*value) : value.status().message();
}

TEST(IdentityExpression, ReadsClaims) {
  constexpr std::string_view kClaims = R"({"email": "jane@example.com", "n": 5, "ok": true,
    "groups": ["a", "b"], "address": {"city": "Bern", "lines": [{"a.b": "x"}]}, "a.b": {"c-d": 1},
    "null": null})";
  struct {
    std::string_view expression;
    std::string_view result;
  } const cases[] = {
      {"claims.email", "jane@example.com"},
      {"claims['email'].startsWith('jane')", "true"},
      {"claims.address.city", "Bern"},
      {"claims.n == 5 && claims.n < 6", "true"},
      // JSON has no integers.
      {"claims.n + 1", "no such overload"},
      {"claims.n + 1.0 == 6.0", "true"},
      {"has(claims.email) && !has(claims.none) && has(claims.address.city)", "true"},
      {"claims.?none.orValue('x')", "x"},
      {"claims.?email.orValue('x')", "jane@example.com"},
      {"claims.a__dot__b.c__dash__d == 1", "true"},
      {"claims['a.b']['c-d'] == 1", "true"},
      {"claims.address.lines[0].a__dot__b", "x"},
      // A loop takes elements as they are.
      {"dyn(claims.address).lines.all(l, has(l.a__dot__b))", "false"},
      {"'a' in claims.groups", "true"},
      {"'email' in claims", "no such overload"},
      {"claims.none", "no such key: none"},
      {"claims['null'] == null", "true"},
      {"claims.exists(c, c == 'jane@example.com')", "true"},
      {"dyn(claims.groups).map(g, 'oidc:' + g) == ['oidc:a', 'oidc:b']", "true"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.expression);
    const std::string result = claims_result(c.expression, kClaims);
    const std::string failed = "expression '" + std::string(c.expression) + "' resulted in error: ";
    EXPECT_TRUE(result == c.result || result.starts_with(failed + std::string(c.result))) << result;
  }
}

TEST(IdentityExpression, SaysWhatIsWrong) {
  EXPECT_EQ(compile_claims_expression("1", IdentityResult::kBool).error, "must evaluate to bool");
  EXPECT_EQ(compile_claims_expression("claims.ok", IdentityResult::kBool).error,
            "must evaluate to bool");
  EXPECT_EQ(compile_claims_expression("claims.ok == true", IdentityResult::kBool).error, "");
  EXPECT_EQ(compile_claims_expression("1", IdentityResult::kAny).error, "");
  EXPECT_EQ(compile_claims_expression("user.username", IdentityResult::kAny).error,
            "compilation failed: ERROR: <input>:1:1: undeclared reference to 'user' (in container "
            "'')\n | user.username\n | ^");
  EXPECT_EQ(compile_user_expression("user.name == ''").error,
            "compilation failed: ERROR: <input>:1:5: undefined field 'name'\n | user.name == ''\n "
            "| ....^");
  EXPECT_EQ(compile_user_expression("user.username").error, "must evaluate to bool");
  // A claim is of no type that a loop takes.
  EXPECT_TRUE(compile_claims_expression("claims.groups.all(g, true)", IdentityResult::kBool)
                  .error.find("expression of type 'any' cannot be range of a comprehension") !=
              std::string::npos);
}

TEST(IdentityExpression, SaysWhetherItUsesTheMailAddress) {
  struct {
    std::string_view expression;
    bool email;
    bool verified;
  } const cases[] = {
      {"claims.email", true, false},
      {"claims.?email", true, false},
      {"has(claims.email) ? 'a' : 'b'", true, false},
      {"claims['email']", false, false},
      {"claims.name.email", false, false},
      {"claims.email_verified ? claims.email : claims.sub", true, true},
      {"[claims.email]", true, false},
      {"{claims.email: claims.?email_verified}", true, true},
      {"['a'].all(x, x == claims.email)", true, false},
      {"string(claims.email).size() > 3", true, false},
      {"claims.sub", false, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.expression);
    const IdentityExpression compiled =
        compile_claims_expression(c.expression, IdentityResult::kAny);
    EXPECT_EQ(compiled.error, "");
    EXPECT_EQ(compiled.uses_email, c.email);
    EXPECT_EQ(compiled.uses_email_verified, c.verified);
  }
}

TEST(IdentityExpression, ReadsTheUser) {
  const std::vector<std::string> groups = {"a", "b"};
  const std::vector<std::pair<std::string, std::vector<std::string>>> extra = {
      {"example.com/team", {"x"}}};
  const auto holds = [&](std::string_view expression) {
    const IdentityExpression compiled = compile_user_expression(expression);
    EXPECT_EQ(compiled.error, "");
    Arena arena;
    const UserFacts facts{.name = "jane", .uid = "7", .groups = groups, .extra = extra};
    const Result<Value> value = evaluate_identity(compiled, user_value(arena, facts), arena);
    return value.ok() ? print_plain(*value) : value.status().message();
  };
  EXPECT_EQ(holds("user.username == 'jane' && user.uid == '7'"), "true");
  EXPECT_EQ(holds("user.groups.all(g, !g.startsWith('system:'))"), "true");
  EXPECT_EQ(holds("user.extra['example.com/team'] == ['x']"), "true");
  EXPECT_EQ(holds("user.extra.example__dot__com__slash__team == ['x']"), "true");
  EXPECT_EQ(holds("'example.com/team' in user.extra"), "true");
  EXPECT_EQ(holds("user.extra.none == ['x']"),
            "expression 'user.extra.none == ['x']' resulted in error: no such key: none");
}

}  // namespace
}  // namespace proa::cel
