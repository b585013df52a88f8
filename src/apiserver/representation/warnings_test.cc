#include "apiserver/representation/warnings.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace {

std::vector<std::string> headers_of(const std::vector<std::string>& warnings) {
  http::Headers headers;
  add_warnings(headers, warnings);
  std::vector<std::string> found;
  for (const std::string_view each : headers.all("warning")) found.emplace_back(each);
  return found;
}

using Texts = std::vector<std::string>;

TEST(Warnings, AreQuotedAndSaidOnce) {
  EXPECT_EQ(headers_of({"a \"b\" \\", "c", "a \"b\" \\"}),
            (Texts{R"(299 - "a \"b\" \\")", R"(299 - "c")"}));
}

TEST(Warnings, WithControlCharactersOrBadUtf8AreDropped) {
  EXPECT_EQ(headers_of({"a\nb", "\x7f", "\xC2\x85", "\xFF", "", "\xC3\xA9"}),
            Texts{"299 - \"\xC3\xA9\""});
}

TEST(Warnings, AreLongUnlessThereAreTooMany) {
  const std::string long_text(1000, 'x');
  EXPECT_EQ(headers_of({long_text}), Texts{"299 - \"" + long_text + "\""});
  Texts many;
  for (char c = 'a'; c <= 'e'; ++c) many.push_back(std::string(1000, c));
  const Texts shown = headers_of(many);
  ASSERT_EQ(shown.size(), 5u);
  EXPECT_EQ(shown[4], "299 - \"" + std::string(256, 'e') + "\"");
}

TEST(Warnings, BeyondTheLimitAreDropped) {
  Texts many;
  for (int i = 0; i < 40; ++i) many.push_back(std::to_string(i) + std::string(300, 'x'));
  EXPECT_EQ(headers_of(many).size(), 16u);
}

}  // namespace
}  // namespace proa::apiserver
