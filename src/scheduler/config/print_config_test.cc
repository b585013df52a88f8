#include "scheduler/config/print_config.h"

#include <gtest/gtest.h>

#include "api/object/view.h"
#include "json/print.h"
#include "scheduler/config/read_config.h"

namespace proa::scheduler {
namespace {

using api::View;

TEST(ConfigDocument, HasTheDefaults) {
  const json::Document document = config_document(default_config());
  const View root(document.root());
  EXPECT_EQ(root["kind"].text(), "KubeSchedulerConfiguration");
  EXPECT_EQ(root["apiVersion"].text(), "kubescheduler.config.k8s.io/v1");
  EXPECT_EQ(root["leaderElection"]["leaseDuration"].text(), "15s");
  EXPECT_EQ(root["clientConnection"]["qps"].value()->as_double(), 50);
  const View profile = root["profiles"].item(0);
  EXPECT_EQ(profile["schedulerName"].text(), "default-scheduler");
  EXPECT_GT(profile["plugins"]["multiPoint"]["enabled"].size(), 10U);
}

TEST(ConfigDocument, IsReadAsTheSame) {
  const Result<SchedulerConfig> config = read_config(R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
parallelism: 4
leaderElection: {leaderElect: false, leaseDuration: 30s, renewDeadline: 20s, retryPeriod: 500ms,
                 resourceName: mine, resourceNamespace: here}
clientConnection: {kubeconfig: /k, acceptContentTypes: a, contentType: b, qps: 2.5, burst: 7}
percentageOfNodesToScore: 20
podInitialBackoffSeconds: 2
podMaxBackoffSeconds: 30
delayCacheUntilActive: true
profiles:
- schedulerName: a
  percentageOfNodesToScore: 5
  plugins:
    score:
      disabled: [{name: ImageLocality}]
    multiPoint:
      enabled: [{name: NodeAffinity, weight: 7}]
  pluginConfig:
  - name: NodeAffinity
    args: {addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
      {matchExpressions: [{key: k, operator: Exists}]}]}}}
- schedulerName: b
)");
  ASSERT_TRUE(config.ok()) << config.status().message();
  const std::string text = json::print(config_document(*config).root());
  const Result<SchedulerConfig> again = read_config(text);
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(json::print(config_document(*again).root()), text);
  EXPECT_EQ(again->parallelism, 4);
  EXPECT_FALSE(again->leader_election.elect);
  EXPECT_EQ(again->client_connection.queries_per_second, 2.5);
  EXPECT_TRUE(again->delay_cache_until_active);
  ASSERT_EQ(again->profiles.size(), 2U);
  EXPECT_EQ(again->profiles[0].percentage_of_nodes_to_score, 5);
  EXPECT_EQ(again->profiles[0].plugins, config->profiles[0].plugins);
  EXPECT_TRUE(again->profiles[0].args_of("NodeAffinity")["addedAffinity"].exists());
}

}  // namespace
}  // namespace proa::scheduler
