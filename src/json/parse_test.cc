#include "json/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "json/print.h"

namespace proa::json {
namespace parse_test {

using testing::ElementsAre;

std::string reprint(std::string_view text) {
  const auto document = parse(text);
  return document ? print(document->root()) : document.status().message();
}

TEST(Parse, ReadsEveryKind) {
  const struct {
    const char* text;
    const char* printed;
  } cases[] = {
      {" null ", "null"},
      {"true", "true"},
      {"\r\n\tfalse", "false"},
      {R"("")", R"("")"},
      {R"("a\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00")",
       "\"a\\\"\\\\/\\b\\f\\n\\r\\tA\u00E9\U0001F600\""},
      {"[]", "[]"},
      {"[ 1 , [ ] , { } ]", "[1,[],{}]"},
      {R"({ "a" : { "b" : [ true ] } })", R"({"a":{"b":[true]}})"},
      {R"({"":1})", R"({"":1})"},
      {R"("\u0000")", R"("\u0000")"},
  };
  for (const auto& c : cases) EXPECT_EQ(reprint(c.text), c.printed) << c.text;
}

TEST(Parse, IntegersAreExactAndOtherNumbersDoubles) {
  const struct {
    const char* text;
    Kind kind;
    const char* printed;
  } cases[] = {
      {"0", Kind::kInt, "0"},
      {"-0", Kind::kDouble, "-0"},
      {"-1", Kind::kInt, "-1"},
      {"9223372036854775807", Kind::kInt, "9223372036854775807"},
      {"-9223372036854775808", Kind::kInt, "-9223372036854775808"},
      {"9223372036854775808", Kind::kDouble, "9223372036854776000"},
      {"18446744073709551615", Kind::kDouble, "18446744073709552000"},
      {"-9223372036854775809", Kind::kDouble, "-9223372036854776000"},
      {"123456789012345678901234567890", Kind::kDouble, "1.2345678901234568e+29"},
      {"1.0", Kind::kDouble, "1"},
      {"-0.0", Kind::kDouble, "-0"},
      {"1e3", Kind::kDouble, "1000"},
      {"0.1", Kind::kDouble, "0.1"},
      {"1.7976931348623157e308", Kind::kDouble, "1.7976931348623157e+308"},
      {"5e-324", Kind::kDouble, "5e-324"},
      {"1e-400", Kind::kDouble, "0"},
      {"3.0000000000000000000000000000000000000000000001", Kind::kDouble, "3"},
      {"1.15507e-173", Kind::kDouble, "1.15507e-173"},
      {"[1, 1e400]", Kind::kNull, "invalid JSON at offset 9: number out of range"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(reprint(c.text), c.printed) << c.text;
    const auto document = parse(c.text);
    if (document.ok()) {
      EXPECT_EQ(document->root().kind(), c.kind) << c.text;
    }
  }
}

TEST(Parse, RefusesWhatIsNotJson) {
  for (const char* text : {"",
                           " ",
                           "nul",
                           "nulll",
                           "tru",
                           "True",
                           "'a'",
                           "\"a",
                           "\"a\nb\"",
                           "\"\x01\"",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\u12g4\"",
                           "[",
                           "]",
                           "[1",
                           "[1,",
                           "[1,]",
                           "[,1]",
                           "[1 2]",
                           "{",
                           "{}}",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "{a:1}",
                           "{1:1}",
                           "{\"a\" 1}",
                           "01",
                           "-",
                           "-a",
                           "1.",
                           ".5",
                           "1e",
                           "1e+",
                           "+1",
                           "0x1",
                           "NaN",
                           "Infinity",
                           "-Infinity",
                           "1 2",
                           "[] []",
                           "[1]//x",
                           "/**/1",
                           "\xEF\xBB\xBF{}",
                           "{\"a\":1 \"b\":2}"}) {
    const auto document = parse(text);
    EXPECT_TRUE(document.is(Reason::kBadRequest)) << text;
    if (!document.ok()) {
      EXPECT_THAT(document.status().message(), testing::StartsWith("invalid JSON at offset "));
    }
  }
  EXPECT_EQ(reprint(std::string_view("[1]\0", 4)),
            "invalid JSON at offset 3: trailing data after the value");
}

TEST(Parse, SaysWhereAndWhat) {
  EXPECT_EQ(reprint("[1,x]"), "invalid JSON at offset 3: syntax error");
  EXPECT_EQ(reprint("{\"a\":1"), "invalid JSON at offset 6: the text ends too early");
  EXPECT_EQ(reprint("{} x"), "invalid JSON at offset 3: trailing data after the value");
  EXPECT_EQ(reprint(R"(["\ud800", y])"), "invalid JSON at offset 11: syntax error");
}

TEST(Parse, ReplacesWhatIsNoUnicode) {
  EXPECT_EQ(reprint("\"a\xFF\x62\""), "\"a\uFFFD\x62\"");
  EXPECT_EQ(reprint("{\"k\xC3\":\"\xED\xA0\x80\"}"), "{\"k\uFFFD\":\"\uFFFD\uFFFD\uFFFD\"}");
  EXPECT_EQ(reprint(R"("\ud800")"), "\"\uFFFD\"");
  EXPECT_EQ(reprint(R"("\udc00x")"), "\"\uFFFDx\"");
  EXPECT_EQ(reprint(R"("\ud800\ud83d\ude00\ud800\u0041")"), "\"\uFFFD\U0001F600\uFFFDA\"");
  EXPECT_EQ(reprint(R"("\\ud800")"), R"("\\ud800")");
  const std::string long_text =
      "\"" + std::string(5000, 'x') + "\\n\xFF" + std::string(5000, 'y') + "\"";
  EXPECT_EQ(parse(long_text)->root().as_string(),
            std::string(5000, 'x') + "\n\uFFFD" + std::string(5000, 'y'));
}

TEST(Parse, TheLastOfEqualKeysCountsAtThePlaceOfTheFirst) {
  EXPECT_EQ(reprint(R"({"a":1,"b":2,"a":{"x":3}})"), R"({"a":{"x":3},"b":2})");
}

TEST(Parse, ReportsKeysThatCameTwice) {
  std::vector<std::string> duplicates;
  const char* text = R"({"a":1,"a":2,"spec":{"c":[{},{"n":1,"n":2,"n":3}],"\u0061b":0,"ab":1}})";
  ASSERT_TRUE(parse(text, {.duplicates = &duplicates}).ok());
  EXPECT_THAT(duplicates, ElementsAre("spec.c[1].n", "spec.c[1].n", "spec.ab", "a"));

  duplicates.clear();
  std::string many = "{";
  for (int i = 0; i < 1000; ++i) many += "\"k\":1,";
  many += "\"k\":1}";
  ASSERT_TRUE(parse(many, {.duplicates = &duplicates}).ok());
  EXPECT_EQ(duplicates.size(), 100U);
}

TEST(Parse, LimitsDepth) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(parse(nested(kMaxDepth)).ok());
  EXPECT_TRUE(parse(std::string(kMaxDepth, '[') + "1" + std::string(kMaxDepth, ']')).ok());
  EXPECT_EQ(reprint(nested(kMaxDepth + 1)), "invalid JSON at offset 512: nested too deeply");
  EXPECT_FALSE(parse(std::string(1'000'000, '[')).ok());
  EXPECT_TRUE(parse(nested(3), {.max_depth = 3}).ok());
  EXPECT_FALSE(parse(nested(4), {.max_depth = 3}).ok());
}

TEST(Parse, LimitsSize) {
  EXPECT_TRUE(parse("[1]", {.max_size = 3}).ok());
  EXPECT_TRUE(parse("[1] ", {.max_size = 3}).is(Reason::kRequestEntityTooLarge));
}

TEST(Parse, RejectsMoreValuesThanTheBudgetHas) {
  const std::string_view text = "[1,2,3,[],{}]";
  for (const size_t most : {5U, 6U, 100U}) {
    Budget budget({.values = most});
    EXPECT_EQ(parse(text, {.budget = &budget}).ok(), most >= 6) << most;
  }
  Budget budget({.values = 5});
  EXPECT_TRUE(parse(text, {.budget = &budget}).is(Reason::kRequestEntityTooLarge));
  // Text in strings is no value.
  Budget fresh({.values = 2});
  EXPECT_TRUE(parse(R"(["a,b,c,d,e,f,g,h,[,[,[,["])", {.budget = &fresh}).ok());
}

TEST(Parse, BoundsTheBytesOfReportedDuplicates) {
  std::vector<std::string> duplicates;
  std::string text = "{\"" + std::string(1'000'000, 'k') + "\":{";
  for (int i = 0; i < 1000; ++i) text += "\"a\":1,";
  text += "\"a\":1}}";
  ASSERT_TRUE(parse(text, {.duplicates = &duplicates}).ok());
  size_t bytes = 0;
  for (const std::string& path : duplicates) bytes += path.size();
  EXPECT_GE(duplicates.size(), 1U);
  EXPECT_LE(bytes, 1'100'000U);
}

TEST(Parse, ManyKeysAreNotQuadratic) {
  std::string distinct = "{";
  std::string equal = "{";
  for (int i = 0; i < 200'000; ++i) {
    distinct += "\"k" + std::to_string(i) + "\":0,";
    equal += "\"k\":0,";
  }
  const auto start = std::chrono::steady_clock::now();
  const auto document = parse(distinct + "\"z\":1}");
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(document->root().find("k199999")->as_int(), 0);
  EXPECT_EQ(parse(equal + "\"k\":1}")->root().size(), 1U);
  // Comparing every pair would take minutes.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

}  // namespace parse_test
}  // namespace proa::json
