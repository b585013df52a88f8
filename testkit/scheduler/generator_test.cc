#include "testkit/scheduler/generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "api/object/edit.h"
#include "api/schema/builtin.h"
#include "api/validation/metadata.h"
#include "json/parse.h"
#include "json/print.h"
#include "kinds/kinds.h"
#include "testkit/controllers/test_world.h"

namespace proa::testkit {
namespace {

using Objects = std::vector<api::ObjectPtr>;

struct Listed {
  std::string_view group_version;
  std::string_view kind;
  bool namespaced;
  Objects TestCluster::*objects;
};
constexpr Listed kLists[] = {
    {"v1", "Node", false, &TestCluster::nodes},
    {"v1", "Pod", true, &TestCluster::pods},
    {"v1", "Pod", true, &TestCluster::pending},
    {"v1", "Namespace", false, &TestCluster::namespaces},
    {"v1", "Service", true, &TestCluster::services},
    {"v1", "ReplicationController", true, &TestCluster::replication_controllers},
    {"apps/v1", "ReplicaSet", true, &TestCluster::replica_sets},
    {"apps/v1", "StatefulSet", true, &TestCluster::stateful_sets},
    {"v1", "PersistentVolumeClaim", true, &TestCluster::claims},
    {"v1", "PersistentVolume", false, &TestCluster::volumes},
    {"storage.k8s.io/v1", "StorageClass", false, &TestCluster::storage_classes},
    {"storage.k8s.io/v1", "CSINode", false, &TestCluster::csi_nodes},
    {"storage.k8s.io/v1", "CSIDriver", false, &TestCluster::csi_drivers},
    {"storage.k8s.io/v1", "CSIStorageCapacity", true, &TestCluster::csi_capacities},
    {"storage.k8s.io/v1", "VolumeAttachment", false, &TestCluster::volume_attachments},
    {"policy/v1", "PodDisruptionBudget", true, &TestCluster::disruption_budgets},
};

TestCluster cluster_of(uint64_t seed, const GeneratorOptions& options = {}) {
  SeededRandom random(seed);
  return generate_cluster(random, options);
}

std::vector<std::string> texts_of(const TestCluster& cluster) {
  std::vector<std::string> texts;
  for (const Listed& list : kLists) {
    for (const api::ObjectPtr& object : cluster.*list.objects) texts.emplace_back(object->json());
  }
  return texts;
}

TEST(GenerateCluster, TheSameSeedGivesTheSame) {
  for (const uint64_t seed : {1, 2, 3})
    EXPECT_EQ(texts_of(cluster_of(seed)), texts_of(cluster_of(seed)));
  EXPECT_NE(texts_of(cluster_of(1)), texts_of(cluster_of(2)));
}

TEST(GenerateCluster, SizesStayInTheirBounds) {
  std::set<size_t> node_counts;
  std::set<size_t> pending_counts;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const TestCluster cluster = cluster_of(seed, {.max_pods = 2, .features = {}});
    node_counts.insert(cluster.nodes.size());
    pending_counts.insert(cluster.pending.size());
    EXPECT_LE(cluster.pods.size(), 2U);
  }
  EXPECT_EQ(*node_counts.begin(), 1U);
  EXPECT_LE(*node_counts.rbegin(), 50U);
  EXPECT_GE(*node_counts.rbegin(), 40U);
  EXPECT_EQ(pending_counts, (std::set<size_t>{1, 2, 3, 4, 5}));
}

// What narrowing a seed down rests on.
TEST(GenerateCluster, WhatIsLeftOutLeavesTheRestAsItWas) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    const TestCluster whole = cluster_of(seed);
    const TestCluster part = cluster_of(seed, {.max_nodes = 3, .max_pods = 20, .max_pending = 1});
    const auto contains = [](const Objects& objects, const api::ObjectPtr& wanted) {
      return std::any_of(objects.begin(), objects.end(), [&](const api::ObjectPtr& object) {
        return object->json() == wanted->json();
      });
    };
    for (const Listed& list : kLists) {
      for (const api::ObjectPtr& object : part.*list.objects)
        EXPECT_TRUE(contains(whole.*list.objects, object)) << object->json();
    }
    FeatureSet without_ports = all_features();
    without_ports.reset(static_cast<size_t>(Feature::kHostPorts));
    const TestCluster portless = cluster_of(seed, {.max_pods = 5, .features = without_ports});
    ASSERT_EQ(portless.nodes.size(), whole.nodes.size());
    for (size_t i = 0; i < whole.nodes.size(); ++i)
      EXPECT_EQ(portless.nodes[i]->json(), whole.nodes[i]->json());
  }
}

