#include "scheduler/config/read_config.h"

#include <gtest/gtest.h>

#include "json/print.h"
#include "scheduler/config/default_plugins.h"

namespace proa::scheduler {
namespace {

using std::chrono::seconds;

const std::string kHead =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

std::string problem_of(std::string_view text) {
  const Result<SchedulerConfig> read = read_config(text);
  return read ? "" : read.status().message();
}

void expect_defaults(const SchedulerConfig& config) {
  EXPECT_EQ(config.parallelism, 16);
  EXPECT_TRUE(config.leader_election.elect);
  EXPECT_EQ(config.leader_election.lease_duration, seconds(15));
  EXPECT_EQ(config.leader_election.renew_deadline, seconds(10));
  EXPECT_EQ(config.leader_election.retry_period, seconds(2));
  EXPECT_EQ(config.leader_election.resource_lock, "leases");
  EXPECT_EQ(config.leader_election.resource_name, "kube-scheduler");
  EXPECT_EQ(config.leader_election.resource_namespace, "kube-system");
  EXPECT_EQ(config.client_connection.content_type, "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(config.client_connection.queries_per_second, 50);
  EXPECT_EQ(config.client_connection.burst, 100);
  EXPECT_EQ(config.percentage_of_nodes_to_score, 0);
  EXPECT_EQ(config.pod_initial_backoff_seconds, 1);
  EXPECT_EQ(config.pod_max_backoff_seconds, 10);
  EXPECT_FALSE(config.delay_cache_until_active);
  ASSERT_EQ(config.profiles.size(), 1u);
  EXPECT_EQ(config.profiles[0].scheduler_name, "default-scheduler");
  EXPECT_EQ(config.profiles[0].plugins, default_plugins());
  EXPECT_FALSE(config.profiles[0].percentage_of_nodes_to_score.has_value());
}

TEST(ReadConfig, FillsInWhatIsNotSaid) {
  expect_defaults(default_config());
  for (const std::string& text :
       {kHead, kHead + "profiles: []\n", kHead + "profiles:\n- plugins: {}\n",
        kHead + "leaderElection: {leaseDuration: 0s, resourceName: ''}\n",
        std::string(R"( {"kind":"KubeSchedulerConfiguration",)"
                    R"("apiVersion":"kubescheduler.config.k8s.io/v1"})")}) {
    SCOPED_TRACE(text);
    const Result<SchedulerConfig> read = read_config(text);
    ASSERT_TRUE(read.ok()) << read.status().message();
    expect_defaults(*read);
  }
}

TEST(ReadConfig, ReadsEverything) {
  const Result<SchedulerConfig> read = read_config(kHead + R"(
parallelism: 4
leaderElection:
  leaderElect: false
  leaseDuration: 30s
  renewDeadline: 20s
  retryPeriod: 500ms
  resourceLock: leases
  resourceName: mine
  resourceNamespace: here
clientConnection: {kubeconfig: /k, acceptContentTypes: a, contentType: b, qps: 2.5, burst: 7}
enableProfiling: true
enableContentionProfiling: false
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
      enabled: [{name: NodeAffinity, weight: 9}]
- schedulerName: b
)");
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->parallelism, 4);
  EXPECT_FALSE(read->leader_election.elect);
  EXPECT_EQ(read->leader_election.lease_duration, seconds(30));
  EXPECT_EQ(read->leader_election.renew_deadline, seconds(20));
  EXPECT_EQ(read->leader_election.retry_period, std::chrono::milliseconds(500));
  EXPECT_EQ(read->leader_election.renew_period, std::chrono::milliseconds(500));
  EXPECT_EQ(read->leader_election.resource_name, "mine");
  EXPECT_EQ(read->leader_election.resource_namespace, "here");
  EXPECT_EQ(read->client_connection.kubeconfig, "/k");
  EXPECT_EQ(read->client_connection.accept_content_types, "a");
  EXPECT_EQ(read->client_connection.content_type, "b");
  EXPECT_EQ(read->client_connection.queries_per_second, 2.5);
  EXPECT_EQ(read->client_connection.burst, 7);
  EXPECT_EQ(read->percentage_of_nodes_to_score, 20);
  EXPECT_EQ(read->pod_initial_backoff_seconds, 2);
  EXPECT_EQ(read->pod_max_backoff_seconds, 30);
  EXPECT_TRUE(read->delay_cache_until_active);
  ASSERT_EQ(read->profiles.size(), 2u);
  EXPECT_EQ(read->profiles[0].scheduler_name, "a");
  EXPECT_EQ(read->profiles[0].percentage_of_nodes_to_score, 5);
  EXPECT_EQ(read->profiles[0].plugins.at[Point::kScore],
            (PluginSet{.enabled = {{"NodeAffinity", 9}}, .disabled = {"ImageLocality"}}));
  EXPECT_EQ(read->profiles[0].plugins.multi_point, default_plugins().multi_point);
  EXPECT_EQ(read->profiles[1].plugins, default_plugins());
}

TEST(ReadConfig, KeepsTheArgsOfPlugins) {
  const Result<SchedulerConfig> read = read_config(kHead + R"(
profiles:
- pluginConfig:
  - name: DefaultPreemption
    args: {minCandidateNodesPercentage: 50}
  - name: InterPodAffinity
    args: {kind: InterPodAffinityArgs, apiVersion: kubescheduler.config.k8s.io/v1, hardPodAffinityWeight: 5}
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: RequestedToCapacityRatio
        requestedToCapacityRatio: {shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]}
  - name: PodTopologySpread
    args:
      defaultConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]
      defaultingType: List
  - name: NodeAffinity
    args:
  - name: OutOfTree
    args: {anything: [1, "x"]}
)");
  ASSERT_TRUE(read.ok()) << read.status().message();
  const ProfileConfig& profile = read->profiles[0];
  EXPECT_EQ(profile.args.size(), 6u);
  EXPECT_EQ(profile.args_of("DefaultPreemption")["minCandidateNodesPercentage"].integer(), 50);
  EXPECT_EQ(profile.args_of("InterPodAffinity")["hardPodAffinityWeight"].integer(), 5);
  const api::View shape =
      profile.args_of("NodeResourcesFit").at("scoringStrategy.requestedToCapacityRatio.shape");
  EXPECT_EQ(shape.item(1)["score"].integer(), 10);
  EXPECT_EQ(
      profile.args_of("PodTopologySpread")["defaultConstraints"].item(0)["topologyKey"].text(),
      "zone");
  EXPECT_FALSE(profile.args_of("NodeAffinity").exists());
  EXPECT_FALSE(profile.args_of("NodePorts").exists());
  EXPECT_EQ(json::print(*profile.args_of("OutOfTree").value()), R"({"anything":[1,"x"]})");
}

