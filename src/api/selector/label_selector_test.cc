#include "api/selector/label_selector.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::api {
namespace label_selector_test {

std::string text_of(const Result<LabelSelector>& selector) {
  if (!selector.ok()) {
    EXPECT_TRUE(selector.is(Reason::kBadRequest));
    return selector.status().message();
  }
  return selector->matches_nothing() ? "nothing" : selector->str();
}

Result<LabelSelector> from_json(std::string_view text) {
  const auto document = json::parse(text);
  EXPECT_TRUE(document.ok()) << text;
  return LabelSelector::from(document->root());
}

bool matches(std::string_view selector, std::vector<LabelPair> labels) {
  const auto parsed = LabelSelector::parse(selector);
  EXPECT_TRUE(parsed.ok()) << selector;
  if (!parsed.ok()) return false;
  const bool by_span = parsed->matches(labels);
  json::Document document({}, json::Value::object());
  for (const auto& [key, value] : labels)
    document.root().set(document.arena(), key, json::Value::borrowed(value));
  EXPECT_EQ(parsed->matches(View(document.root())), by_span) << selector;
  return by_span;
}

}  // namespace label_selector_test
using namespace label_selector_test;

TEST(LabelSelector, IsReadAndPrinted) {
  const struct {
    std::string_view text, expected;
  } cases[] = {
      {"", ""},
      {"   ", ""},
      {"a", "a"},
      {"!a", "!a"},
      {" ! a ", "!a"},
      {"a=b", "a=b"},
      {"a==b", "a==b"},
      {"a != b", "a!=b"},
      {"a=", "a="},
      {"a=,b", "a=,b"},
      {"x in (b,a,b)", "x in (a,b)"},
      {"x notin(a)", "x notin (a)"},
      {"x in ()", "x in ()"},
      {"x in (,)", "x in ()"},
      {"x in (a,)", "x in (,a)"},
      {"x in (,a)", "x in (,a)"},
      {"x in (a,,b)", "x in (,a,b)"},
      {"x>1,y<2", "x>1,y<2"},
      {"z,a,m=1,example.com/k in (v)", "a,example.com/k in (v),m=1,z"},
      {"in in (in,notin)", "in in (in,notin)"},
      {"in", "in"},
      {"notin=in", "notin=in"},
      {"a\t=\r\nb", "a=b"},
  };
  for (const auto& c : cases) {
    const auto selector = LabelSelector::parse(c.text);
    EXPECT_EQ(text_of(selector), c.expected) << c.text;
    if (selector.ok()) {
      EXPECT_EQ(*LabelSelector::parse(selector->str()), *selector) << c.text;
    }
  }
}