// Where a feature shows. Each text must be found in some object of that list.
struct Sign {
  Feature feature;
  Objects TestCluster::*objects;
  std::string_view text;
};
constexpr Sign kSigns[] = {
    {Feature::kNamespaces, &TestCluster::namespaces, R"("env":"prod")"},
    {Feature::kNamespaces, &TestCluster::pending, R"("namespace":"team-a")"},
    {Feature::kTopology, &TestCluster::nodes, R"("topology.kubernetes.io/zone":"zone-c")"},
    {Feature::kTopology, &TestCluster::nodes, R"("topology.kubernetes.io/region":"region-2")"},
    {Feature::kTaints, &TestCluster::nodes, R"("effect":"PreferNoSchedule")"},
    {Feature::kTaints, &TestCluster::nodes, R"("effect":"NoExecute")"},
    {Feature::kTaints, &TestCluster::pending, R"("operator":"Exists","effect":"NoSchedule")"},
    {Feature::kTaints, &TestCluster::pending, R"({"operator":"Exists"})"},
    {Feature::kTaints, &TestCluster::pending, R"("tolerationSeconds":300)"},
    {Feature::kUnschedulable, &TestCluster::nodes, R"("unschedulable":true)"},
    {Feature::kScarcity, &TestCluster::nodes, R"("cpu":"0")"},
    {Feature::kScarcity, &TestCluster::nodes, R"("allocatable":{"cpu":"500m")"},
    {Feature::kRequests, &TestCluster::pending, R"("cpu":"1500m")"},
    {Feature::kRequests, &TestCluster::pods, R"("memory":"200M")"},
    {Feature::kExtendedResources, &TestCluster::nodes, R"("example.com/gpu":"8")"},
    {Feature::kExtendedResources, &TestCluster::pending, R"("example.com/gpu":"1")"},
    {Feature::kExtendedResources, &TestCluster::pending, R"("ephemeral-storage":"20Gi")"},
    {Feature::kExtendedResources, &TestCluster::pending, R"("hugepages-2Mi":"64Mi")"},
    {Feature::kInitContainers, &TestCluster::pending, R"("name":"i2")"},
    {Feature::kInitContainers, &TestCluster::pods, R"("restartPolicy":"Always","terminationM)"},
    {Feature::kOverhead, &TestCluster::pending, R"("overhead":{"cpu":"250m")"},
    {Feature::kPodLevelResources, &TestCluster::pending, R"("resources":{"requests":{"cpu":"8")"},
    {Feature::kResize, &TestCluster::pods, R"("reason":"Infeasible")"},
    {Feature::kResize, &TestCluster::pods, R"("type":"PodResizeInProgress")"},
    {Feature::kHostPorts, &TestCluster::pending, R"("hostIP":"127.0.0.1")"},
    {Feature::kHostPorts, &TestCluster::pending, R"("protocol":"SCTP")"},
    {Feature::kHostPorts, &TestCluster::pods, R"("hostNetwork":true)"},
    {Feature::kImages, &TestCluster::nodes, R"("sizeBytes":600000000)"},
    {Feature::kImages, &TestCluster::pending, R"("image":"nginx")"},
    {Feature::kImages, &TestCluster::pending, R"("image":{"reference":)"},
    {Feature::kDeclaredFeatures, &TestCluster::nodes, R"("declaredFeatures":["Restart)"},
    {Feature::kDeclaredFeatures, &TestCluster::pending, R"("action":"RestartAllContainers")"},
    {Feature::kNodeSelector, &TestCluster::pending, R"("nodeSelector":{"disk":"ssd"})"},
    {Feature::kNodeAffinity, &TestCluster::pending, R"("operator":"Gt")"},
    {Feature::kNodeAffinity, &TestCluster::pending, R"("operator":"Lt")"},
    {Feature::kNodeAffinity, &TestCluster::pending, R"("operator":"DoesNotExist")"},
    {Feature::kNodeAffinity, &TestCluster::pending, R"("matchFields":[{"key":"metadata.name")"},
    {Feature::kPreferredNodes, &TestCluster::pending, R"("preference":{"matchExpressions")"},
    {Feature::kPodAffinity, &TestCluster::pending, R"("podAffinity":{"required)"},
    {Feature::kPodAntiAffinity, &TestCluster::pending, R"("podAntiAffinity":{"required)"},
    {Feature::kPodAntiAffinity, &TestCluster::pods, R"("podAntiAffinity":{"required)"},
    {Feature::kPodAntiAffinity, &TestCluster::pending, R"([{"labelSelector":{},"topologyKey")"},
    {Feature::kPodAntiAffinity, &TestCluster::pending, R"([{"topologyKey")"},
    {Feature::kPreferredPods, &TestCluster::pods, R"("podAffinityTerm":{"labelSelector")"},
    {Feature::kNamespacesOfTerms, &TestCluster::pending, R"("namespaces":["team-b"])"},
    {Feature::kNamespacesOfTerms, &TestCluster::pending, R"("namespaceSelector":{})"},
    {Feature::kLabelKeys, &TestCluster::pending, R"("mismatchLabelKeys":["version"])"},
    {Feature::kLabelKeys, &TestCluster::pending, R"("key":"version","operator":"NotIn")"},
    {Feature::kHardSpread, &TestCluster::pending, R"("whenUnsatisfiable":"DoNotSchedule")"},
    {Feature::kHardSpread, &TestCluster::pending, R"("minDomains":4)"},
    {Feature::kHardSpread, &TestCluster::pending, R"("nodeTaintsPolicy":"Honor")"},
    {Feature::kSoftSpread, &TestCluster::pending, R"("whenUnsatisfiable":"ScheduleAnyway")"},
    {Feature::kOwners, &TestCluster::services, R"("selector":{"app":"web")"},
    {Feature::kOwners, &TestCluster::replica_sets, ""},
    {Feature::kOwners, &TestCluster::stateful_sets, ""},
    {Feature::kOwners, &TestCluster::replication_controllers, ""},
    {Feature::kOwners, &TestCluster::pending, R"("kind":"ReplicaSet")"},
    {Feature::kBoundClaims, &TestCluster::volumes, R"("nodeAffinity":{"required")"},
    {Feature::kBoundClaims, &TestCluster::volumes, R"(zone":"zone-a__zone-b")"},
    {Feature::kBoundClaims, &TestCluster::pending, R"("claimName":"data-pending)"},
    {Feature::kBoundClaims, &TestCluster::volumes, R"("awsElasticBlockStore")"},
    {Feature::kWaitingClaims, &TestCluster::claims, R"("storageClassName":"local-wait")"},
    {Feature::kWaitingClaims, &TestCluster::claims, R"(selected-node":"node-)"},
    {Feature::kWaitingClaims, &TestCluster::volumes, R"("name":"free-1")"},
    {Feature::kBrokenClaims, &TestCluster::claims, R"("phase":"Lost")"},
    {Feature::kBrokenClaims, &TestCluster::claims, R"("deletionTimestamp")"},
    {Feature::kBrokenClaims, &TestCluster::claims, R"("no-such-class")"},
    {Feature::kExclusiveClaims, &TestCluster::claims, R"("ReadWriteOncePod")"},
    {Feature::kExclusiveClaims, &TestCluster::pending, R"("claimName":"exclusive-0")"},
    {Feature::kExclusiveClaims, &TestCluster::pods, R"("claimName":"exclusive-0")"},
    {Feature::kCsiLimits, &TestCluster::csi_nodes, R"("allocatable":{"count":1})"},
    {Feature::kCsiLimits, &TestCluster::csi_nodes, "migrated-plugins"},
    {Feature::kCsiLimits, &TestCluster::volume_attachments, R"("name":"attachment-stray)"},
    {Feature::kCsiCapacity, &TestCluster::csi_capacities, R"("capacity":"2Gi")"},
    {Feature::kCsiCapacity, &TestCluster::csi_drivers, R"("storageCapacity":true)"},
    {Feature::kInlineVolumes, &TestCluster::pending, R"("csi":{"driver")"},
    {Feature::kInlineVolumes, &TestCluster::claims, R"(-scratch","namespace")"},
    {Feature::kDisks, &TestCluster::pending, R"("gcePersistentDisk")"},
    {Feature::kDisks, &TestCluster::pods, R"("rbd")"},
    {Feature::kDisks, &TestCluster::pods, R"("iscsi")"},
    {Feature::kTerminating, &TestCluster::pods, R"("deletionTimestamp")"},
    {Feature::kFinished, &TestCluster::pods, R"("phase":"Succeeded")"},
    {Feature::kFinished, &TestCluster::pods, R"("phase":"Failed")"},
    {Feature::kPriorities, &TestCluster::pods, R"("priority":-10)"},
    {Feature::kPriorities, &TestCluster::pending, R"("preemptionPolicy":"Never")"},
    {Feature::kBudgets, &TestCluster::disruption_budgets, R"("disruptedPods")"},
    {Feature::kNominated, &TestCluster::pending, R"("nominatedNodeName":"node-)"},
};