TEST(ReadConfig, RefusesWhatIsNoConfiguration) {
  EXPECT_EQ(problem_of("a: 1"), "Object 'Kind' is missing in 'a: 1'");
  EXPECT_EQ(problem_of("kind: X"), "Object 'apiVersion' is missing in 'kind: X'");
  EXPECT_EQ(problem_of("kind: KubeSchedulerConfiguration\n"
                       "apiVersion: kubescheduler.config.k8s.io/v1beta3"),
            R"(no kind "KubeSchedulerConfiguration" is registered for version )"
            R"("kubescheduler.config.k8s.io/v1beta3")");
  EXPECT_EQ(problem_of("kind: Pod\napiVersion: v1"),
            R"(no kind "Pod" is registered for version "v1")");
  EXPECT_EQ(problem_of("kind: NodeAffinityArgs\napiVersion: kubescheduler.config.k8s.io/v1"),
            "couldn't decode as KubeSchedulerConfiguration, got kubescheduler.config.k8s.io/v1, "
            "Kind=NodeAffinityArgs");
  EXPECT_NE(problem_of("{"), "");
  EXPECT_NE(problem_of(""), "");
  EXPECT_NE(problem_of(kHead + "parallelism: many"), "");
  EXPECT_NE(problem_of(kHead + "leaderElection: {leaseDuration: soon}"), "");
}

