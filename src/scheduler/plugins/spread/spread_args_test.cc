#include "scheduler/plugins/spread/spread_args.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace proa::scheduler {
namespace {

Result<SpreadDefaults> read(std::string_view args) {
  const json::Document document = json::parse(args).value();
  return read_spread_args(api::View(document.root()));
}

TEST(SpreadArgs, WithoutAnyTheSystemsOwnDefaultsHold) {
  for (const std::string_view args : {"{}", R"({"defaultingType":"System"})", "null"}) {
    SCOPED_TRACE(args);
    const Result<SpreadDefaults> defaults = read(args);
    ASSERT_TRUE(defaults.ok());
    EXPECT_TRUE(defaults->by_system);
    ASSERT_EQ(defaults->constraints.size(), 2u);
    EXPECT_EQ(defaults->constraints[0].topology_key, "kubernetes.io/hostname");
    EXPECT_EQ(defaults->constraints[0].max_skew, 3);
    EXPECT_EQ(defaults->constraints[1].topology_key, "topology.kubernetes.io/zone");
    EXPECT_EQ(defaults->constraints[1].max_skew, 5);
    EXPECT_FALSE(defaults->constraints[0].hard || defaults->constraints[1].hard);
  }
}

TEST(SpreadArgs, AListIsTakenAsItIs) {
  const Result<SpreadDefaults> none = read(R"({"defaultingType":"List"})");
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->by_system);
  EXPECT_TRUE(none->constraints.empty());

  const Result<SpreadDefaults> two = read(R"({"defaultingType":"List","defaultConstraints":[
      {"maxSkew":1,"topologyKey":"node","whenUnsatisfiable":"DoNotSchedule","minDomains":4},
      {"maxSkew":2,"topologyKey":"zone","whenUnsatisfiable":"ScheduleAnyway",
       "nodeAffinityPolicy":"Ignore","nodeTaintsPolicy":"Honor"}]})");
  ASSERT_TRUE(two.ok());
  ASSERT_EQ(two->constraints.size(), 2u);
  const SpreadConstraint& node = two->constraints[0];
  EXPECT_TRUE(node.hard && node.honors_affinity && !node.honors_taints);
  EXPECT_EQ(node.min_domains, 4);
  const SpreadConstraint& zone = two->constraints[1];
  EXPECT_TRUE(!zone.hard && !zone.honors_affinity && zone.honors_taints);
  EXPECT_EQ(zone.max_skew, 2);
}

TEST(SpreadArgs, SaysWhatIsWrong) {
  const struct {
    std::string constraints;
    std::string want;
  } cases[] = {
      {R"({"maxSkew":-1,"topologyKey":"node","whenUnsatisfiable":"DoNotSchedule"})",
       "defaultConstraints[0].maxSkew: Invalid value: -1: not in valid range (0, inf)"},
      {R"({"maxSkew":1,"whenUnsatisfiable":"DoNotSchedule"})",
       "defaultConstraints[0].topologyKey: Required value: can not be empty"},
      {R"({"maxSkew":1,"topologyKey":"node"})",
       "defaultConstraints[0].whenUnsatisfiable: Required value: can not be empty"},
      {R"({"maxSkew":1,"topologyKey":"node","whenUnsatisfiable":"unknown"})",
       "defaultConstraints[0].whenUnsatisfiable: Unsupported value: \"unknown\": supported values: "
       "\"DoNotSchedule\", \"ScheduleAnyway\""},
      {R"({"maxSkew":1,"topologyKey":"node","whenUnsatisfiable":"DoNotSchedule"},
          {"maxSkew":2,"topologyKey":"node","whenUnsatisfiable":"DoNotSchedule"})",
       "defaultConstraints[1]: Duplicate value: \"{node, DoNotSchedule}\""},
      {R"({"maxSkew":1,"topologyKey":"k","whenUnsatisfiable":"DoNotSchedule",
           "labelSelector":{"matchLabels":{"a":"b"}}})",
       "defaultConstraints[0].labelSelector: Forbidden: constraint must not define a selector, as "
       "they deduced for each pod"},
      {R"({"maxSkew":0,"whenUnsatisfiable":"DoNotSchedule"})",
       "[defaultConstraints[0].maxSkew: Invalid value: 0: not in valid range (0, inf), "
       "defaultConstraints[0].topologyKey: Required value: can not be empty]"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.constraints);
    const Result<SpreadDefaults> read_args =
        read(R"({"defaultingType":"List","defaultConstraints":[)" + c.constraints + "]}");
    ASSERT_FALSE(read_args.ok());
    EXPECT_TRUE(read_args.is(Reason::kBadRequest));
    EXPECT_EQ(read_args.status().message(), c.want);
  }
  EXPECT_EQ(read(R"({"defaultingType":"x"})").status().message(),
            "defaultingType: Unsupported value: \"x\": supported values: \"System\", \"List\"");
  EXPECT_EQ(read(R"({"defaultConstraints":[{"maxSkew":1,"topologyKey":"k",
                     "whenUnsatisfiable":"DoNotSchedule"}]})")
                .status()
                .message(),
            "defaultingType: Invalid value: \"System\": when .defaultConstraints are not empty");
}

}  // namespace
}  // namespace proa::scheduler
