#include "json/patch/merge_patch.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/print.h"

namespace proa::json {
namespace merge_patch_test {

// The table of RFC 7386, appendix A.
TEST(MergePatch, DoesWhatRfc7386Says) {
  const struct {
    const char* original;
    const char* patch;
    const char* result;
  } cases[] = {
      {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
      {R"({"a":"b"})", R"({"a":null})", R"({})"},
      {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
      {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
      {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
      {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
      {R"(["a","b"])", R"(["c","d"])", R"(["c","d"])"},
      {R"({"a":"b"})", R"(["c"])", R"(["c"])"},
      {R"({"a":"foo"})", R"(null)", R"(null)"},
      {R"({"a":"foo"})", R"("bar")", R"("bar")"},
      {R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
      {R"([1,2])", R"({"a":"b","c":null})", R"({"a":"b"})"},
      {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
  };
  for (const auto& c : cases) {
    auto document = parse(c.original);
    {
      const auto patch = parse(c.patch);
      apply_merge_patch(*document, patch->root());
    }
    EXPECT_EQ(print(document->root()), c.result) << c.original << " + " << c.patch;
  }
}

TEST(MergePatch, DropsTheNullsOfObjectsInListsAsUpstreamDoes) {
  const struct {
    const char* original;
    const char* patch;
    const char* result;
  } cases[] = {
      {R"({})", R"({"a":[{"b":null,"c":[null,{"d":null}]}]})", R"({"a":[{"c":[null,{}]}]})"},
      {R"({"a":[1]})", R"({"a":[{"b":null}]})", R"({"a":[{}]})"},
      {R"({"a":{}})", R"({"a":[{"b":null}]})", R"({"a":[{"b":null}]})"},
  };
  for (const auto& c : cases) {
    auto document = parse(c.original);
    const auto patch = parse(c.patch);
    apply_merge_patch(*document, patch->root());
    EXPECT_EQ(print(document->root()), c.result) << c.original << " + " << c.patch;
  }
}

TEST(MergePatch, RemovesManyKeysQuickly) {
  std::string original = R"({"kept":1)";
  std::string patch = R"({"absent":null,"new":2)";
  for (int i = 0; i < 50'000; ++i) {
    original += ",\"k" + std::to_string(i) + "\":0";
    patch += ",\"k" + std::to_string(i) + "\":null";
  }
  auto document = parse(original + "}");
  const auto parsed = parse(patch + "}");
  apply_merge_patch(*document, parsed->root());
  EXPECT_EQ(print(document->root()), R"({"kept":1,"new":2})");
}

}  // namespace merge_patch_test
}  // namespace proa::json
