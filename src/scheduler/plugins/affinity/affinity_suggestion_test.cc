#include "scheduler/plugins/affinity/affinity_suggestion.h"

#include "testkit/scheduler/plugins/test_affinity.h"

namespace proa::scheduler::affinity_test {
namespace affinity_suggestion_test {

struct SuggestionCase {
  std::string name;
  TestPod pod = {};
  std::string text = {};
};

TEST(AffinityMend, SaysWhatWouldHaveToChange) {
  const std::vector<SuggestionCase> cases = {
      {"nothing keeps it off", {.labels = {{"app", "new"}}}, ""},
      {"a label", {.terms = {near("rack", "app=web")}}, "label it with rack"},
      {"a pod that is elsewhere",
       {.terms = {near("zone", "app=db")}},
       "run a pod with app in (db) in zone=z1"},
      {"any pod, where there is none",
       {.terms = {near("host", "").in({"empty"})}},
       "run a pod with any labels in host=h1"},
      {"the first of its kind", {.labels = {{"x", "y"}}, .terms = {near("host", "x=y")}}, ""},
      {"pods that are here",
       {.terms = {far("zone", "app=web")}},
       "remove 2 pods with app in (web) from zone=z1"},
      {"a pod that is here",
       {.terms = {far("rack", "app"), far("host", "app=web")}},
       "remove 1 pod with app in (web) from host=h1"},
      {"a pod that minds it",
       {.labels = {{"shy", ""}}},
       "remove 1 pod with anti-affinity to this one from zone=z1"},
  };
  AffinityWorld world;
  world.put(TestNode{"n1", {{"zone", "z1"}, {"host", "h1"}}});
  world.put(TestNode{"n2", {{"zone", "z1"}, {"host", "h2"}}});
  world.put(TestNode{"n3", {{"zone", "z2"}, {"host", "h3"}}});
  world.put(TestPod{.labels = {{"app", "web"}}, .node = "n1"});
  world.put(TestPod{.labels = {{"app", "web"}}, .node = "n2"});
  world.put(TestPod{.labels = {{"app", "db"}}, .node = "n3", .terms = {far("host", "shy")}});
  world.put(TestPod{.node = "n2", .terms = {far("zone", "shy"), far("rack", "shy")}});
  for (const SuggestionCase& c : cases) {
    SCOPED_TRACE(c.name);
    const PodPtr pod = world.read(c.pod);
    const auto filter = world.filter(*pod);
    EXPECT_EQ(filter->suggestion(0, world.cluster.at(0)), c.text);
    EXPECT_EQ(filter->check(0, world.cluster.at(0)).ok(), c.text.empty());
  }
}

}  // namespace affinity_suggestion_test
}  // namespace proa::scheduler::affinity_test
