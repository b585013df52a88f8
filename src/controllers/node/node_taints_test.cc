#include "controllers/node/node_taints.h"

#include <gtest/gtest.h>

#include "json/print.h"

namespace proa::controllers::nodes {
namespace {

std::string text_of(const std::vector<Taint>& taints) {
  std::string text;
  for (const Taint& taint : taints) {
    text +=
        (text.empty() ? "" : " ") + taint.key.substr(taint.key.find('/') + 1) + ":" + taint.effect;
  }
  return text;
}

std::string node_json(std::string_view taints, std::string_view conditions,
                      std::string_view more_spec = "") {
  return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"spec":{"taints":[)" +
         std::string(taints) + "]" + std::string(more_spec) + R"(},"status":{"conditions":[)" +
         std::string(conditions) + "]}}";
}

struct Case {
  const char* name;
  const char* taints;
  const char* conditions;
  const char* more_spec;
  DrivenBy wanted;
  const char* added;
  const char* removed;
};

constexpr const char* kNotReadyHere =
    R"({"key":"node.kubernetes.io/not-ready","effect":"NoExecute"})";

constexpr Case kCases[] = {
    {"nothing to say", "", R"({"type":"Ready","status":"True"})", "", DrivenBy::kNothing, "", ""},
    {"not ready", "", R"({"type":"Ready","status":"False"})", "", DrivenBy::kAsItIs,
     "not-ready:NoSchedule", ""},
    {"not ready, and its turn has come", "", R"({"type":"Ready","status":"False"})", "",
     DrivenBy::kNotReady, "not-ready:NoSchedule not-ready:NoExecute", ""},
    {"unknown after not ready", kNotReadyHere, R"({"type":"Ready","status":"Unknown"})", "",
     DrivenBy::kUnreachable, "unreachable:NoSchedule unreachable:NoExecute", "not-ready:NoExecute"},
    {"ready again", kNotReadyHere, R"({"type":"Ready","status":"True"})", "", DrivenBy::kNothing,
     "", "not-ready:NoExecute"},
    {"left as it is", kNotReadyHere, R"({"type":"Ready","status":"True"})", "", DrivenBy::kAsItIs,
     "", ""},
    {"pressure", "",
     R"({"type":"MemoryPressure","status":"True"},{"type":"DiskPressure","status":"True"},)"
     R"({"type":"PIDPressure","status":"True"},{"type":"NetworkUnavailable","status":"True"})",
     "", DrivenBy::kAsItIs,
     "memory-pressure:NoSchedule disk-pressure:NoSchedule network-unavailable:NoSchedule "
     "pid-pressure:NoSchedule",
     ""},
    {"pressure that nobody knows of is none", "", R"({"type":"MemoryPressure","status":"Unknown"})",
     "", DrivenBy::kAsItIs, "", ""},
    {"pressure is over",
     R"({"key":"node.kubernetes.io/memory-pressure","effect":"NoSchedule","value":"x"})",
     R"({"type":"MemoryPressure","status":"False"})", "", DrivenBy::kAsItIs, "",
     "memory-pressure:NoSchedule"},
    {"cordoned", "", "", R"(,"unschedulable":true)", DrivenBy::kAsItIs, "unschedulable:NoSchedule",
     ""},
    {"uncordoned", R"({"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"})", "", "",
     DrivenBy::kAsItIs, "", "unschedulable:NoSchedule"},
    {"those of others stay",
     R"({"key":"example.com/mine","effect":"NoSchedule"},)"
     R"({"key":"node.kubernetes.io/memory-pressure","effect":"PreferNoSchedule"})",
     "", "", DrivenBy::kNothing, "", ""},
    {"no conditions, no taint", R"({"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"})",
     "", "", DrivenBy::kAsItIs, "", "not-ready:NoSchedule"},
};

TEST(PlanTaints, SaysWhatTheConditionsDo) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const api::ObjectPtr node = api::Object::make(node_json(c.taints, c.conditions, c.more_spec));
    const TaintChange change = plan_taints(node_facts(*node), c.wanted);
    EXPECT_EQ(text_of(change.add), c.added);
    EXPECT_EQ(text_of(change.remove), c.removed);
    // Done, there is nothing left to do.
    json::Document document = node->document().value();
    change_taints(api::Edit(document), change, Time{});
    const api::ObjectPtr after = api::Object::make(json::print(document.root()));
    EXPECT_TRUE(plan_taints(node_facts(*after), c.wanted).empty());
  }
}

TEST(ChangeTaints, KeepsWhatItDoesNotKnow) {
  json::Document document =
      api::Object::make(
          node_json(R"({"key":"a/b","value":"v","effect":"NoExecute","later":1})", ""))
          ->document()
          .value();
  change_taints(api::Edit(document), {.add = {{.key = "c", .effect = "NoSchedule"}}, .remove = {}},
                Time{});
  EXPECT_EQ(json::print(*document.root().find("spec")),
            R"({"taints":[{"key":"a/b","value":"v","effect":"NoExecute","later":1},)"
            R"({"key":"c","effect":"NoSchedule","timeAdded":"1970-01-01T00:00:00Z"}]})");
}

TEST(FactsOfANode, NameTheZone) {
  const auto zone = [](const char* labels) {
    return node_facts(
               *api::Object::make(std::string(R"({"metadata":{"labels":{)") + labels + "}}}"))
        .zone;
  };
  EXPECT_EQ(zone(""), "");
  EXPECT_EQ(zone(R"("topology.kubernetes.io/zone":"z","topology.kubernetes.io/region":"r")"),
            "r/z");
  EXPECT_EQ(zone(R"("failure-domain.beta.kubernetes.io/zone":"old",)"
                 R"("topology.kubernetes.io/zone":"z")"),
            "/old");
}

}  // namespace
}  // namespace proa::controllers::nodes
