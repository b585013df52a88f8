#include "cel/syntax/parser.h"

#include <gtest/gtest.h>

namespace proa::cel {
namespace {

// The tree as calls, for reading: + is _+_(a, b).
std::string print(const Expr* node) {
  std::string text;
  switch (node->kind) {
    case ExprKind::kLiteral:
      if (node->literal.is(ValueKind::kString))
        return "'" + std::string(node->literal.text()) + "'";
      if (node->literal.is(ValueKind::kInt)) return std::to_string(node->literal.as_int());
      return "literal";
    case ExprKind::kIdent:
      return std::string(node->name);
    case ExprKind::kSelect:
      text = print(node->target) + "." + std::string(node->name);
      return node->test_only ? "has(" + text + ")" : text;
    case ExprKind::kCall:
      if (node->target != nullptr) text = print(node->target) + ".";
      text += std::string(node->name) + "(";
      break;
    case ExprKind::kList:
      text = "[";
      break;
    case ExprKind::kComprehension:
      return "loop(" + print(node->loop->range) + ")";
    default:
      return "other";
  }
  for (const Expr* arg : node->args) text += (arg == node->args[0] ? "" : ", ") + print(arg);
  return text + (node->is(ExprKind::kList) ? "]" : ")");
}

std::string parsed(std::string_view source, const SyntaxOptions& options = {}) {
  json::Arena arena;
  AstFactory factory(arena);
  Issues issues(source);
  const Expr* root = parse(source, options, factory, issues);
  return root == nullptr ? issues.print() : print(root);
}

TEST(Parser, FollowsPrecedence) {
  EXPECT_EQ(parsed("1 + 2 * 3 - 4"), "_-_(_+_(1, _*_(2, 3)), 4)");
  EXPECT_EQ(parsed("a || b && c"), "_||_(a, _&&_(b, c))");
  EXPECT_EQ(parsed("a ? b : c ? d : e"), "_?_:_(a, b, _?_:_(c, d, e))");
  EXPECT_EQ(parsed("a < b == c"), "_==_(_<_(a, b), c)");
  EXPECT_EQ(parsed("!!a"), "a");
  EXPECT_EQ(parsed("-a.b"), "-_(a.b)");
  EXPECT_EQ(parsed("--1"), "1");
  EXPECT_EQ(parsed("-1"), "-1");
  EXPECT_EQ(parsed("a in [1, 2,]"), "@in(a, [1, 2])");
}

TEST(Parser, BalancesLongChains) {
  EXPECT_EQ(parsed("a && b && c && d"), "_&&_(_&&_(a, b), _&&_(c, d))");
}

TEST(Parser, ExpandsMacros) {
  EXPECT_EQ(parsed("has(a.b)"), "has(a.b)");
  EXPECT_EQ(parsed("a.all(x, x > 1)"), "loop(a)");
  EXPECT_EQ(parsed("a.map(i, x, x)"), "loop(a)");
  EXPECT_EQ(parsed("a.?b[?c]"), "_[?_](_?._(a, 'b'), c)");
}

TEST(Parser, ReadsLiterals) {
  EXPECT_EQ(parsed(R"('a\n\x41\u00e4' + r"\n")"), "_+_('a\nA\xC3\xA4', '\\n')");
  EXPECT_EQ(parsed("'''a'b'''"), "'a'b'");
  EXPECT_EQ(parsed("0x1F"), "31");
  EXPECT_EQ(parsed("-9223372036854775808"), "-9223372036854775808");
}

TEST(Parser, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(parsed("9223372036854775808"),
            "ERROR: <input>:1:1: invalid int literal\n | 9223372036854775808\n | ^");
  EXPECT_EQ(parsed("a +\n  has(b)"),
            "ERROR: <input>:2:7: invalid argument to has() macro\n |   has(b)\n | ......^");
  EXPECT_EQ(parsed("a.all(x.y, true)"),
            "ERROR: <input>:1:8: argument must be a simple name\n | a.all(x.y, true)\n | .......^");
  EXPECT_EQ(parsed("if"), "ERROR: <input>:1:1: reserved identifier: if\n | if\n | ^");
  EXPECT_EQ(parsed("a.?b", {.optionals = false}),
            "ERROR: <input>:1:2: unsupported syntax '.?'\n | a.?b\n | .^");
  EXPECT_TRUE(parsed("1 +").starts_with(
      "ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.',"));
  EXPECT_TRUE(parsed("a b").starts_with(
      "ERROR: <input>:1:3: Syntax error: extraneous input 'b' expecting <EOF>"));
}

TEST(Parser, BoundsDepthAndSize) {
  EXPECT_TRUE(parsed(std::string(300, '(') + "1" + std::string(300, ')'))
                  .find("expression recursion limit exceeded: 250") != std::string::npos);
  EXPECT_TRUE(parsed(std::string(100'001, ' ')).find("exceeds limit") != std::string::npos);
  std::string chain = "a";
  for (int i = 0; i < 300; ++i) chain += ".b";
  EXPECT_TRUE(parsed(chain).starts_with("ERROR"));
  // Each optMap copies what stands before it.
  std::string copies = "a";
  for (int i = 0; i < 60; ++i) copies += ".optMap(x, x)";
  EXPECT_TRUE(parsed(copies).starts_with("ERROR"));
}

}  // namespace
}  // namespace proa::cel