bool shows(const TestCluster& cluster, const Sign& sign) {
  const Objects& objects = cluster.*sign.objects;
  return std::any_of(objects.begin(), objects.end(), [&](const api::ObjectPtr& object) {
    return object->json().find(sign.text) != std::string_view::npos;
  });
}

TEST(GenerateCluster, EachFeatureOccurs) {
  std::array<size_t, std::size(kSigns)> counts{};
  FeatureSet known;
  for (const Sign& sign : kSigns) known.set(static_cast<size_t>(sign.feature));
  EXPECT_TRUE(known.all());
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const TestCluster cluster = cluster_of(seed, {.max_nodes = 8, .max_pods = 12});
    for (size_t i = 0; i < std::size(kSigns); ++i) counts[i] += shows(cluster, kSigns[i]) ? 1 : 0;
  }
  for (size_t i = 0; i < std::size(kSigns); ++i) {
    EXPECT_GE(counts[i], 3U) << feature_name(kSigns[i].feature) << " " << kSigns[i].text;
  }
}

std::string problems_of(const Listed& list, const api::ObjectPtr& object) {
  const json::Document document = object->document().value();
  const api::View view(document.root());
  const kinds::KindRules& rules = kinds::find_rules(list.group_version, list.kind);
  api::FieldErrors errors;
  api::validate_metadata(view["metadata"], {.name = rules.name, .namespaced = list.namespaced},
                         api::Path("metadata"), errors);
  if (rules.validate != nullptr) rules.validate(view, errors);
  if (rules.validate_create != nullptr) rules.validate_create(view, errors);
  return errors.empty() ? "" : errors.to_status("", list.kind, "it").message();
}

