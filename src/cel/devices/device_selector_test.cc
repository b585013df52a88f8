#include "cel/devices/device_selector.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::cel {
namespace {

constexpr DeviceFeatures kUsual;
constexpr DeviceFeatures kWithLists{.list_attributes = true};
constexpr std::string_view kDriver = "dra.example.com";

// What a selector says of a device: "true", "false", or why not.
std::string verdict(std::string_view expression, std::string_view device,
                    std::string_view driver = kDriver, const DeviceFeatures& features = kUsual) {
  const CheckedExpression selector = compile_device_selector(expression, features);
  if (!selector.error.empty()) return selector.error;
  const json::Document document = json::parse(device).value();
  Arena arena;
  const Result<Value> value = device_value(arena, driver, document.root(), features);
  if (!value) return value.status().message();
  const Result<DeviceMatch> match = device_matches(selector, *value, arena);
  if (!match) return match.status().message();
  EXPECT_LE(match->cost, selector.max_cost);
  return match->matches ? "true" : "false";
}

constexpr std::string_view kAll = R"({"attributes": {
    "bool": {"bool": true}, "int": {"int": 1}, "string": {"string": "fish"},
    "version": {"version": "1.0.0"}, "other.example.com/name": {"bool": true}},
  "capacity": {"quantity": {"value": "1Mi"}}})";

TEST(DeviceSelector, ReadsTheDevice) {
  struct {
    std::string_view expression;
    uint64_t cost;  // the estimate
    std::string_view verdict;
  } const cases[] = {
      {"true", 0, "true"},
      {"false", 0, "false"},
      {"device.driver == 'dra.example.com'", 4, "true"},
      {"device.attributes['dra.example.com'].bool", 4, "true"},
      {"device.attributes['dra.example.com']['bool']", 4, "true"},
      {"device.attributes['other.example.com'].name", 4, "true"},
      {"device.attributes['dra.example.com'].int > 0", 5, "true"},
      {"device.attributes['dra.example.com'].string == 'fish'", 5, "true"},
      {"device.attributes['dra.example.com'].version.isGreaterThan(semver('0.0.1'))", 6, "true"},
      {"device.attributes['dra.example.com'].version.isGreaterThan(semver('v0.0.1', true)) && "
       "isSemver('v1.0.0', true)",
       7, "true"},
      {"device.capacity['dra.example.com'].quantity.isGreaterThan(quantity('1Ki'))", 6, "true"},
      {"'quantity' in device.capacity['dra.example.com'] && "
       "device.capacity['dra.example.com'].quantity.isGreaterThan(quantity('1Ki'))",
       10, "true"},
      {"cel.bind(dra, device.attributes['dra.example.com'], dra.bool)", 15, "true"},
      {"device.attributes.exists_one(x, x == 'dra.example.com')", 164, "true"},
      {"device.attributes['dra.example.com'].exists_one(x, x == 'string')", 133, "true"},
      {"device.attributes['dra.example.com'].string.split('example').size() >= 2", 19, "false"},
      {"device.attributes['dra.example.com'].string.matches('[^a]?ish')", 18, "true"},
      {"device.capacity.exists_one(x, x == 'dra.example.com')", 164, "true"},
      {"device.capacity['dra.example.com'].exists_one(x, x == 'quantity')", 133, "true"},
      {"device.allowMultipleAllocations == false", 3, "true"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.expression);
    EXPECT_EQ(verdict(c.expression, kAll), c.verdict);
    EXPECT_EQ(compile_device_selector(c.expression).max_cost, c.cost);
    EXPECT_EQ(verdict(c.expression, kAll, kDriver, kWithLists), c.verdict);
  }
}

TEST(DeviceSelector, ADomainThatIsNotThereIsEmpty) {
  const std::string_view none = "{}";
  EXPECT_EQ(verdict("device.attributes['none'].x", none), "no such key: x");
  EXPECT_EQ(verdict("device.attributes['none']['x'].isGreaterThan(quantity('0'))", none),
            "no such key: x");
  EXPECT_EQ(verdict("device.capacity['none'].x.isGreaterThan(quantity('0'))", none),
            "no such key: x");
  EXPECT_EQ(verdict("'none' in device.attributes", none), "false");
  EXPECT_EQ(verdict("'dra.example.com' in device.attributes", kAll), "true");
  EXPECT_EQ(verdict("has(device.attributes.none)", none), "true");
  EXPECT_EQ(verdict("device.attributes[?'none'].hasValue()", none), "true");
  EXPECT_EQ(verdict("size(device.attributes) == 0 && device.attributes == {}", none), "true");
  EXPECT_EQ(verdict("has(device.attributes['none'].x)", none), "false");
  EXPECT_EQ(verdict("!('x' in device.capacity['none']) || "
                    "device.capacity['none'].x.isGreaterThan(quantity('1Ki'))",
                    none),
            "true");
  EXPECT_EQ(verdict("device.driver == ''", none, ""), "true");
  EXPECT_EQ(verdict("device.allowMultipleAllocations", R"({"allowMultipleAllocations": true})"),
            "true");
}

