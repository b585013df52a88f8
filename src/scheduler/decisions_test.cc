// The scheduler's decisions against an implementation written for itself
// (testkit/scheduler/oracle): the same nodes take a pod, others are rejected by the same plugin for
// the same reasons, and every plugin gives every node the same score. PROA_DECISION_SEEDS: how many
// clusters (200); PROA_DECISION_FIRST: the first one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "api/schema/builtin.h"
#include "base/clock.h"
#include "base/strings.h"
#include "scheduler/config/read_config.h"
#include "scheduler/cycle/evaluation.h"
#include "scheduler/make_profiles.h"
#include "scheduler/plugins/table.h"
#include "testkit/fake_clock.h"
#include "testkit/scheduler/cluster_client.h"
#include "testkit/scheduler/generator.h"
#include "testkit/scheduler/oracle/oracle.h"

namespace proa::scheduler {
namespace {

int64_t number_from(const char* variable, int64_t fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr ? fallback : parse_int(text).value_or(fallback);
}

// A scheduler's parts over a cluster that does not change.
class Decisions {
 public:
  explicit Decisions(const testkit::TestCluster& cluster)
      : client_(cluster),
        informers_(client_, api::builtin_schema(), clock_, random_),
        events_(client_, clock_, pool_, *api::builtin_schema().find_resource("", "v1", "events"),
                {.component = "default-scheduler", .host = {}}) {
    const PluginContext context{.client = {client_, clock_},
                                .informers = informers_,
                                .events = events_,
                                .schema = api::builtin_schema(),
                                .clock = clock_,
                                .random = random_,
                                .pool = pool_,
                                .cluster = cluster_,
                                .nominations = nominations_,
                                .permits = permits_,
                                .retry = [](const api::Uid&) {}};
    profiles_ = make_profiles(default_config(), plugin_table(), context).value();
    for (int i = 0; i < 3; ++i) informers_.poll();
    for (const api::ObjectPtr& node : cluster.nodes) cluster_.put_node(node);
    for (const api::ObjectPtr& pod : cluster.pods) {
      const PodPtr read = reader_.read(pod);
      if (!read->finished && !read->node.empty()) cluster_.put_pod(read);
    }
  }

  testkit::Judgement judge(const api::ObjectPtr& object) {
    const PodPtr pod = reader_.read(object);
    Evaluation evaluation(*profiles_[0], cluster_, nominations_, *pod);
    evaluation.refresh(*pod);
    testkit::Judgement judgement;
    const Diagnosis::Rejection& pre_filter = evaluation.pre_filter();
    if (!pre_filter.verdict.ok()) {
      judgement.no_node_at_all = pre_filter.plugin->name();
      judgement.pre_filter_reasons = *pre_filter.verdict.reasons;
      return judgement;
    }
    const std::vector<NodeIndex> feasible = evaluation.feasible();
    for (NodeIndex node = 0; node < cluster_.slots(); ++node) {
      if (cluster_.node(node) == nullptr) continue;
      const Diagnosis::Rejection& rejection = evaluation.of(node);
      if (rejection.plugin == nullptr) continue;
      const std::string name = cluster_.at(node).name().str();
      judgement.rejected_by[name] = rejection.plugin->name();
      judgement.reasons[name] = *rejection.verdict.reasons;
      judgement.preemption_may_help[name] = rejection.verdict.code == Code::kUnschedulable;
      if (rejection.verdict.code == Code::kError) judgement.error = name;
    }
    const std::vector<PluginScores> scores = evaluation.scores();
    for (size_t i = 0; i < feasible.size(); ++i) {
      const std::string name = cluster_.at(feasible[i]).name().str();
      judgement.totals[name] = 0;
      for (const PluginScores& one : scores) {
        judgement.scores[name][std::string(one.plugin->name())] = one.weighted[i];
        judgement.totals[name] += one.weighted[i];
      }
    }
    return judgement;
  }