TEST(GenerateCluster, TheServerWouldAcceptAllOfIt) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const TestCluster cluster = cluster_of(seed, {.max_nodes = 10, .max_pods = 15});
    for (const Listed& list : kLists) {
      for (const api::ObjectPtr& object : cluster.*list.objects)
        EXPECT_EQ(problems_of(list, object), "") << "seed " << seed << " " << object->json();
    }
  }
}

// As a client sends it: without what the server fills in itself.
std::string sent_form(const api::ObjectPtr& object) {
  json::Document document = object->document().value();
  const api::Edit metadata = api::Edit(document).object("metadata");
  for (const std::string_view field : {"resourceVersion", "uid", "creationTimestamp"})
    metadata.remove(field);
  return json::print(document.root());
}

std::string create_on(TestWorld& world, const Listed& list, const api::ObjectPtr& object) {
  const api::Schema& schema = api::builtin_schema();
  const api::Type* type = schema.find_kind(list.group_version, list.kind);
  const client::Place place{.resource = schema.find_resource_of(*type),
                            .name_space = std::string(object->metadata().name_space),
                            .name = {},
                            .subresource = {}};
  const auto created = world.client().create(place, json::parse_literal(sent_form(object)), {}, {});
  return created.ok() || created.is(Reason::kAlreadyExists) ? "" : created.status().message();
}

TEST(GenerateCluster, ARunningServerTakesIt) {
  FeatureSet features = all_features();
  // Admission gives pods their priority and overhead, by classes that are not there.
  features.reset(static_cast<size_t>(Feature::kPriorities));
  features.reset(static_cast<size_t>(Feature::kOverhead));
  // Selectors would get their keys a second time.
  features.reset(static_cast<size_t>(Feature::kLabelKeys));
  TestWorld world(TestWorld::Options{});
  for (const std::string name : {"team-a", "team-b"}) {
    world.create("", "namespaces", "", R"({"metadata":{"name":")" + name + "\"}}");
  }
  for (uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    const TestCluster cluster =
        cluster_of(seed, {.max_nodes = 5, .max_pods = 8, .features = features});
    for (const Listed& list : kLists) {
      for (const api::ObjectPtr& object : cluster.*list.objects)
        EXPECT_EQ(create_on(world, list, object), "") << object->json();
    }
  }
}

}  // namespace
}  // namespace proa::testkit
