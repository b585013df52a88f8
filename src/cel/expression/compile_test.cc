#include "cel/expression/compile.h"

#include <gtest/gtest.h>

#include <stop_token>
#include <utility>

#include "base/check.h"
#include "cel/values/print.h"
#include "json/parse.h"
#include "testkit/fake_clock.h"

namespace proa::cel {
namespace {

// The value, or why there is none.
std::string evaluated(std::string_view source, int version = 36) {
  Environment environment = kubernetes_environment(version);
  environment.add_variable("self", "dyn");
  environment.add_variable("names", "list(string)");
  const auto document =
      json::parse(R"({"spec": {"replicas": 3, "names": ["a", "b"]}, "list": ["x", "y", "z"]})");
  const Value values[] = {from_json(document->root()), from_json(*document->root().find("list"))};
  const Compiled compiled = compile(source, environment);
  if (compiled.program == nullptr) return compiled.issues + compiled.failure;
  Arena arena;
  const Outcome outcome = compiled.program->evaluate(values, arena, 1'000'000);
  return print_value(outcome.value);
}

uint64_t cost(std::string_view source, uint64_t limit = 1'000'000) {
  const Compiled compiled = compile(source, kubernetes_environment(36));
  Arena arena;
  return compiled.program->evaluate({}, arena, limit).cost;
}

TEST(Compile, EvaluatesRules) {
  EXPECT_EQ(evaluated("self.spec.replicas <= 5 && self.spec.names.all(n, n.size() == 1)"), "true");
  EXPECT_EQ(evaluated("names.map(n, n + '!')"), R"(["x!", "y!", "z!"])");
  EXPECT_EQ(evaluated("names.filter(n, n > 'x').size()"), "2");
  EXPECT_EQ(evaluated("has(self.spec.missing) ? 1 : 2"), "2");
  EXPECT_EQ(evaluated("self.?spec.?missing.orValue('none')"), R"("none")");
  EXPECT_EQ(evaluated("names.transformMap(i, n, n)"), R"({0: "x", 1: "y", 2: "z"})");
}

TEST(Compile, ErrorsAreAbsorbedByLogic) {
  EXPECT_EQ(evaluated("self.missing == 1 || true"), "true");
  EXPECT_EQ(evaluated("self.missing == 1 && true"), "error(no such key: missing)");
  EXPECT_EQ(evaluated("[0, 1].exists(x, 1 / x == 1)"), "true");
  EXPECT_EQ(evaluated("[0, 1].all(x, 1 / x == 1)"), "error(division by zero)");
}

TEST(Compile, RefusesWhatIsIllTyped) {
  EXPECT_EQ(evaluated("names + 1"),
            "ERROR: <input>:1:7: found no matching overload for '_+_' applied to '(list(string), "
            "int)'\n | names + 1\n | ......^");
  EXPECT_EQ(evaluated("missing"),
            "ERROR: <input>:1:1: undeclared reference to 'missing' (in container '')\n | missing\n"
            " | ^");
  EXPECT_EQ(evaluated("[1, 'a']"),
            "ERROR: <input>:1:5: expected type 'int' but found 'string'\n | [1, 'a']\n | ....^");
  EXPECT_EQ(evaluated("duration('x')"),
            "ERROR: <input>:1:10: invalid duration argument\n | duration('x')\n | .........^");
  EXPECT_EQ(evaluated("int('x')"), "type conversion error from 'string' to 'int'");
}

TEST(Compile, DependsOnTheVersion) {
  EXPECT_TRUE(evaluated("optional.of(1)", 27).starts_with("ERROR"));
  EXPECT_EQ(evaluated("optional.of(1)", 28), "optional(1)");
  EXPECT_TRUE(evaluated("[1].all(i, x, x > i)", 31).starts_with("ERROR"));
  EXPECT_EQ(evaluated("[1].all(i, x, x > i)", 32), "true");
}

TEST(Compile, ReadsPatternsAsGoDoes) {
  EXPECT_EQ(evaluated("'abc'.matches('(?<n>a)(?<n>b)')"), "true");
  EXPECT_EQ(evaluated("'abc'.find('(?<n>b)')"), "\"b\"");
  EXPECT_EQ(evaluated("['(?<n>b)'].all(p, 'abc'.matches(p))"), "true");
  EXPECT_TRUE(evaluated("'abc'.matches(r'\\C')").starts_with("ERROR"));
  EXPECT_TRUE(evaluated("[r'\\C'].all(p, 'abc'.matches(p))").starts_with("error("));
}

TEST(Compile, CountsCosts) {
  EXPECT_EQ(cost("1 + 1"), 1U);
  EXPECT_EQ(cost("[1, 2].map(x, x + 1)"), 29U);
  EXPECT_EQ(cost("'abc'.matches('^a')"), 1U);
}

TEST(Compile, StopsAtTheLimit) {
  const Compiled compiled = compile("[1, 2, 3, 4].all(x, [1, 2, 3].all(y, x + y > 0)) || true",
                                    kubernetes_environment(36));
  Arena arena;
  const Outcome outcome = compiled.program->evaluate({}, arena, 20);
  EXPECT_TRUE(outcome.cancelled);
  EXPECT_EQ(outcome.value.text(), "operation cancelled: actual cost limit exceeded");
}

// Names for values let a short expression build what no cost pays for.
std::string doubled(std::string_view first, std::string_view next, int levels) {
  std::string inner = "v" + std::to_string(levels) + " == v" + std::to_string(levels);
  for (int i = levels; i > 0; --i) {
    std::string value(next);
    for (size_t at = 0; (at = value.find('v', at)) != std::string::npos; at += 3) {
      value.replace(at, 1, "v" + std::to_string(i - 1));
    }
    inner = "optional.of(" + value + ").optMap(v" + std::to_string(i) + ", " + inner + ")";
  }
  return "optional.of(" + std::string(first) + ").optMap(v0, " + inner + ")";
}

TEST(Compile, BoundsWhatSharedPartsBuild) {
  EXPECT_EQ(evaluated(doubled("[0]", "v + v", 40)), "error(list is too long)");
  const std::string nested = evaluated(doubled("[0]", "[v, v]", 40));
  EXPECT_TRUE(nested.find("false") != std::string::npos) << nested;
  EXPECT_EQ(evaluated("'a'.replace('', 'b').size()"), "3");
}

// Adding lists has a fixed price, and takes no memory for their items; other lists do.
TEST(Compile, BoundsMemory) {
  Environment environment = kubernetes_environment(36);
  environment.add_variable("names", "list(string)");
  std::string text = "[\"a\"";
  for (int i = 0; i < 20'000; ++i) text += ",\"b\"";
  const auto document = json::parse(text + "]");
  const Value values[] = {from_json(document->root())};
  const auto run = [&](std::string_view expression) {
    const Compiled compiled = compile(expression, environment);
    Arena arena;
    const Outcome outcome = compiled.program->evaluate(values, arena, 1'000'000'000);
    return std::pair(outcome.cancelled, arena.reserved());
  };
  const auto [added, for_sums] = run("names.all(n, (names + names).size() > 0)");
  EXPECT_FALSE(added);
  EXPECT_LT(for_sums, size_t{8} << 20);
  const auto [copied, for_copies] = run("names.all(n, names.map(x, x).size() > 0)");
  EXPECT_TRUE(copied);
  EXPECT_LT(for_copies, size_t{64} << 20);
}

TEST(Compile, HasTheLibraryOfMutatingPoliciesIfAsked) {
  EXPECT_TRUE(evaluated("jsonpatch.escapeKey('a/b~c')").starts_with("ERROR"));
  const Compiled compiled = compile("jsonpatch.escapeKey('a/b~c')",
                                    kubernetes_environment(36, Libraries::kWithJsonPatch));
  Arena arena;
  EXPECT_EQ(compiled.program->evaluate({}, arena, 100).value.text(), "a~1b~0c");
}

TEST(Compile, KnowsTimeZones) {
  EXPECT_EQ(evaluated("timestamp('2024-07-01T12:00:00Z').getHours('+02:30')"), "14");
  EXPECT_EQ(evaluated("timestamp('2024-07-01T12:00:00Z').getHours('Nowhere/City')"),
            "error(unknown time zone Nowhere/City)");
}

TEST(Compile, KeepsConstantPatterns) {
  EXPECT_EQ(evaluated("names.all(n, n.matches('^[xyz]$'))"), "true");
  EXPECT_EQ(evaluated("names.map(n, n.find('[xy]'))"), R"(["x", "y", ""])");
  EXPECT_EQ(evaluated("names.map(n, 'xyz'.find(n))"), R"(["x", "y", "z"])");
  EXPECT_EQ(evaluated("'a'.find('(')"), "error parsing regexp: missing closing ): `(`");
}

// A constant pattern is compiled with its function, which then does not know its own name.
TEST(Compile, RefusesArgumentsOfOtherTypes) {
  EXPECT_EQ(evaluated("dyn(b'a').find(names[0])"), "error(no such overload: find(bytes, string))");
  EXPECT_EQ(evaluated("dyn(b'a').find('a')"), "error(no such overload)");
  EXPECT_EQ(evaluated("'a'.findAll('a', dyn('b'))"), "error(no such overload)");
  EXPECT_EQ(evaluated("dyn([null]).max()"), "error(no such overload: max(list))");
  EXPECT_EQ(evaluated("dyn([null]).isSorted()"), "error(no such overload: isSorted(list))");
  EXPECT_EQ(evaluated("[dyn(1), dyn(null)].isSorted()"), "error(no such overload)");
  EXPECT_EQ(evaluated("[dyn(2), dyn(1), dyn(null)].isSorted()"), "false");
}

TEST(Compile, EstimatesCosts) {
  const Compiled compiled = compile("names.all(n, n == 'abc')", [] {
    Environment environment = kubernetes_environment(36);
    environment.add_variable("names", "list(string)");
    return environment;
  }());
  EXPECT_EQ(compiled.estimate, (Range{.min = 2, .max = UINT64_MAX}));
  EXPECT_EQ(compile("[1, 2].map(x, x + 1)", kubernetes_environment(36)).estimate, Range::of(49));
}

TEST(Compile, ProgramsAreSmall) {
  const Compiled compiled = compile("[1, 2].exists(x, x > 1 && x < 5)", kubernetes_environment(36));
  EXPECT_LT(compiled.program->memory(), 6000U);
}

// `[l]` with a list that doubles that many times.
std::string doubled(int times, std::string_view then) {
  std::string source = "[names]";
  for (int i = 0; i < times; ++i) source += ".map(x, x + x)";
  return source + std::string(then);
}

TEST(Compile, ListsAreAddedWithoutCopies) {
  EXPECT_EQ(evaluated(doubled(18, ".all(x, x.size() == 786432)")), "true");
  EXPECT_EQ(evaluated(doubled(18, ".map(x, x[786431])")), R"(["z"])");
  EXPECT_EQ(evaluated(doubled(5, ".all(x, 'z' in x && x == x && x.indexOf('z') == 2)")), "true");
  EXPECT_EQ(evaluated(doubled(5, ".all(x, x.slice(94, 96) == ['y', 'z'])")), "true");
  EXPECT_EQ(evaluated(doubled(4, ".all(x, x.map(i, i).sort()[0] == 'x')")), "true");
  EXPECT_EQ(cost("[1] + [2]"), cost("([1] + [2]).size()") - 1);
}

TEST(Compile, MemoryIsThatOfTheRequest) {
  Environment environment = kubernetes_environment(36);
  const Compiled compiled =
      compile("lists.range(60000).map(x, [x, x, x, x, x, x, x, x]).size() > 0", environment);
  ASSERT_NE(compiled.program, nullptr) << compiled.issues;
  MemoryPool pool(size_t{4} << 20);
  {
    Budget budget(pool);
    Arena arena;
    EXPECT_TRUE(compiled.program->evaluate({}, arena, 10'000'000, &budget).cancelled);
    EXPECT_TRUE(budget.check().is(Reason::kTooManyRequests));
  }
  EXPECT_EQ(pool.left(), size_t{4} << 20);
  Arena arena;
  EXPECT_TRUE(compiled.program->evaluate({}, arena, 10'000'000).value.is_true());
}

// `[x]` in lists of two that many deep: all share their parts, and their text doubles.
std::string paired(int times, std::string_view first, std::string_view then) {
  std::string source = "[" + std::string(first) + "]";
  for (int i = 0; i < times; ++i) source += ".map(x, [x, x])";
  return source + std::string(then);
}

TEST(Compile, TextOfSharedListsIsLimited) {
  const auto formatted = [](std::string_view first, int times) {
    return evaluated("'%s'.format([" + paired(times, first, "") + "]).size() > 0");
  };
  EXPECT_EQ(formatted("1", 3), "true");
  const std::string text = "'" + std::string(1000, 'x') + "'";
  for (const std::string& first : {text, "b" + text, "{'b': " + text + ", 'a': [2]}"}) {
    EXPECT_EQ(formatted(first, 60), "error(string is too long)");
  }
  EXPECT_EQ(
      evaluated("'%s'.format([[{'a': 1}].map(x, {'c': x, 'b': x}).map(x, {'d': x, 'a': x})])"),
      R"("[{\"a\":{\"b\":{\"a\":1}, \"c\":{\"a\":1}}, \"d\":{\"b\":{\"a\":1}, \"c\":{\"a\":1}}}]")");
  // In messages, too.
  const std::string message = evaluated(paired(60, text, ".map(x, [dyn(x)].join())"));
  EXPECT_LT(message.size(), size_t{2} << 20);
  EXPECT_LT(evaluated(paired(60, "{'a': " + text + "}", "")).size(), size_t{2} << 20);
}

// Holds, and is given up once the client is gone; the outcome then.
Outcome given_up(const std::string& source) {
  const Compiled compiled = compile(source, kubernetes_environment(36));
  CHECK(compiled.program != nullptr);
  testkit::FakeClock clock;
  std::stop_source client;
  Budget budget;
  budget.end_with({.stop = client.get_token()}, clock);
  Arena arena;
  EXPECT_TRUE(compiled.program->evaluate({}, arena, 10'000'000, &budget).value.is_true());
  client.request_stop();
  const Outcome outcome = compiled.program->evaluate({}, arena, 10'000'000, &budget);
  EXPECT_TRUE(outcome.cancelled);
  EXPECT_TRUE(budget.check().is(Reason::kTimeout));
  return outcome;
}

TEST(Compile, WritingTextEndsWithTheRequest) {
  given_up("'%s'.format([" + paired(12, "'" + std::string(1000, 'x') + "'", "") + "]).size() > 0");
}

TEST(Compile, EvaluationEndsWithTheRequest) {
  EXPECT_LT(given_up("lists.range(300000).all(x, x >= 0)").cost, 400'000U);
}

TEST(Compile, ComparingListsDoesNotKeepTheTimeFromBeingLookedAt) {
  given_up(
      "[1, 2, 3, 4, 5, 6, 7, 8].all(x, [[x], [x]] == [[x], [x]] && [x] == [x] && "
      "[[x]] == [[x]])");
}

TEST(Compile, PatternsOfValuesArePaidFor) {
  const Compiled compiled =
      compile(R"(lists.range(1000).all(i, !'a'.matches('(\\pL{1,30}){1,30}' + string(i) + 'z')))",
              kubernetes_environment(36));
  ASSERT_NE(compiled.program, nullptr) << compiled.issues;
  Budget budget({.values = 0, .memory = size_t{32} << 20, .steps = 2'000'000});
  Arena arena;
  EXPECT_TRUE(compiled.program->evaluate({}, arena, 10'000'000, &budget).cancelled);
  EXPECT_TRUE(budget.check().is(Reason::kRequestEntityTooLarge));
}

TEST(Compile, SharedPartsDoNotMultiplyWork) {
  std::string source = "[[1]]";
  for (int i = 0; i < 60; ++i) source += ".map(x, [x, x])";
  EXPECT_EQ(evaluated(source + ".flatten(100).size() > 0"), "error(list is too long)");
  EXPECT_EQ(evaluated("dyn(" + source + ").indexOf(1) < 0"),
            "error(operation cancelled: actual cost limit exceeded)");
}

TEST(Compile, TextsAreFoundByCodePoints) {
  EXPECT_EQ(evaluated("'\u00e9\u20acx\u00e9\u20acx'.indexOf('x')"), "2");
  EXPECT_EQ(evaluated("'\u00e9\u20acx\u00e9\u20acx'.indexOf('x', 3)"), "5");
  EXPECT_EQ(evaluated("'\u00e9\u20acx\u00e9\u20acx'.lastIndexOf('\u20ac')"), "4");
  EXPECT_EQ(evaluated("'\u00e9\u20acx\u00e9\u20acx'.lastIndexOf('\u20ac', 3)"), "1");
  EXPECT_EQ(evaluated("'tacocat'.lastIndexOf('cat', 4)"), "4");
  EXPECT_EQ(evaluated("'tacocat'.lastIndexOf('cat', 3)"), "-1");
  EXPECT_EQ(evaluated("'a\u20acb'.charAt(1)"), "\"\u20ac\"");
  EXPECT_EQ(evaluated("'ab'.charAt(2)"), R"("")");
  EXPECT_EQ(evaluated("'ab'.charAt(3)"), "error(index out of range: 3)");
}

TEST(Compile, MapsGrowInLinearMemory) {
  EXPECT_EQ(evaluated("lists.range(20000).transformMap(i, v, v)[19999]"), "19999");
  EXPECT_EQ(evaluated("lists.range(10000).transformMapEntry(i, v, {string(v): i}).size()"),
            "10000");
}

}  // namespace
}  // namespace proa::cel