 private:
  testkit::FakeClock clock_;
  SeededRandom random_{1};
  WorkerPool pool_{{.max_threads = 0}};
  testkit::ClusterClient client_;
  client::Informers informers_;
  client::EventRecorder events_;
  Cluster cluster_;
  Nominations nominations_;
  Permits permits_{clock_};
  PodReader reader_;
  std::vector<std::unique_ptr<Profile>> profiles_;
};

// A plugin that has nothing to say may leave its scores out, or give all nodes the same: nobody can
// tell the difference.
bool same_scores(const testkit::Judgement& a, const testkit::Judgement& b,
                 const std::string& plugin) {
  std::vector<int64_t> differences;
  for (const auto& node_and_scores : a.scores) {
    const auto of = [&](const testkit::Judgement& one) {
      const auto scores_of = one.scores.find(node_and_scores.first);
      if (scores_of == one.scores.end()) return int64_t{0};
      const auto found = scores_of->second.find(plugin);
      return found == scores_of->second.end() ? int64_t{0} : found->second;
    };
    differences.push_back(of(a) - of(b));
  }
  return std::adjacent_find(differences.begin(), differences.end(), std::not_equal_to<>()) ==
         differences.end();
}

std::vector<std::string> keys(const std::map<std::string, int64_t>& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

std::set<std::string> scoring_plugins(const std::vector<testkit::Judgement>& judgements) {
  std::set<std::string> names;
  for (const testkit::Judgement& one : judgements) {
    for (const auto& [node, scores] : one.scores) {
      for (const auto& [plugin, points] : scores) names.insert(plugin);
    }
  }
  return names;
}

void expect_same(testkit::Judgement expected, testkit::Judgement found) {
  EXPECT_EQ(found.no_node_at_all, expected.no_node_at_all);
  EXPECT_EQ(found.pre_filter_reasons, expected.pre_filter_reasons);
  EXPECT_EQ(keys(found.totals), keys(expected.totals)) << "the nodes that take the pod";
  EXPECT_EQ(found.rejected_by, expected.rejected_by);
  for (auto* one : {&expected, &found}) {
    for (auto& [node, reasons] : one->reasons) std::sort(reasons.begin(), reasons.end());
  }
  EXPECT_EQ(found.reasons, expected.reasons);
  EXPECT_EQ(found.preemption_may_help, expected.preemption_may_help);
  for (const std::string& plugin : scoring_plugins({expected, found})) {
    EXPECT_TRUE(same_scores(expected, found, plugin)) << plugin;
  }
}

TEST(Decisions, AreThoseOfTheOracle) {
  testkit::GeneratorOptions options;
  // Node features are not looked at, and the oracle knows no nominations.
  options.features.reset(static_cast<size_t>(testkit::Feature::kDeclaredFeatures));
  options.features.reset(static_cast<size_t>(testkit::Feature::kNominated));
  const int64_t seeds = number_from("PROA_DECISION_SEEDS", 200);
  const int64_t first = number_from("PROA_DECISION_FIRST", 1);
  size_t questions = 0;
  size_t choices = 0;
  for (int64_t seed = first; seed < first + seeds && !HasFailure(); ++seed) {
    SeededRandom random(static_cast<uint64_t>(seed));
    const testkit::TestCluster cluster = testkit::generate_cluster(random, options);
    Decisions decisions(cluster);
    for (const api::ObjectPtr& pod : cluster.pending) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", pod " + std::string(pod->metadata().name));
      const testkit::Judgement expected = testkit::judge(cluster, *pod);
      const testkit::Judgement found = decisions.judge(pod);
      if (!expected.error.empty()) {
        EXPECT_FALSE(found.error.empty() && found.totals.empty() && found.no_node_at_all.empty());
        continue;
      }
      expect_same(expected, found);
      ++questions;
      choices += expected.totals.size() > 1 ? 1 : 0;
    }
  }
  RecordProperty("questions", static_cast<int>(questions));
  // Most seeds must ask something, and some of it must be a choice.
  EXPECT_GT(questions, static_cast<size_t>(seeds));
  EXPECT_GT(choices, static_cast<size_t>(seeds) / 4);
}

}  // namespace
}  // namespace proa::scheduler
