#include "api/apply/managed/entries.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/apply/fields/fields_v1.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::api {
namespace {

constexpr Time kNow{std::chrono::seconds(1767225600)};

ManagedEntry entry(std::string manager, bool applied, int minute, std::string version = "v1") {
  return {.manager = std::move(manager),
          .applied = applied,
          .api_version = std::move(version),
          .subresource = {},
          .time = kNow + std::chrono::minutes(minute),
          .fields = {}};
}

TEST(ManagedEntries, ArePrintedAsTheyWereRead) {
  const std::string text =
      R"([{"manager":"a","operation":"Apply","apiVersion":"apps/v1","time":"2026-01-01T00:00:00Z",)"
      R"("fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:replicas":{}}}},)"
      R"({"manager":"b","operation":"Update","apiVersion":"apps/v1",)"
      R"("fieldsType":"FieldsV1","fieldsV1":{"f:status":{}},"subresource":"status"}])";
  const json::Document document = json::parse_literal(text);
  json::Arena arena;
  const Result<ManagedEntries> entries = decode_managers(&document.root(), arena);
  ASSERT_TRUE(entries);
  EXPECT_EQ(json::print(encode_managers(*entries, arena)), text);
  EXPECT_EQ((*entries)[0].identity(), R"({"manager":"a","operation":"Apply"})");
  EXPECT_EQ(
      (*entries)[1].identity(),
      R"({"manager":"b","operation":"Update","apiVersion":"apps/v1","subresource":"status"})");
}

TEST(ManagedEntries, AreRejectedInUpstreamsWords) {
  struct Case {
    std::string_view text;
    std::string_view error;
  };
  for (const Case& c : {
           Case{R"([{}])", "operation must be `Apply` or `Update`"},
           Case{R"([{"operation":"Apply"}])", "apiVersion must not be empty"},
           Case{R"([{"operation":"Apply","apiVersion":"v1"}])",
                "missing fieldsType in managed fields entry 0"},
           Case{R"([{"operation":"Update","apiVersion":"v1","fieldsType":"x"}])",
                R"(invalid fieldsType "x" in managed fields entry 0)"},
       }) {
    const json::Document document = json::parse_literal(c.text);
    json::Arena arena;
    const Result<ManagedEntries> entries = decode_managers(&document.root(), arena);
    ASSERT_FALSE(entries);
    EXPECT_EQ(entries.status().message(), c.error);
  }
}

TEST(ManagedEntries, OfOneManagerTheLastCounts) {
  for (const int others : {0, 100}) {
    std::string text = "[";
    const auto add = [&](std::string_view manager, std::string_view field) {
      if (text.size() > 1) text += ',';
      text += fmt::format(R"({{"manager":"{}","operation":"Update","apiVersion":"v1",)"
                          R"("fieldsType":"FieldsV1","fieldsV1":{{"f:{}":{{}}}}}})",
                          manager, field);
    };
    add("m", "a");
    for (int i = 0; i < others; ++i) add(fmt::format("o{}", i), "x");
    add("m", "b");
    const json::Document document = json::parse_literal(text + "]");
    json::Arena arena;
    Result<ManagedEntries> entries = decode_managers(&document.root(), arena);
    ASSERT_TRUE(entries);
    EXPECT_EQ(entries->size(), 1U + others);
    const ManagedEntry* found = find_manager(*entries, entry("m", false, 0));
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(print_fields_v1(found->fields), R"({"f:b":{}})");
  }
}

TEST(ManagedEntries, AreResetByAnEmptyListOrEntry) {
  const auto resets = [](std::string_view text) {
    const json::Document document = json::parse_literal(text);
    return is_reset_of_managers(&document.root());
  };
  EXPECT_TRUE(resets("[]"));
  EXPECT_TRUE(resets("[{}]"));
  EXPECT_FALSE(resets("null"));
  EXPECT_FALSE(resets("[{},{}]"));
  EXPECT_FALSE(resets(R"([{"manager":"a"}])"));
  EXPECT_FALSE(is_reset_of_managers(nullptr));
}

TEST(ManagedEntries, AreSortedByOperationTimeAndName) {
  json::Arena arena;
  ManagedEntries entries = {entry("z", false, 0), entry("b", true, 2), entry("a", false, 5),
                            entry("a", true, 1), entry("a", true, 2)};
  entries[4].subresource = "status";
  const json::Document printed = json::parse_literal(json::print(encode_managers(entries, arena)));
  std::string order;
  for (const json::Value& one : printed.root().items()) {
    order += std::string(one.find("manager")->as_string()) +
             std::string(one.find("operation")->as_string()) + " ";
  }
  EXPECT_EQ(order, "aApply aApply bApply zUpdate aUpdate ");
  EXPECT_TRUE(encode_managers({}, arena).is_null());
}

TEST(ManagedEntries, CapsTheOldestUpdaters) {
  json::Arena arena;
  FieldSetMaker make(arena);
  ManagedEntries entries;
  for (int i = 0; i < 12; ++i) {
    entries.push_back(entry(fmt::format("m{:02}", i), false, i, i == 1 ? "v2" : "v1"));
    const std::array path = {Element::field("abcdefghijkl").name().substr(size_t(i), 1)};
    const std::array element = {Element::field(path[0])};
    entries.back().fields = make.single(element);
  }
  entries.push_back(entry("applier", true, 0));
  cap_updaters(entries, make);
  std::string names;
  for (const ManagedEntry& one : entries)
    names += one.manager + print_fields_v1(one.fields) + (one.applied ? "A " : " ");
  // m01 is alone in its version, and keeps its name.
  EXPECT_TRUE(names.starts_with(R"(m01{"f:b":{}} m04{"f:e":{}} )")) << names;
  EXPECT_TRUE(names.ends_with(R"(applier{}A ancient-changes{"f:a":{},"f:c":{},"f:d":{}} )"))
      << names;
  EXPECT_EQ(std::ranges::count(entries, false, &ManagedEntry::applied), 10);
  EXPECT_EQ(entries.back().time, kNow + std::chrono::minutes(3));
  const size_t size = entries.size();
  cap_updaters(entries, make);
  EXPECT_EQ(entries.size(), size);
}

}  // namespace
}  // namespace proa::api
