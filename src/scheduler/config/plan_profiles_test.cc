#include "scheduler/config/plan_profiles.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "scheduler/config/read_config.h"

namespace proa::scheduler {
namespace {

using P = Point;

PluginPoints plugin(std::string name, std::initializer_list<Point> points) {
  PluginPoints made{.name = std::move(name)};
  for (const Point point : points) made.at[point] = true;
  return made;
}

// "test" is everywhere but at PreEnqueue.
std::vector<PluginPoints> known_plugins() {
  return {
      plugin("test", {P::kPreFilter, P::kFilter, P::kPostFilter, P::kReserve, P::kPreScore,
                      P::kScore, P::kPreBind, P::kBind, P::kPostBind, P::kPermit, P::kQueueSort}),
      plugin("score1", {P::kPreScore, P::kScore}),
      plugin("score2", {P::kScore}),
      plugin("normalizing", {P::kScore}),
      plugin("sort", {P::kQueueSort}),
      plugin("other-sort", {P::kQueueSort}),
      plugin("bind", {P::kBind}),
      plugin("filter", {P::kFilter}),
  };
}

Result<std::vector<ProfilePlan>> plan(std::vector<ProfileConfig> profiles) {
  SchedulerConfig config;
  config.percentage_of_nodes_to_score = 10;
  config.profiles = std::move(profiles);
  return plan_profiles(config, known_plugins());
}

// "score: a:1 b:2; bind: c", points that have plugins.
std::string text_of(const ProfilePlan& plan) {
  std::string text;
  for (const PointName& point : kPoints) {
    if (plan.at[point.point].empty()) continue;
    text += (text.empty() ? "" : "; ") + std::string(point.field) + ":";
    for (const PlannedPlugin& one : plan.at[point.point]) {
      text += " " + one.name + (one.weight == 0 ? "" : ":" + std::to_string(one.weight));
    }
  }
  return text;
}

std::string plan_text(const PluginSets& sets) {
  const auto planned = plan({{.scheduler_name = "me", .plugins = sets}});
  return planned ? text_of(planned->at(0)) : planned.status().message();
}

constexpr const char* kUntilScore =
    "preFilter: test; filter: test; postFilter: test; reserve: test; ";
constexpr const char* kAfterScore =
    "; preBind: test; bind: test; postBind: test; permit: test; queueSort: test";

TEST(PlanProfiles, SpreadsPluginsToAllPointsWhereTheyTakePart) {
  struct Case {
    const char* name;
    PluginSet all;
    PluginSet pre_score;
    PluginSet score;
    std::string wanted;  // the part about scores
  };
  const Case cases[] = {
      {"one plugin", {.enabled = {{"test", 5}}}, {}, {}, "preScore: test; score: test:5"},
      {"several",
       {.enabled = {{"test"}, {"score1"}}},
       {},
       {},
       "preScore: test score1; score: test:1 score1:1"},
      {"all disabled at one point",
       {.enabled = {{"test"}, {"score1"}}},
       {.disabled = {"*"}},
       {},
       "score: test:1 score1:1"},
      {"in the order of the point",
       {.enabled = {{"normalizing"}, {"test"}, {"score1"}}},
       {},
       {.enabled = {{"score1"}, {"test"}}},
       "preScore: test score1; score: score1:1 test:1 normalizing:1"},
      {"those of the point alone come last",
       {.enabled = {{"test"}, {"score1"}}},
       {},
       {.enabled = {{"normalizing"}, {"score1"}, {"test"}}},
       "preScore: test score1; score: score1:1 test:1 normalizing:1"},
      {"weights of the point count",
       {.enabled = {{"test"}, {"score1", 9}}},
       {},
       {.enabled = {{"score1", 5}, {"test", 3}}},
       "preScore: test score1; score: score1:5 test:3"},
      {"nothing is there twice",
       {.enabled = {{"test"}, {"score1"}}},
       {},
       {.enabled = {{"score1", 5}, {"score2", 5}, {"test", 3}}},
       "preScore: test score1; score: score1:5 test:3 score2:5"},
      {"disabled for all points, but enabled",
       {.enabled = {{"test"}, {"score1"}}, .disabled = {"*", "score1"}},
       {},
       {},
       "preScore: test score1; score: test:1 score1:1"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    PluginSets sets{.multi_point = c.all};
    sets.at[P::kPreScore] = c.pre_score;
    sets.at[P::kScore] = c.score;
    EXPECT_EQ(plan_text(sets), kUntilScore + c.wanted + kAfterScore);
  }
}

TEST(PlanProfiles, LeavesOutPluginsThatAreDisabledAtAPoint) {
  PluginSets sets{.multi_point = {.enabled = {{"sort"}, {"bind"}, {"score1"}, {"score2", 7}}}};
  sets.at[P::kPreScore].disabled = {"score1"};
  sets.at[P::kScore].disabled = {"score1"};
  EXPECT_EQ(plan_text(sets), "score: score2:7; bind: bind; queueSort: sort");
}

TEST(PlanProfiles, TakesAPointAsItIsWhereNothingIsSaidOfAll) {
  PluginSets sets;
  sets.at[P::kQueueSort].enabled = {{"sort"}};
  sets.at[P::kBind].enabled = {{"bind"}, {"test"}};
  EXPECT_EQ(plan_text(sets), "bind: bind test; queueSort: sort");
}

TEST(PlanProfiles, RefusesWhatCannotBeHad) {
  struct Case {
    const char* name;
    PluginSet all;
    Point point;
    PluginSet said;
    std::string problem;
  };
  const Case cases[] = {
      {"unknown",
       {.enabled = {{"test"}}},
       P::kScore,
       {.enabled = {{"x"}}},
       R"(ScorePlugin "x" does not exist)"},
      {"unknown everywhere",
       {.enabled = {{"test"}, {"x"}}},
       P::kScore,
       {},
       R"(PreFilterPlugin "x" does not exist)"},
      {"not its point",
       {.enabled = {{"test"}}},
       P::kScore,
       {.enabled = {{"bind"}}},
       R"(plugin "bind" does not extend ScorePlugin plugin)"},
      {"twice at a point",
       {.enabled = {{"test"}}},
       P::kScore,
       {.enabled = {{"score1"}, {"score1"}}},
       R"(plugin "score1" already registered as "ScorePlugin")"},
      {"twice everywhere",
       {.enabled = {{"test"}, {"test"}}},
       P::kScore,
       {},
       R"(plugin "test" already registered as "PreFilterPlugin")"},
      {"no queue sort",
       {.enabled = {{"bind"}}},
       P::kScore,
       {},
       R"(only one queue sort plugin required for profile with scheduler name "me", but got 0)"},
      {"two queue sorts",
       {.enabled = {{"test"}}},
       P::kQueueSort,
       {.enabled = {{"sort"}}},
       R"(only one queue sort plugin required for profile with scheduler name "me", but got 2)"},
      {"no bind",
       {.enabled = {{"sort"}}},
       P::kScore,
       {},
       R"(at least one bind plugin is needed for profile with scheduler name "me")"},
      {"below zero",
       {.enabled = {{"test", -1}, {"score1"}}},
       P::kScore,
       {},
       "score plugins: total score of Score plugins could overflow"},
      {"of pod groups",
       {.enabled = {{"test"}}},
       P::kPlacementScore,
       {.enabled = {{"test"}}},
       R"(plugin "test" does not extend PlacementScorePlugin plugin)"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    PluginSets sets{.multi_point = c.all};
    sets.at[c.point] = c.said;
    EXPECT_EQ(plan_text(sets), "creating profile for scheduler name me: " + c.problem);
  }
}

TEST(PlanProfiles, DoesNotLookForPluginsThatNoPointWants) {
  PluginSets sets{.multi_point = {.enabled = {{"unknown"}}}};
  for (const PointName& point : kPoints) sets.at[point.point].disabled = {"*"};
  sets.at[P::kQueueSort].enabled = {{"sort"}};
  sets.at[P::kBind].enabled = {{"bind"}};
  EXPECT_EQ(plan_text(sets), "bind: bind; queueSort: sort");
}

PluginArgs args(std::string name, std::string_view json) {
  return {.name = std::move(name),
          .document = std::make_shared<const json::Document>(*json::parse(json))};
}

TEST(PlanProfiles, WantsOneQueueForAllProfiles) {
  const PluginSets sorted{.multi_point = {.enabled = {{"sort"}, {"bind"}}}};
  const PluginSets otherwise{.multi_point = {.enabled = {{"other-sort"}, {"bind"}}}};
  const auto problem = [](ProfileConfig a, ProfileConfig b) {
    const auto planned = plan({std::move(a), std::move(b)});
    return planned ? "" : planned.status().message();
  };
  const ProfileConfig first{.scheduler_name = "a", .plugins = sorted};
  EXPECT_EQ(problem(first, {.scheduler_name = "b", .plugins = sorted}), "");
  EXPECT_EQ(problem(first, {.scheduler_name = "b", .plugins = otherwise}),
            R"(different queue sort plugins for profile "b": "other-sort", first: "sort")");
  EXPECT_EQ(
      problem(first, {.scheduler_name = "b", .plugins = sorted, .args = {args("sort", "{}")}}),
      R"(different queue sort plugin args for profile "b")");
  EXPECT_EQ(
      problem(first, {.scheduler_name = "b", .plugins = sorted, .args = {args("bind", "{}")}}), "");
  EXPECT_EQ(problem(first, first), R"(duplicate profile with scheduler name "a")");
  EXPECT_EQ(problem(first, {.plugins = sorted}), "scheduler name is needed");
  EXPECT_EQ(plan({}).status().message(), "at least one profile is required");
}

TEST(PlanProfiles, TakesThePercentageOfTheProfileFirst) {
  const PluginSets sets{.multi_point = {.enabled = {{"test"}}}};
  const auto planned =
      plan({{.scheduler_name = "a", .plugins = sets},
            {.scheduler_name = "b", .percentage_of_nodes_to_score = 0, .plugins = sets}});
  ASSERT_TRUE(planned.ok()) << planned.status().message();
  EXPECT_EQ(planned->at(0).percentage_of_nodes_to_score, 10);
  EXPECT_EQ(planned->at(1).percentage_of_nodes_to_score, 0);
}

TEST(NeededPlugins, AreThoseOfAllPointsOnce) {
  ProfileConfig profile;
  profile.plugins.multi_point.enabled = {{"b"}, {"a"}};
  profile.plugins.at[P::kScore].enabled = {{"a"}, {"c"}};
  profile.plugins.at[P::kFilter].disabled = {"d"};
  EXPECT_EQ(needed_plugins(profile), (std::vector<std::string>{"b", "a", "c"}));
}

}  // namespace
}  // namespace proa::scheduler