TEST(ReadConfig, RefusesFieldsThatThereAreNot) {
  const std::string one = kHead + "profiles:\n- pluginConfig:\n  - ";
  struct Case {
    const char* name;
    std::string text;
    std::string problem;
  };
  const Case cases[] = {
      {"at the top", kHead + "foo: 1\npolicy: {}\n",
       R"(strict decoding error: unknown field "foo", unknown field "policy")"},
      {"of a profile", kHead + "profiles: [{plugins: {scores: {}}}]",
       R"(strict decoding error: unknown field "profiles[0].plugins.scores")"},
      {"twice in JSON",
       R"({"kind":"KubeSchedulerConfiguration","apiVersion":"kubescheduler.config.k8s.io/v1",)"
       R"("parallelism":1,"parallelism":2})",
       R"(strict decoding error: duplicate field "parallelism")"},
      {"of args",
       one + "name: NodeResourcesFit\n    args: {scoringStrategy: {resources: [{Name: cpu}]}}",
       "strict decoding error: decoding .profiles[0].pluginConfig[0]: strict decoding error: "
       "decoding args for plugin NodeResourcesFit: strict decoding error: unknown field "
       R"("scoringStrategy.resources[0].Name")"},
      {"at the top and of args",
       kHead + "foo: 1\nprofiles:\n- pluginConfig:\n  - name: NodeAffinity\n    args: {x: 1, z: 2}",
       R"(strict decoding error: unknown field "foo", decoding .profiles[0].pluginConfig[0]: )"
       "strict decoding error: decoding args for plugin NodeAffinity: strict decoding error: "
       R"(unknown field "x", unknown field "z")"},
      {"args of another",
       one + "name: DefaultPreemption\n    args: {apiVersion: kubescheduler.config.k8s.io/v1, "
             "kind: InterPodAffinityArgs}",
       "decoding .profiles[0].pluginConfig[0]: args for plugin DefaultPreemption were not of type "
       "DefaultPreemptionArgs.kubescheduler.config.k8s.io, got "
       "InterPodAffinityArgs.kubescheduler.config.k8s.io"},
      {"args of nobody", one + "name: DefaultPreemption\n    args: {apiVersion: a/v1, kind: Foo}",
       "decoding .profiles[0].pluginConfig[0]: decoding args for plugin DefaultPreemption: no kind "
       R"("Foo" is registered for version "a/v1")"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(problem_of(c.text), c.problem);
  }
}

TEST(ReadConfig, RefusesValuesThatCannotBe) {
  EXPECT_EQ(problem_of(kHead + "parallelism: 0"),
            "parallelism: Invalid value: 0: should be an integer value greater than zero");
  EXPECT_EQ(problem_of(kHead + "extenders: [{urlPrefix: 'http://x'}]"),
            "extenders: Forbidden: Proa's scheduler calls no extenders");
  EXPECT_EQ(problem_of(kHead + "profiles: [{}, {schedulerName: a}]"),
            "profiles[0].schedulerName: Required value");
  EXPECT_EQ(problem_of(kHead + "profiles: [{schedulerName: ''}]"),
            "profiles[0].schedulerName: Required value");
  EXPECT_EQ(problem_of(kHead + "podInitialBackoffSeconds: 20\npercentageOfNodesToScore: 101"),
            "[percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100], "
            "podMaxBackoffSeconds: Invalid value: 10: must be greater than or equal to "
            "PodInitialBackoffSeconds]");
}

}  // namespace
}  // namespace proa::scheduler
