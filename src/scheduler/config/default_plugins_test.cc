#include "scheduler/config/default_plugins.h"

#include <gtest/gtest.h>

#include "scheduler/plugins/table.h"

namespace proa::scheduler {
namespace {

using Choices = std::vector<PluginChoice>;
using Names = std::vector<std::string>;

TEST(DefaultPlugins, AreThoseOfTheTable) {
  const PluginSets sets = default_plugins();
  Choices expected;
  for (const PluginEntry& entry : plugin_table()) {
    if (entry.is_default) expected.push_back({std::string(entry.name), entry.weight});
  }
  EXPECT_EQ(sets.multi_point.enabled, expected);
  EXPECT_TRUE(sets.multi_point.disabled.empty());
  for (const PointName& point : kPoints) EXPECT_EQ(sets.at[point.point], PluginSet());
}

TEST(MergePlugins, KeepsDefaultsUnlessTheyAreDisabled) {
  struct Case {
    const char* name;
    PluginSet defaults;
    PluginSet said;
    PluginSet merged;
  };
  const Case cases[] = {
      {"nothing said", {.enabled = {{"a"}, {"b"}}}, {}, {.enabled = {{"a"}, {"b"}}}},
      {"others come behind",
       {.enabled = {{"a"}, {"b"}}},
       {.enabled = {{"x"}}},
       {.enabled = {{"a"}, {"b"}, {"x"}}}},
      {"to stand behind another",
       {.enabled = {{"a"}, {"b"}}},
       {.enabled = {{"x"}, {"b"}}, .disabled = {"b"}},
       {.enabled = {{"a"}, {"x"}, {"b"}}, .disabled = {"b"}}},
      {"to stand in front",
       {.enabled = {{"a"}, {"b"}}},
       {.enabled = {{"x"}, {"a"}, {"b"}}, .disabled = {"*"}},
       {.enabled = {{"x"}, {"a"}, {"b"}}, .disabled = {"*"}}},
      {"in another order",
       {.enabled = {{"a"}, {"b"}}},
       {.enabled = {{"b"}, {"a"}}, .disabled = {"*"}},
       {.enabled = {{"b"}, {"a"}}, .disabled = {"*"}}},
      {"another weight, in place",
       {.enabled = {{"a"}, {"b"}, {"c"}}},
       {.enabled = {{"b", 2}, {"a", 1}}},
       {.enabled = {{"a", 1}, {"b", 2}, {"c"}}}},
      {"named twice: the last in place",
       {.enabled = {{"a"}, {"b"}, {"c"}}},
       {.enabled = {{"a"}, {"b", 2}, {"c"}, {"b", 4}}},
       {.enabled = {{"a"}, {"b", 4}, {"c"}, {"b", 2}}}},
      {"disabled by default",
       {.enabled = {{"a"}}, .disabled = {"b"}},
       {.enabled = {{"x"}}},
       {.enabled = {{"a"}, {"x"}}, .disabled = {"b"}}},
      {"all disabled", {.enabled = {{"a"}}}, {.disabled = {"a"}}, {.disabled = {"a"}}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    PluginSets at_filter;
    at_filter.at[Point::kFilter] = c.defaults;
    PluginSets said_of_filter;
    said_of_filter.at[Point::kFilter] = c.said;
    EXPECT_EQ(merge_plugins(at_filter, said_of_filter).at[Point::kFilter], c.merged);
    EXPECT_EQ(merge_plugins({.multi_point = c.defaults}, {.multi_point = c.said}).multi_point,
              c.merged);
  }
}

TEST(MergePlugins, LeavesPointsApart) {
  PluginSets said{.multi_point = {.enabled = {{"x"}}}};
  said.at[Point::kScore].disabled = {"x"};
  const PluginSets merged = merge_plugins({.multi_point = {.enabled = {{"a"}}}}, said);
  EXPECT_EQ(merged.multi_point.enabled, (Choices{{"a"}, {"x"}}));
  EXPECT_EQ(merged.multi_point.disabled, Names{});
  EXPECT_EQ(merged.at[Point::kScore].disabled, Names{"x"});
  EXPECT_EQ(merged.at[Point::kFilter], PluginSet());
}

}  // namespace
}  // namespace proa::scheduler
