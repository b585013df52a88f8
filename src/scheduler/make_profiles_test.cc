#include "scheduler/make_profiles.h"

#include <gtest/gtest.h>

#include "scheduler/config/read_config.h"
#include "scheduler/plugins/table.h"
#include "testkit/scheduler/oracle/oracle.h"
#include "testkit/scheduler/test_context.h"

namespace proa::scheduler {
namespace {

using Made = Result<std::vector<std::unique_ptr<Profile>>>;

struct Bench : testkit::TestContext {
  Made make(std::string_view config) {
    const SchedulerConfig read = config.empty() ? default_config() : read_config(config).value();
    return make_profiles(read, plugin_table(), context());
  }
  // Of one profile, `said` about it.
  Made make_with(const std::string& said) {
    return make(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        "profiles:\n- schedulerName: default-scheduler\n" +
        said);
  }
};

template <typename T>
std::string names(const std::vector<T*>& plugins) {
  std::string text;
  for (const T* one : plugins) text += (text.empty() ? "" : " ") + std::string(one->name());
  return text;
}

std::string names(const std::vector<WeightedScore>& plugins) {
  std::string text;
  for (const WeightedScore& one : plugins) {
    text += (text.empty() ? "" : " ") + std::string(one.plugin->name()) + ":" +
            std::to_string(one.weight);
  }
  return text;
}

// Filters and scores have the order and weights that the oracle states for itself.
TEST(MakeProfiles, PutsUpstreamsDefaultsToTheirPoints) {
  Bench bench;
  const Made made = bench.make("");
  ASSERT_TRUE(made.ok());
  ASSERT_EQ(made->size(), 1u);
  const Profile& profile = *made->front();
  EXPECT_EQ(profile.scheduler_name, "default-scheduler");
  EXPECT_EQ(names(profile.pre_enqueue), "SchedulingGates DefaultPreemption");
  EXPECT_EQ(profile.queue_sort->name(), "PrioritySort");
  EXPECT_EQ(names(profile.filter), testkit::default_filter_plugins());
  EXPECT_EQ(names(profile.post_filter), "DefaultPreemption");
  EXPECT_EQ(names(profile.score), testkit::default_score_plugins());
  EXPECT_EQ(names(profile.reserve), "VolumeBinding");
  EXPECT_EQ(names(profile.permit), "");
  EXPECT_EQ(names(profile.pre_bind), "VolumeBinding");
  EXPECT_EQ(names(profile.bind), "DefaultBinder");
  EXPECT_EQ(names(profile.post_bind), "");
}

TEST(MakeProfiles, DoesWhatAConfigurationSays) {
  Bench bench;
  const Made made = bench.make_with(R"(
  plugins:
    multiPoint:
      disabled: [{name: DefaultPreemption}, {name: ImageLocality}]
    filter:
      disabled: [{name: TaintToleration}]
    score:
      disabled: [{name: "*"}]
      enabled: [{name: NodeResourcesFit, weight: 5}, {name: NodeAffinity}]
)");
  ASSERT_TRUE(made.ok()) << made.status().message();
  const Profile& profile = *made->front();
  EXPECT_EQ(names(profile.pre_enqueue), "SchedulingGates");
  EXPECT_EQ(names(profile.post_filter), "");
  EXPECT_EQ(names(profile.score), "NodeResourcesFit:5 NodeAffinity:1");
  EXPECT_EQ(names(profile.filter).find("TaintToleration"), std::string::npos);
}

TEST(MakeProfiles, GivesEachProfilePluginsOfItsOwn) {
  Bench bench;
  const Made made = bench.make(R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: one
- schedulerName: two
)");
  ASSERT_TRUE(made.ok()) << made.status().message();
  ASSERT_EQ(made->size(), 2u);
  EXPECT_EQ((*made)[1]->scheduler_name, "two");
  EXPECT_EQ(names((*made)[0]->filter), names((*made)[1]->filter));
  for (size_t i = 0; i < (*made)[0]->filter.size(); ++i) {
    EXPECT_NE((*made)[0]->filter[i], (*made)[1]->filter[i]);
  }
}

TEST(MakeProfiles, SaysWhatIsWrong) {
  struct Case {
    const char* name;
    const char* said;
    std::string_view error;
  };
  const std::vector<Case> cases = {
      {"a plugin that there is not", "  plugins: {multiPoint: {enabled: [{name: Unheard}]}}",
       "Unheard"},
      {"a plugin at a point that is not its own",
       "  plugins: {filter: {enabled: [{name: PrioritySort}]}}", "PrioritySort"},
      {"nobody binds", "  plugins: {bind: {disabled: [{name: DefaultBinder}]}}",
       "at least one bind plugin is needed"},
      {"nobody sorts", "  plugins: {queueSort: {disabled: [{name: \"*\"}]}}", "queue sort"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Bench bench;
    const Made made = bench.make_with(c.said);
    ASSERT_FALSE(made.ok());
    EXPECT_NE(made.status().message().find(c.error), std::string::npos) << made.status().message();
  }
}

}  // namespace
}  // namespace proa::scheduler
