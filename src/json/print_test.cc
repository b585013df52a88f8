#include "json/print.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/random.h"
#include "json/parse.h"

namespace proa::json {
namespace print_test {

TEST(Print, EscapesAsEncodingJsonDoes) {
  Arena arena;
  const auto printed = [&](std::string_view text) { return print(Value::string(arena, text)); };
  EXPECT_EQ(printed("<a href=\"x\">&</a>"), R"("\u003ca href=\"x\"\u003e\u0026\u003c/a\u003e")");
  EXPECT_EQ(printed("\u2028\u2029\u2030"), "\"\\u2028\\u2029\u2030\"");
  EXPECT_EQ(printed("\b\f\n\r\t\x01\x1F\x7F"), "\"\\b\\f\\n\\r\\t\\u0001\\u001f\x7F\"");
  EXPECT_EQ(printed("\xFF"), R"("\ufffd")");
  EXPECT_EQ(printed("caf\u00E9 \U0001F600"), "\"caf\u00E9 \U0001F600\"");
  EXPECT_EQ(printed(std::string_view("\0", 1)), R"("\u0000")");
}

TEST(Print, WritesDoublesAsGoDoes) {
  const struct {
    double number;
    const char* expected;
  } cases[] = {
      {0.0, "0"},
      {-0.0, "-0"},
      {1, "1"},
      {-1.5, "-1.5"},
      {0.1, "0.1"},
      {100, "100"},
      {123456.789, "123456.789"},
      {1e20, "100000000000000000000"},
      {1e21, "1e+21"},
      {1.5e300, "1.5e+300"},
      {0.000001, "0.000001"},
      {0.00000123, "0.00000123"},
      {0.0000001, "1e-7"},
      {1.25e-9, "1.25e-9"},
      {18446744073709551615.0, "18446744073709552000"},
      {std::numeric_limits<double>::max(), "1.7976931348623157e+308"},
      {std::numeric_limits<double>::denorm_min(), "5e-324"},
      {1.0 / 3, "0.3333333333333333"},
  };
  for (const auto& c : cases) EXPECT_EQ(print(Value::number(c.number)), c.expected);
}

TEST(Print, DoublesReadBackTheSame) {
  SeededRandom random(3);
  for (int i = 0; i < 20'000; ++i) {
    const uint64_t bits = random.next();
    double number = 0;
    std::memcpy(&number, &bits, sizeof(number));
    if (!std::isfinite(number)) continue;
    const std::string text = print(Value::number(number));
    ASSERT_EQ(parse(text)->root().as_double(), number) << text;
  }
}

TEST(Print, EndsAtALimit) {
  const Document document = parse(R"({"a":["<",true],"b":"text"})").value();
  const std::string whole = print(document.root());
  for (size_t limit = 0; limit < whole.size() + 3; ++limit) {
    SCOPED_TRACE(limit);
    std::string out = "before";
    const bool fits = print_within(out, document.root(), limit);
    EXPECT_EQ(fits, limit >= whole.size());
    if (fits) {
      EXPECT_EQ(out, "before" + whole);
    }
  }
  // What cannot fit is not printed first.
  const std::string text(1'000'000, '<');
  std::string out;
  EXPECT_FALSE(print_within(out, Value::borrowed(text), 1000));
  EXPECT_LT(out.size(), 2000U);
}

TEST(Print, PrettyIndentsByTwo) {
  EXPECT_EQ(
      print_pretty(parse(R"({"a":[1,{"b":null}],"c":{},"d":[]})")->root()),
      "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ],\n  \"c\": {},\n  \"d\": []\n}");
  EXPECT_EQ(print_pretty(Value::integer(1)), "1");
}

}  // namespace print_test
}  // namespace proa::json