TEST(DeviceSelector, SaysWhatIsWrong) {
  EXPECT_EQ(compile_device_selector("1").error,
            "must evaluate to bool or the unknown type, not int");
  EXPECT_EQ(compile_device_selector("timestamp('2020-01-01T00:00:00Z')").error,
            "must evaluate to bool or the unknown type, not google.protobuf.Timestamp");
  // What is below an attribute is not of the type of attributes.
  EXPECT_EQ(compile_device_selector("device.attributes['a'].b.c").error,
            "must evaluate to bool or the unknown type, not dyn");
  EXPECT_EQ(compile_device_selector("device.attributes['a'].b.c", kWithLists).error, "");
  EXPECT_TRUE(compile_device_selector("?!").error.starts_with("compilation failed: ERROR: "));
  EXPECT_EQ(compile_device_selector("device.none").error,
            "compilation failed: ERROR: <input>:1:7: undefined field 'none'\n | device.none\n | "
            "......^");
  EXPECT_EQ(
      compile_device_selector("device.allowMultipleAllocations", {.consumable_capacity = false})
          .error,
      "compilation failed: ERROR: <input>:1:7: undefined field "
      "'allowMultipleAllocations'\n | device.allowMultipleAllocations\n | ......^");
  EXPECT_EQ(compile_device_selector("cel.bind('a', 1, true)").error,
            "compilation failed: ERROR: <input>:1:10: cel.bind() variable names must be simple "
            "identifiers\n | cel.bind('a', 1, true)\n | .........^");
}

TEST(DeviceSelector, AttributesAreNoRangesUnlessTheyCanBeLists) {
  const std::string_view loop = "device.attributes['dra.example.com'].string.exists(x, x == 'a')";
  EXPECT_EQ(compile_device_selector(loop).error,
            "compilation failed: ERROR: <input>:1:37: expression of type 'any' cannot be range of "
            "a comprehension (must be list, map, or dynamic)\n | " +
                std::string(loop) + "\n | ....................................^");
  EXPECT_EQ(verdict(loop, kAll, kDriver, kWithLists), "got 'types.String', expected iterable type");
  EXPECT_EQ(verdict("device.attributes['dra.example.com'].version.exists(x, true)", kAll, kDriver,
                    kWithLists),
            "got 'cel.Semver', expected iterable type");
}

TEST(DeviceSelector, ListsOfAttributes) {
  const std::string_view lists = R"({"attributes": {"ints": {"ints": [1, 2]},
    "bools": {"bools": [true, false]}, "strings": {"strings": ["a", "b"]},
    "versions": {"versions": ["1.0.0", "2.0.0"]}, "one": {"string": "a"}}})";
  struct {
    std::string_view expression;
    uint64_t cost;
  } const cases[] = {
      {"device.attributes['dra.example.com'].ints.size() == 2", 6},
      {"device.attributes['dra.example.com'].versions.size() == 2", 6},
      {"device.attributes['dra.example.com'].ints.exists(x, x > 0)", 5 + 6 * 64},
      {"device.attributes['dra.example.com'].strings.all(x, x != '')", 5 + 4 * 64},
      {"device.attributes['dra.example.com'].strings.includes('b')", 4 + 48},
      {"!device.attributes['dra.example.com'].strings.includes('c')", 5 + 48},
      {"device.attributes['dra.example.com'].one.includes('a')", 4 + 48},
      {"2 in device.attributes['dra.example.com'].ints", 4 + 64},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.expression);
    EXPECT_EQ(verdict(c.expression, lists, kDriver, kWithLists), "true");
    EXPECT_EQ(compile_device_selector(c.expression, kWithLists).max_cost, c.cost);
  }
  EXPECT_EQ(verdict("true", lists), "attribute ints: unsupported attribute value");
  EXPECT_NE(compile_device_selector("[1].includes(1)").error, "");
  std::string many;
  for (int i = 0; i < 49; ++i) many += (i == 0 ? "" : ", ") + std::to_string(i);
  EXPECT_EQ(verdict("[" + many + "].includes(100)", "{}", kDriver, kWithLists),
            "'includes' function cannot be applied to lists longer than 48 values");
}

TEST(DeviceSelector, AttributesThatAreNoBools) {
  EXPECT_EQ(verdict("device.attributes['dra.example.com'].string", kAll),
            "CEL result of type string could not be converted to bool: unsupported native "
            "conversion from string to 'bool'");
  EXPECT_EQ(verdict("device.attributes['dra.example.com'].int", kAll),
            "CEL result of type int could not be converted to bool: unsupported type conversion "
            "from 'int' to bool");
  EXPECT_EQ(verdict("device.attributes['dra.example.com'].version", kAll),
            "CEL result of type kubernetes.Semver could not be converted to bool: type conversion "
            "error from 'Semver' to 'bool'");
  EXPECT_EQ(verdict("true", R"({"attributes": {"v": {"version": "1"}}})"),
            "attribute v: parse semantic version: No Major.Minor.Patch elements found");
  EXPECT_EQ(verdict("true", R"({"attributes": {"v": {}}})"),
            "attribute v: unsupported attribute value");
}

TEST(DeviceSelector, CostsAreLimited) {
  std::string nested = "int('1'.find('[0-9]*')) < 100";
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) {
    nested = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(" + std::string(name) + ", " + nested + ")";
  }
  EXPECT_EQ(compile_device_selector(nested).max_cost, 85'555'551U);
  EXPECT_EQ(verdict(nested, "{}"), "operation cancelled: actual cost limit exceeded");
}

}  // namespace
}  // namespace proa::cel
