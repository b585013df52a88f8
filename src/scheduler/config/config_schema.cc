#include "scheduler/config/config_schema.h"

#include <vector>

#include "api/schema/builtin.h"

namespace proa::scheduler {
namespace config_kinds {

// In the language of schema/: these are read from a file, and are in no API.
constexpr std::string_view kText = R"(
group   kubescheduler.config.k8s.io/v1
package k8s.io.kube_scheduler.config.v1
openapi io.k8s.kube_scheduler.config.v1
use     core_v1 meta_v1

kind KubeSchedulerConfiguration  json-only  unpublished  "How the scheduler works."
  - parallelism                *int32
  - leaderElection             LeaderElectionConfiguration
  - clientConnection           ClientConnectionConfiguration
  - enableProfiling            *bool
  - enableContentionProfiling  *bool
  - percentageOfNodesToScore   *int32
  - podInitialBackoffSeconds   *int64
  - podMaxBackoffSeconds       *int64
  - profiles                   []KubeSchedulerProfile
  - extenders                  []Extender
  - delayCacheUntilActive      bool

type LeaderElectionConfiguration  json-only  unpublished
  - leaderElect        *bool
  - leaseDuration      *Duration
  - renewDeadline      *Duration
  - retryPeriod        *Duration
  - resourceLock       string
  - resourceName       string
  - resourceNamespace  string

type ClientConnectionConfiguration  json-only  unpublished
  - kubeconfig          string
  - acceptContentTypes  string
  - contentType         string
  - qps                 double
  - burst               int32

type KubeSchedulerProfile  json-only  unpublished
  - schedulerName             *string
  - percentageOfNodesToScore  *int32
  - plugins                   *Plugins
  - pluginConfig              []PluginConfig

type Plugins  json-only  unpublished
  - preEnqueue         PluginSet
  - queueSort          PluginSet
  - preFilter          PluginSet
  - filter             PluginSet
  - postFilter         PluginSet
  - preScore           PluginSet
  - score              PluginSet
  - reserve            PluginSet
  - permit             PluginSet
  - preBind            PluginSet
  - bind               PluginSet
  - postBind           PluginSet
  - multiPoint         PluginSet
  - placementGenerate  PluginSet
  - placementScore     PluginSet

type PluginSet  json-only  unpublished
  - enabled   []Plugin
  - disabled  []Plugin

type Plugin  json-only  unpublished
  - name    string
  - weight  *int32

type PluginConfig  json-only  unpublished
  - name  string
  - args  RawExtension

type Extender  json-only  unpublished
  - urlPrefix         string
  - filterVerb        string
  - preemptVerb       string
  - prioritizeVerb    string
  - weight            int64
  - bindVerb          string
  - enableHTTPS       bool
  - tlsConfig         *ExtenderTLSConfig
  - httpTimeout       *Duration
  - nodeCacheCapable  bool
  - managedResources  []ExtenderManagedResource
  - ignorable         bool

type ExtenderManagedResource  json-only  unpublished
  - name                string
  - ignoredByScheduler  bool

type ExtenderTLSConfig  json-only  unpublished
  - insecure    bool
  - serverName  string
  - certFile    string
  - keyFile     string
  - caFile      string
  - certData    bytes
  - keyData     bytes
  - caData      bytes

kind DynamicResourcesArgs  json-only  unpublished
  - filterTimeout   *Duration
  - bindingTimeout  *Duration

kind DefaultPreemptionArgs  json-only  unpublished
  - minCandidateNodesPercentage  *int32
  - minCandidateNodesAbsolute    *int32

kind InterPodAffinityArgs  json-only  unpublished
  - hardPodAffinityWeight               *int32
  - ignorePreferredTermsOfExistingPods  bool

kind NodeResourcesFitArgs  json-only  unpublished
  - ignoredResources       []string
  - ignoredResourceGroups  []string
  - scoringStrategy        *ScoringStrategy

type ScoringStrategy  json-only  unpublished
  - type                      string
  - resources                 []ResourceSpec
  - requestedToCapacityRatio  *RequestedToCapacityRatioParam

type RequestedToCapacityRatioParam  json-only  unpublished
  - shape  []UtilizationShapePoint

type UtilizationShapePoint  json-only  unpublished
  - utilization  int32  always
  - score        int32  always

type ResourceSpec  json-only  unpublished
  - name    string
  - weight  int64

kind PodTopologySpreadArgs  json-only  unpublished
  - defaultConstraints  []TopologySpreadConstraint
  - defaultingType      string

kind NodeResourcesBalancedAllocationArgs  json-only  unpublished
  - resources  []ResourceSpec

kind VolumeBindingArgs  json-only  unpublished
  - bindTimeoutSeconds  *int64
  - shape               []UtilizationShapePoint

kind NodeAffinityArgs  json-only  unpublished
  - addedAffinity  *NodeAffinity
)";

api::Schema read() {
  const std::span<const api::SchemaFile> builtin = api::builtin_schema_files();
  std::vector<api::SchemaFile> files(builtin.begin(), builtin.end());
  files.push_back({.name = "kubescheduler_config_v1", .text = kText});
  return *api::parse_schema(files);
}

}  // namespace config_kinds

const api::Schema& config_schema() {
  static const api::Schema kSchema = config_kinds::read();
  return kSchema;
}

}  // namespace proa::scheduler
