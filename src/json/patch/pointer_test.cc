#include "json/patch/pointer.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/print.h"

namespace proa::json {
namespace pointer_test {

// The document of RFC 6901, section 5.
constexpr const char* kDocument =
    R"({"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8})";

TEST(Pointer, FindsWhatRfc6901Says) {
  const auto document = parse(kDocument);
  const struct {
    const char* pointer;
    const char* expected;
  } cases[] = {
      {"/foo", R"(["bar","baz"])"},
      {"/foo/0", R"("bar")"},
      {"/", "0"},
      {"/a~1b", "1"},
      {"/c%d", "2"},
      {"/e^f", "3"},
      {"/g|h", "4"},
      {"/i\\j", "5"},
      {"/k\"l", "6"},
      {"/ ", "7"},
      {"/m~0n", "8"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.pointer);
    const auto pointer = Pointer::parse(c.pointer);
    ASSERT_TRUE(pointer.ok());
    const Value* found = pointer->find(document->root());
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(print(*found), c.expected);
    EXPECT_EQ(pointer->str(), c.pointer);
  }
  EXPECT_EQ(Pointer::parse("")->find(document->root()), &document->root());
}

TEST(Pointer, FindsNothingElsewhere) {
  const auto document = parse(kDocument);
  for (const char* text : {"/none", "/foo/2", "/foo/-", "/foo/-1", "/foo/00", "/foo/01", "/foo/0x",
                           "/foo/ 0", "/foo/0/1", "/foo/18446744073709551616", "/a/b"}) {
    EXPECT_EQ(Pointer::parse(text)->find(document->root()), nullptr) << text;
  }
}

TEST(Pointer, RefusesWhatIsNone) {
  for (const char* text : {"a", "#/a", "/a~", "/a~2", "/~/b"}) {
    EXPECT_TRUE(Pointer::parse(text).is(Reason::kBadRequest)) << text;
  }
}

TEST(Pointer, ContainsWhatLiesWithin) {
  const auto contains = [](const char* a, const char* b) {
    return Pointer::parse(a)->contains(*Pointer::parse(b));
  };
  EXPECT_TRUE(contains("/a", "/a/b"));
  EXPECT_TRUE(contains("/a", "/a"));
  EXPECT_TRUE(contains("", "/a"));
  EXPECT_FALSE(contains("/a", "/ab"));
  EXPECT_FALSE(contains("/a/b", "/a"));
}

}  // namespace pointer_test
}  // namespace proa::json
