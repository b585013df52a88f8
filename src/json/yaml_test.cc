#include "json/yaml.h"

#include <gtest/gtest.h>

#include "json/print.h"

namespace proa::json {
namespace yaml_test {

std::string as_json(std::string_view text, const YamlOptions& options = {}) {
  const auto document = parse_yaml(text, options);
  return document ? print(document->root()) : document.status().message();
}

TEST(Yaml, ReportsDuplicatesToThoseWhoAsk) {
  std::vector<std::string> duplicates;
  const auto parsed = parse_yaml("a: 1\nb: {c: 1, c: 2}\na: 3\n", {.duplicates = &duplicates});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(print(parsed->root()), R"({"a":3,"b":{"c":2}})");
  EXPECT_EQ(duplicates, (std::vector<std::string>{"line 2: key \"c\" already set in map",
                                                  "line 3: key \"a\" already set in map"}));
}

TEST(Yaml, ReadsTheShapesOfManifests) {
  EXPECT_EQ(
      as_json(R"(
apiVersion: v1
kind: Pod
metadata:
  name: "web"   # a comment
  labels: {app: web, 'tier': front}
spec:
  containers:
  - name: a
    args: ["--port", "80"]
    command:
    - sh
    - -c
    - |
      echo hello
      exit 0
  - name: b
    image: >-
      folded
      text
)"),
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","labels":{"app":"web","tier":"front"}},)"
      R"("spec":{"containers":[{"name":"a","args":["--port","80"],"command":["sh","-c",)"
      R"("echo hello\nexit 0\n"]},{"name":"b","image":"folded text"}]}})");
}

TEST(Yaml, ResolvesScalarsAsGoYamlDoes) {
  const struct {
    const char* text;
    const char* json;
  } cases[] = {
      {"", "null"},
      {"~", "null"},
      {"Null", "null"},
      {"nULL", "\"nULL\""},
      {"true", "true"},
      {"yes", "true"},
      {"On", "true"},
      {"y", "true"},
      {"N", "false"},
      {"OFF", "false"},
      {"\"yes\"", "\"yes\""},
      {"'no'", "\"no\""},
      {"yEs", "\"yEs\""},
      {"12", "12"},
      {"-12", "-12"},
      {"+12", "12"},
      {"1_000", "1000"},
      {"0x1F", "31"},
      {"-0x1F", "-31"},
      {"0o17", "15"},
      {"017", "15"},
      {"0b101", "5"},
      {"08", "8"},
      {"0", "0"},
      {"-", "[null]"},
      {"0x", "\"0x\""},
      {"9223372036854775807", "9223372036854775807"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"9223372036854775808", "9223372036854776000"},
      {"1.5", "1.5"},
      {".5", "0.5"},
      {"1.", "1"},
      {"1e3", "1000"},
      {"1.5E-3", "0.0015"},
      {"1e", "\"1e\""},
      {"1e999", "\"1e999\""},
      {"1.2.3", "\"1.2.3\""},
      {"100m", "\"100m\""},
      {"12:30:45", "\"12:30:45\""},
      {"2026-01-02", "\"2026-01-02\""},
      {"2026-01-02T15:04:05Z", "\"2026-01-02T15:04:05Z\""},
      {"!!str 12", "\"12\""},
      {"!!int \"12\"", "12"},
      {"!!float 12", "12"},
      {"!!binary aGVsbG8=", "\"hello\""},
      {"!custom 12", "\"12\""},
      {"<<", R"("\u003c\u003c")"},
  };
  for (const auto& c : cases) EXPECT_EQ(as_json(c.text), c.json) << c.text;
}

TEST(Yaml, TurnsKeysIntoStrings) {
  EXPECT_EQ(as_json("{1: a, true: b, 1.5: c, 'd': e, yes_: f}"),
            R"({"1":"a","true":"b","1.5":"c","d":"e","yes_":"f"})");
  EXPECT_EQ(as_json("~: a"),
            "invalid YAML at line 1: a key must be a string, a number or a boolean");
  EXPECT_EQ(as_json("[a]: b"), "invalid YAML at line 1: a key must be a scalar");
}

TEST(Yaml, FollowsAliasesAndMergeKeys) {
  EXPECT_EQ(as_json("a: &x {k: 1}\nb: *x\nc: [*x, *x]"),
            R"({"a":{"k":1},"b":{"k":1},"c":[{"k":1},{"k":1}]})");
  EXPECT_EQ(as_json("base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  x: 3\n  z: 4"),
            R"({"base":{"x":1,"true":2},"use":{"x":3,"z":4,"true":2}})");
  EXPECT_EQ(as_json("a: &a {x: 1}\nb: &b {x: 2, w: 3}\nc: {<<: [*a, *b]}"),
            R"({"a":{"x":1},"b":{"x":2,"w":3},"c":{"x":1,"w":3}})");
  EXPECT_EQ(as_json("b: {<<: &c {v: 1}, d: *c}"), R"({"b":{"d":{"v":1},"v":1}})");
  EXPECT_EQ(as_json("b:\n  <<: &c {v: 1}\nd: *c"), R"({"b":{"v":1},"d":{"v":1}})");
  EXPECT_EQ(as_json("a: &k key\n*k : value"), R"({"a":"key","key":"value"})");
  EXPECT_EQ(as_json("a: {<<: 1}"), "invalid YAML at line 1: << takes mappings only");
}

TEST(Yaml, RefusesWhatIsWrong) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"a: 1\nb: 2\na: 3", "invalid YAML at line 3: key \"a\" is already set in this mapping"},
      {"1: a\n\"1\": b", "invalid YAML at line 2: key \"1\" is already set in this mapping"},
      {"a: *nobody", "invalid YAML at line 1: unknown anchor \"nobody\""},
      {"a: &x [*x]", "invalid YAML at line 1: anchor \"x\" contains itself"},
      {"a: .inf", "invalid YAML at line 1: .inf cannot be represented in JSON"},
      {"a: .NaN", "invalid YAML at line 1: .NaN cannot be represented in JSON"},
      {"!!int x", "invalid YAML at line 1: \"x\" is not a valid int"},
      {"!!binary x", "invalid YAML at line 1: !!binary value is not base64"},
      {"a: [1", "invalid YAML at line 2: did not find expected ',' or ']'"},
      {"a:\n\t- b", "invalid YAML at line 2: found character that cannot start any token"},
      {"--- 1\n--- 2", "expected one YAML document, got 2"},
  };
  for (const auto& c : cases) EXPECT_EQ(as_json(c.text), c.message) << c.text;
  EXPECT_TRUE(parse_yaml("a: \xFF").is(Reason::kBadRequest));
  EXPECT_TRUE(parse_yaml("a: 1", {.max_size = 3}).is(Reason::kRequestEntityTooLarge));
}

