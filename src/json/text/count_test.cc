#include "json/text/count.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "json/parse.h"

namespace proa::json {
namespace count_test {

constexpr size_t kUnlimited = std::numeric_limits<size_t>::max();

size_t size_of_tree(const Value& value) {
  size_t size = 1;
  for (const Value& item : value.items()) size += size_of_tree(item);
  for (const Member& member : value.members()) size += size_of_tree(member.value);
  return size;
}

}  // namespace count_test
using namespace count_test;

TEST(CountValues, IsTheSizeOfTheTree) {
  for (const std::string_view text :
       {"0", "[]", "{}", "[ ]", "[0]", "[0,0]", "[[],[]]", "[{},{ },\n[[]]]", R"({"a":0})",
        R"({"a":{"b":[1,2,{"c":null}]},"d":"x"})", R"(["a,b","c\"],[{"])",
        R"({"a,[{":"\\","b":[]})", R"(["\\",0])", " [ 1 , 2 ] "}) {
    SCOPED_TRACE(text);
    const auto document = parse(text);
    ASSERT_TRUE(document.ok());
    EXPECT_EQ(count_values(text, kUnlimited), size_of_tree(document->root()));
  }
}

TEST(CountValues, StopsBeyondTheLimit) {
  std::string text = "[0";
  for (int i = 0; i < 1000; ++i) text += ",0";
  text += ']';
  EXPECT_EQ(count_values(text, 1002), 1002U);
  EXPECT_EQ(count_values(text, 10), 11U);
}

TEST(CountValues, EndsOnMalformedText) {
  for (const std::string_view text :
       {"", "\"", "\"\\", "[", "[,", "[\"a", "]]]", "[[[[", "{{\"\\\""}) {
    EXPECT_LE(count_values(text, kUnlimited), text.size() + 1) << text;
  }
}

}  // namespace proa::json
