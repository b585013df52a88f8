#include "json/cursor.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/print.h"

namespace proa::json {
namespace cursor_test {

// Reads everything, and writes it without white space; nullopt when it is malformed.
bool walk(Cursor& cursor, std::string& out, int depth = 0) {
  if (depth > 20) return false;
  bool first = true;
  if (cursor.enter_object()) {
    out += '{';
    while (cursor.next_member()) {
      if (!std::exchange(first, false)) out += ',';
      out.append("\"").append(cursor.key()).append("\":");
      if (!walk(cursor, out, depth + 1)) return false;
    }
    out += '}';
  } else if (cursor.enter_array()) {
    out += '[';
    while (cursor.next_item()) {
      if (!std::exchange(first, false)) out += ',';
      if (!walk(cursor, out, depth + 1)) return false;
    }
    out += ']';
  } else if (const auto text = cursor.string()) {
    out.append("\"").append(*text).append("\"");
  } else if (const auto number = cursor.number()) {
    out += *number;
  } else if (const auto flag = cursor.boolean()) {
    out += *flag ? "true" : "false";
  } else if (cursor.null()) {
    out += "null";
  } else {
    return false;
  }
  return !cursor.failed();
}

constexpr std::string_view kText =
    R"({"a":1,"b":{"c":[1,{"d":"}\""}],"e":[]},"f":"x,y","g":null,"h":[true,false,-1.5e3],"i":{}})";

}  // namespace cursor_test
using namespace cursor_test;

TEST(Cursor, ReadsEveryValueOnce) {
  Cursor cursor(kText);
  std::string out;
  EXPECT_TRUE(walk(cursor, out));
  EXPECT_EQ(out, kText);
  EXPECT_EQ(cursor.peek(), '\0');
}

TEST(Cursor, AcceptsWhiteSpace) {
  Cursor cursor(" { \"a\" : [ 1 ,\n2 ] ,\t\"b\" : \"c\" } ");
  std::string out;
  EXPECT_TRUE(walk(cursor, out));
  EXPECT_EQ(out, R"({"a":[1,2],"b":"c"})");
}

TEST(Cursor, SkipsAnyValue) {
  Cursor cursor(kText);
  ASSERT_TRUE(cursor.enter_object());
  std::string keys;
  while (cursor.next_member()) {
    keys += cursor.key();
    if (cursor.key() == "b") {
      EXPECT_EQ(cursor.skip(), R"({"c":[1,{"d":"}\""}],"e":[]})");
    } else {
      cursor.skip();
    }
  }
  EXPECT_FALSE(cursor.failed());
  EXPECT_EQ(keys, "abfghi");
}

TEST(Cursor, LeavesValuesOfOtherKindsUnread) {
  Cursor cursor(R"("text")");
  EXPECT_FALSE(cursor.enter_object());
  EXPECT_FALSE(cursor.enter_array());
  EXPECT_FALSE(cursor.number());
  EXPECT_FALSE(cursor.boolean());
  EXPECT_FALSE(cursor.null());
  EXPECT_FALSE(cursor.failed());
  EXPECT_EQ(cursor.string(), "text");
}

TEST(Cursor, RefusesMalformedText) {
  for (const std::string_view text : {"",          "{",      "[",          "\"",
                                      "{\"a",      "{\"a\"", "{\"a\":",    "{\"a\":}",
                                      "{\"a\" 1}", "{a:1}",  "{,}",        "[1 2]",
                                      "[1,]",      "[,1]",   "{\"a\":1,}", "{\"a\":1 \"b\":2}",
                                      "tru",       "nul",    "[\"\\",      "\"\\\"",
                                      "}",         "]",      ":",          "{\"a\":tru}"}) {
    SCOPED_TRACE(text);
    Cursor reading(text);
    std::string out;
    EXPECT_FALSE(walk(reading, out) && !reading.failed());
  }
}

// Every cut and every changed byte: nothing outside of the text is read, and reading ends.
TEST(Cursor, SurvivesAnyText) {
  for (size_t cut = 0; cut <= kText.size(); ++cut) {
    const std::string text(kText.substr(0, cut));
    Cursor reading(text);
    Cursor skipping(text);
    std::string out;
    EXPECT_EQ(walk(reading, out), cut == kText.size()) << text;
    EXPECT_EQ(skipping.skip().size(), cut == kText.size() ? cut : 0) << text;
  }
  for (size_t at = 0; at < kText.size(); ++at) {
    for (const char c : {'"', '{', '}', '[', ']', ',', ':', '\\', 'x', '\0', ' '}) {
      std::string text(kText);
      text[at] = c;
      Cursor reading(text);
      Cursor skipping(text);
      std::string out;
      walk(reading, out);
      skipping.skip();
      EXPECT_LE(skipping.offset(), text.size());
    }
  }
}

TEST(Cursor, IsNotDeep) {
  const std::string open(100'000, '[');
  Cursor cursor(open);
  EXPECT_TRUE(cursor.skip().empty());
  EXPECT_TRUE(cursor.failed());
  const std::string whole = open + std::string(100'000, ']');
  Cursor good(whole);
  EXPECT_EQ(good.skip().size(), whole.size());
}

TEST(Unescape, ResolvesEscapes) {
  EXPECT_EQ(unescape("plain"), "plain");
  EXPECT_EQ(unescape(R"(a\"b\\c\u003c\n)"), "a\"b\\c<\n");
  EXPECT_EQ(unescape(R"(\ud83d\ude00)"), "\xF0\x9F\x98\x80");
  EXPECT_FALSE(unescape(R"(\x)"));
  EXPECT_FALSE(unescape("\\"));
}

}  // namespace proa::json