TEST(Yaml, LimitsWhatAliasesAdd) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string previous = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + previous;
    for (int n = 0; n < 8; ++n) bomb += ", " + previous;
    bomb += "]\n";
  }
  EXPECT_TRUE(as_json(bomb).ends_with("anchors and aliases add more than 4194304 bytes"))
      << as_json(bomb);
  const std::string text = "a: &a " + std::string(100'000, 'x') + "\nb: [*a, *a, *a, *a]";
  EXPECT_TRUE(parse_yaml(text, {.max_alias_bytes = 600'000}).ok());
  EXPECT_FALSE(parse_yaml(text, {.max_alias_bytes = 400'000}).ok());
}

TEST(Yaml, LimitsWhatMergeKeysAdd) {
  // Each mapping has the keys of all before it.
  std::string text = "a0: &a0 {k0: 0}\n";
  for (int i = 1; i < 2'000; ++i) {
    const std::string number = std::to_string(i);
    text += "a" + number + ": &a" + number + " {<<: *a" + std::to_string(i - 1) + ", k" + number +
            ": 0}\n";
  }
  ASSERT_LT(text.size(), 80'000U);
  EXPECT_TRUE(as_json(text).ends_with("anchors and aliases add more than 4194304 bytes"))
      << as_json(text);
}

TEST(Yaml, PaysForValuesAndMemory) {
  const auto parsed = [](const std::string& text, const Budget::Limits& limits) {
    Budget budget(limits);
    return parse_yaml(text, {.budget = &budget});
  };
  const std::string list = "[1, 2, 3, {a: b}]";  // seven nodes, with the key
  EXPECT_TRUE(parsed(list, {.values = 7}).ok());
  EXPECT_TRUE(parsed(list, {.values = 6}).is(Reason::kRequestEntityTooLarge));
  // Aliases become values, too; their anchor is kept beside the document.
  const std::string aliases = "[&a [1, 2], *a, *a]";
  EXPECT_TRUE(parsed(aliases, {.values = 15}).ok());
  EXPECT_TRUE(parsed(aliases, {.values = 14}).is(Reason::kRequestEntityTooLarge));
  std::string long_list = "[x";
  for (int i = 0; i < 100'000; ++i) long_list += ",x";
  long_list += "]";
  EXPECT_TRUE(parsed(long_list, {}).ok());
  EXPECT_TRUE(parsed(long_list, {.memory = 1'000'000}).is(Reason::kRequestEntityTooLarge));
}

TEST(Yaml, LimitsDirectives) {
  std::string few;
  std::string many;
  for (int i = 0; i < 60; ++i) few += "%TAG !a" + std::to_string(i) + "! !x\n";
  for (int i = 0; i < 100'000; ++i) many += "%TAG !a" + std::to_string(i) + "! !x\n";
  EXPECT_EQ(as_json(few + "--- {a: b}\n"), R"({"a":"b"})");
  EXPECT_EQ(as_json(many + "--- {a: b}\n"), "invalid YAML: too many %TAG directives");
}

TEST(Yaml, LimitsDepth) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(parse_yaml(nested(kMaxDepth)).ok());
  EXPECT_EQ(as_json(nested(kMaxDepth + 1)), "invalid YAML at line 1: nested too deeply");
  EXPECT_FALSE(parse_yaml(std::string(200'000, '[')).ok());
}

TEST(YamlStream, GivesEachDocument) {
  const auto documents = parse_yaml_stream("a: 1\n---\n# nothing\n---\n- b\n...\n---\nc");
  ASSERT_TRUE(documents.ok());
  std::string printed;
  for (const auto& document : *documents) printed += print(document.root()) + ";";
  EXPECT_EQ(printed, R"({"a":1};null;["b"];"c";)");
  EXPECT_TRUE(parse_yaml_stream("")->empty());
  EXPECT_FALSE(parse_yaml_stream("--- 1\n--- 2\n--- 3", {.max_documents = 2}).ok());
}

TEST(YamlStream, JsonIsYaml) {
  EXPECT_EQ(as_json(R"({"a": [1, "two", null, true], "b": {"c": "d"}})"),
            R"({"a":[1,"two",null,true],"b":{"c":"d"}})");
}

}  // namespace yaml_test
}  // namespace proa::json