TEST(LabelSelector, IsRefusedInUpstreamsWords) {
  const struct {
    std::string_view text, expected;
  } cases[] = {
      {",a", "found ',', expected: !, identifier, or 'end of string'"},
      {"=a", "found '=', expected: !, identifier, or 'end of string'"},
      {"a,", "found '', expected: identifier after ','"},
      {"a,=", "found '=', expected: identifier after ','"},
      {"a=b c", "found 'c', expected: ',' or 'end of string'"},
      {"!a=b", "found '=', expected: ',' or 'end of string'"},
      {"a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"},
      {"a(", "unable to parse requirement: found '(', expected: in, notin, =, ==, !=, gt, lt"},
      {"!", "unable to parse requirement: found '', expected: identifier"},
      {"a==(", "unable to parse requirement: found '(', expected: identifier"},
      {"a=!b", "unable to parse requirement: found '!', expected: identifier"},
      {"a===b", "unable to parse requirement: found '=', expected: identifier"},
      {"a in b", "unable to parse requirement: found 'b' expected: '('"},
      {"a in", "unable to parse requirement: found '' expected: '('"},
      {"a in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"},
      {"a in (=", "unable to parse requirement: found '=', expected: ',', ')' or identifier"},
      {"a in (b", "unable to parse requirement: found '', expected: ',' or ')'"},
      {"a in (b c)", "unable to parse requirement: found 'c', expected: ',' or ')'"},
      {"a in (b,", "unable to parse requirement: found '', expected: ',', or identifier"},
      {"/a",
       R"(unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty)"},
      {"a>b",
       R"(unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, )"
       "the value must be an integer"},
      {"a=-",
       R"(unable to parse requirement: values[0][a]: Invalid value: "-": a valid label must be an )"
       "empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
       "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex "
       "used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(text_of(LabelSelector::parse(c.text)), c.expected) << c.text;
}

TEST(LabelSelector, EndsAtANulThatStandsAlone) {
  EXPECT_EQ(text_of(LabelSelector::parse(std::string_view("a=b \0 c", 7))), "a=b");
  EXPECT_EQ(text_of(LabelSelector::parse(std::string_view("a=b\0,c", 6))), "a=b,c");
}

TEST(LabelSelector, Matches) {
  const struct {
    std::string_view selector;
    std::vector<LabelPair> labels;
    bool expected;
  } cases[] = {
      {"", {}, true},
      {"", {{"a", "b"}}, true},
      {"a=b", {{"a", "b"}, {"c", "d"}}, true},
      {"a=b", {{"a", "c"}}, false},
      {"a=b", {{"b", "b"}}, false},
      {"a=", {{"a", ""}}, true},
      {"a=", {}, false},
      {"a!=b", {{"a", "b"}}, false},
      {"a!=b", {{"a", "c"}}, true},
      {"a!=b", {}, true},
      {"a in (b,c)", {{"a", "c"}}, true},
      {"a in (b,c)", {{"a", "d"}}, false},
      {"a in (b,c)", {}, false},
      {"a notin (b,c)", {{"a", "c"}}, false},
      {"a notin (b,c)", {{"a", "d"}}, true},
      {"a notin (b,c)", {}, true},
      {"a", {{"a", ""}}, true},
      {"a", {}, false},
      {"!a", {{"a", ""}}, false},
      {"!a", {{"b", ""}}, true},
      {"a>3", {{"a", "4"}}, true},
      {"a>3", {{"a", "3"}}, false},
      {"a>3", {{"a", "x"}}, false},
      {"a>3", {}, false},
      {"a<3", {{"a", "2"}}, true},
      {"a<3", {{"a", "3"}}, false},
      {"a=b,c=d", {{"c", "d"}, {"a", "b"}}, true},
      {"a=b,c=d", {{"a", "b"}}, false},
  };
  for (const auto& c : cases) EXPECT_EQ(matches(c.selector, c.labels), c.expected) << c.selector;
}

TEST(LabelSelector, MatchesManyLabelsInAnyOrder) {
  std::vector<std::string> keys;
  for (int i = 0; i < 20'000; ++i) keys.push_back("k" + std::to_string(i));
  std::string selector = "k0=v";
  for (int i = 1; i < 20'000; ++i) selector += ",k" + std::to_string(i) + "=v";
  std::vector<LabelPair> labels;
  for (const std::string& key : keys) labels.emplace_back(key, "v");
  std::sort(labels.begin(), labels.end());
  // As stored objects have them: one by one, this would be 400 million comparisons.
  EXPECT_TRUE(matches(selector, labels));
  EXPECT_FALSE(matches("k5=v,z=v", labels));
  labels.resize(100);
  std::swap(labels.front(), labels.back());
  EXPECT_TRUE(matches(std::string(labels[0].first) + "=v", labels));
  EXPECT_TRUE(matches(std::string(labels[99].first) + "=v", labels));
}

TEST(LabelSelector, IsNotReadFromEndlessText) {
  std::string text = "a";
  while (text.size() < LabelSelector::kMaxBytes - 2) text += ",a";
  EXPECT_TRUE(LabelSelector::parse(text).ok());
  text += ",a,a";
  EXPECT_TRUE(LabelSelector::parse(text).is(Reason::kBadRequest));
}

TEST(LabelSelector, ComesFromTheApiType) {
  const struct {
    std::string_view json, expected;
  } cases[] = {
      {"null", "nothing"},
      {"{}", ""},
      {R"({"matchLabels":{"b":"c","a":""}})", "a=,b=c"},
      {R"({"matchLabels":{"a":"b"},"matchExpressions":[)"
       R"({"key":"c","operator":"In","values":["e","d"]},)"
       R"({"key":"f","operator":"NotIn","values":["g"]},)"
       R"({"key":"h","operator":"Exists"},{"key":"i","operator":"DoesNotExist"}]})",
       "a=b,c in (d,e),f notin (g),h,!i"},
      {R"({"matchExpressions":[{"key":"a","operator":"Gt","values":["1"]}]})",
       R"("Gt" is not a valid label selector operator)"},
      {R"({"matchExpressions":[{"key":"a","operator":"In"}]})",
       "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"},
      {R"({"matchExpressions":[{"key":"/a","operator":"Exists","values":["b"]}]})",
       R"([key: Invalid value: "/a": prefix part must be non-empty, values: Invalid value: ["b"]: )"
       "values set must be empty for exists and does not exist]"},
      {R"({"matchLabels":{"/a":"b"}})",
       R"(key: Invalid value: "/a": prefix part must be non-empty)"},
  };
  for (const auto& c : cases) EXPECT_EQ(text_of(from_json(c.json)), c.expected) << c.json;
}

TEST(LabelSelector, ComesFromAMap) {
  const auto document = json::parse(R"({"b":"c","a":"-"})");
  const auto selector = LabelSelector::from_map(document->root());
  EXPECT_EQ(selector.str(), "a=-,b=c");
  EXPECT_TRUE(LabelSelector::from_map(View()).matches_everything());
}

TEST(LabelSelector, ThatMatchesNothingMatchesNothing) {
  EXPECT_FALSE(LabelSelector::nothing().matches(std::span<const LabelPair>()));
  EXPECT_FALSE(LabelSelector::nothing().matches(View()));
  EXPECT_FALSE(LabelSelector::nothing().matches_everything());
  EXPECT_TRUE(LabelSelector().matches(View()));
}

}  // namespace proa::api
