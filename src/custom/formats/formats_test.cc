#include "custom/formats/formats.h"

#include <gtest/gtest.h>

#include "custom/formats/patterns.h"

namespace proa::custom {
namespace {

TEST(Formats, AcceptWhatUpstreamDoes) {
  using api::Format;
  struct Case {
    Format format;
    std::string_view text;
    bool good;
  };
  constexpr Case kCases[] = {
      {Format::kUri, "http://example.com/x", true},
      {Format::kUri, "path", false},
      {Format::kUri, "http://[::1", false},
      {Format::kEmail, "A B <a@b.c>", true},
      {Format::kEmail, "a@b c", false},
      {Format::kHostname, "example.com", true},
      {Format::kHostname, "a_b", false},
      {Format::kIpv4, "::ffff:1.2.3.4", true},
      {Format::kIpv6, "::1", true},
      {Format::kIpv6, "1.2.3.4", false},
      {Format::kCidr, "10.0.0.0/33", false},
      {Format::kMac, "0123.4567.89ab", true},
      {Format::kMac, "01:23-45:67:89:ab", false},
      {Format::kUuid4, "123e4567-e89b-42d3-c456-426614174000", false},
      {Format::kIsbn, "080442957X", true},
      {Format::kCreditCard, "4111-1111-1111-1111", true},
      {Format::kByte, "", false},
      {Format::kDate, "2023-02-29", false},
      {Format::kDuration, "2 days", true},
      {Format::kLongName, "a..b", false},
      {Format::kNone, "anything", true},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(has_format(c.format, c.text), c.good);
  }
}

TEST(Patterns, MatchAsGoDoes) {
  Patterns patterns;
  Budget budget;
  EXPECT_TRUE(patterns.match("b", "abc", budget).matches);
  EXPECT_TRUE(patterns.match("(?<name>b)", "abc", budget).matches);
  EXPECT_TRUE(patterns.match("(?<n>a)(?<n>b)(?P<n>c)", "abc", budget).matches);
  EXPECT_TRUE(patterns.match("^[](?<x>[:alpha:]]+$", "](?<xyz>", budget).matches);
  EXPECT_TRUE(patterns.match("^\\Q(?<x>\\C\\E\\\\C$", "(?<x>\\C\\C", budget).matches);
  EXPECT_FALSE(patterns.match("^b", "abc", budget).matches);
  EXPECT_EQ(patterns.match("a\\C", "abc", budget).problem,
            "error parsing regexp: invalid escape sequence: `\\C`");
  EXPECT_EQ(patterns.match("(?<n!>a)", "abc", budget).problem,
            "error parsing regexp: invalid named capture: `(?<n!>`");
  EXPECT_EQ(patterns.match("[", "abc", budget).problem,
            "error parsing regexp: missing closing ]: `[`");
}

TEST(Patterns, AreForgotten) {
  Patterns patterns;
  Budget budget;
  for (size_t i = 0; i < 3 * Patterns::kAllMemory / Patterns::kUsualMemory; ++i) {
    const std::string text = "a" + std::to_string(i);
    EXPECT_TRUE(patterns.match("^" + text + "$", text, budget).matches);
  }
  EXPECT_TRUE(patterns.match("^a0$", "a0", budget).matches);
}

TEST(Patterns, PayForWhatTheyTakeToCompile) {
  constexpr std::string_view kLarge = R"((\pL{1,30}){1,30}x)";
  Patterns patterns;
  Budget small({.values = 0, .memory = 0, .steps = 100'000});
  EXPECT_TRUE(patterns.problem("^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$", small).empty());
  EXPECT_FALSE(small.exceeded());
  patterns.problem(kLarge, small);
  EXPECT_TRUE(small.exceeded());
  // Once.
  Budget other({.values = 0, .memory = 0, .steps = 1000});
  patterns.problem(kLarge, other);
  EXPECT_FALSE(other.exceeded());
}

TEST(Patterns, PayForTheTextThatTheyMatch) {
  Patterns patterns;
  Budget budget({.values = 0, .memory = 0, .steps = 10'000});
  const std::string text(100'000, 'a');
  EXPECT_TRUE(patterns.match("^a*$", text, budget).matches);
  for (int i = 0; i < 10; ++i) patterns.match("^a*$", text, budget);
  EXPECT_TRUE(budget.exceeded());
}

}  // namespace
}  // namespace proa::custom
