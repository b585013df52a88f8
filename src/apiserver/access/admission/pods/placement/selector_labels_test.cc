#include "apiserver/access/admission/pods/placement/selector_labels.h"

#include <gtest/gtest.h>

#include "json/yaml.h"

namespace proa::apiserver {
namespace {

TEST(SelectorLabels, AreReadWithSpacesAround) {
  const struct {
    std::string_view text;
    SelectorLabels labels;
  } cases[] = {
      {"", {}},
      {"a=b", {{"a", "b"}}},
      {" infra = false , env=test", {{"infra", "false"}, {"env", "test"}}},
      {"a=", {{"a", ""}}},
      {"a=b,a=c", {{"a", "c"}}},
      {"example.com/a=b", {{"example.com/a", "b"}}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const auto labels = parse_selector_labels(c.text);
    ASSERT_TRUE(labels.ok()) << labels.status().message();
    EXPECT_EQ(*labels, c.labels);
  }
}

TEST(SelectorLabels, ThatMakeNoSenseAreRefused) {
  const struct {
    std::string_view text;
    std::string_view message;  // prefix
  } cases[] = {
      {"a", "invalid selector: [a]"},
      {"a=b=c", "invalid selector: [a b c]"},
      {"a=b,", "invalid selector: []"},
      {"a in (b)", "invalid selector: [a in (b)]"},
      {"=b", R"(<nil>: Invalid value: "": name part must be non-empty; name part must consist of)"},
      {"a b=c", R"(<nil>: Invalid value: "a b": name part must consist of)"},
      {"a=b c", R"([a]: Invalid value: "b c": a valid label must be an empty string or)"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const auto labels = parse_selector_labels(c.text);
    ASSERT_FALSE(labels.ok());
    EXPECT_TRUE(labels.status().message().starts_with(c.message)) << labels.status().message();
    EXPECT_EQ(labels.status().code(), 500);
  }
}

TEST(SelectorLabels, ConflictWhereValuesDiffer) {
  const json::Document selector = json::parse_yaml("{a: b, c: d}").value();
  EXPECT_FALSE(do_labels_conflict({}, selector.root()));
  EXPECT_FALSE(do_labels_conflict({{"a", "b"}, {"x", "y"}}, selector.root()));
  EXPECT_TRUE(do_labels_conflict({{"x", "y"}, {"c", "b"}}, selector.root()));
  EXPECT_FALSE(do_labels_conflict({{"a", "x"}}, {}));
}

TEST(SelectorLabels, BoundASelectorUnlessThereAreNone) {
  const json::Document selector = json::parse_yaml("{a: b, c: d}").value();
  EXPECT_TRUE(is_selector_within(selector.root(), {}));
  EXPECT_TRUE(is_selector_within(selector.root(), {{"a", "b"}, {"c", "d"}, {"e", "f"}}));
  EXPECT_FALSE(is_selector_within(selector.root(), {{"a", "b"}}));
  EXPECT_FALSE(is_selector_within(selector.root(), {{"a", "b"}, {"c", "x"}}));
  EXPECT_TRUE(is_selector_within({}, {{"a", "b"}}));
}

}  // namespace
}  // namespace proa::apiserver
