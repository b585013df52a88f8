#include "scheduler/model/pod_shape.h"

#include <gtest/gtest.h>

#include "base/check.h"
#include "testkit/scheduler/builders.h"

namespace proa::scheduler {
namespace {

using testkit::make_node;
using testkit::make_pod;
using testkit::PodBuilder;

PodShape shape_of(const PodBuilder& pod) {
  const auto object = pod.object();
  const auto decoded = api::decode<objects::Pod>(*object);
  CHECK(decoded.ok());
  return read_shape(object->metadata(), *decoded, "key");
}

TEST(ReadShape, TakesWhoThePodIs) {
  const PodShape shape = shape_of(make_pod("a")
                                      .in("ns")
                                      .label("app", "web")
                                      .owner("apps/v1", "ReplicaSet", "web-1")
                                      .scheduler_name("mine")
                                      .priority(7)
                                      .never_preempts());
  EXPECT_EQ(shape.name_space, "ns");
  EXPECT_EQ(*shape.labels.find("app"), "web");
  EXPECT_EQ(shape.controller_kind, "ReplicaSet");
  EXPECT_EQ(shape.controller_name, "web-1");
  EXPECT_EQ(shape.scheduler_name, "mine");
  EXPECT_EQ(shape.priority, 7);
  EXPECT_FALSE(shape.may_preempt);
  EXPECT_EQ(shape.key, "key");

  const PodShape plain = shape_of(make_pod("a"));
  EXPECT_EQ(plain.scheduler_name, "default-scheduler");
  EXPECT_EQ(plain.priority, 0);
  EXPECT_TRUE(plain.may_preempt);
  EXPECT_EQ(plain.controller_kind, "");
  EXPECT_FALSE(plain.has_affinity());
  EXPECT_FALSE(plain.has_volumes_of_its_own);
}

TEST(ReadShape, TakesContainers) {
  PodBuilder pod = make_pod("a");
  pod.image("web:1").host_port(80).host_port(53, "UDP", "10.0.0.1");
  pod.init_request({}, "init:1").sidecar_request({}, "side:1");
  // Of an init container that ends, a port is free again.
  pod.json("spec.initContainers.0.ports", R"([{"containerPort":1,"hostPort":1}])");
  pod.json("spec.initContainers.1.ports", R"([{"containerPort":2,"hostPort":2}])");
  const PodShape shape = shape_of(pod);
  EXPECT_EQ(shape.images, (std::vector<std::string>{"init:1", "side:1", "web:1"}));
  EXPECT_EQ(shape.containers, 3u);
  EXPECT_EQ(shape.host_ports,
            (std::vector<HostPort>{{.ip = "0.0.0.0", .protocol = "TCP", .port = 2},
                                   {.ip = "0.0.0.0", .protocol = "TCP", .port = 80},
                                   {.ip = "10.0.0.1", .protocol = "UDP", .port = 53}}));
}

TEST(ReadShape, TakesPortsOfTheHostsNetwork) {
  PodBuilder pod = make_pod("a").host_network();
  pod.json("spec.containers.0.ports", R"([{"containerPort":8080}])");
  const PodShape shape = shape_of(pod);
  ASSERT_EQ(shape.host_ports.size(), 1u);
  EXPECT_EQ(shape.host_ports[0].port, 8080);
}

TEST(ReadShape, TakesWhichNodesAreWanted) {
  const PodShape shape = shape_of(make_pod("a")
                                      .node_selector({{"disk", "ssd"}})
                                      .node_affinity("zone", "In", {"a"})
                                      .prefer_node(5, "zone", "In", {"b"})
                                      .tolerate("k", "Equal", "v", "NoSchedule"));
  const auto selects = [&](const testkit::NodeBuilder& node) {
    return shape.selects(node.object()->metadata());
  };
  EXPECT_TRUE(selects(make_node("n").label("disk", "ssd").label("zone", "a")));
  EXPECT_FALSE(selects(make_node("n").label("disk", "hdd").label("zone", "a")));
  EXPECT_FALSE(selects(make_node("n").label("disk", "ssd").label("zone", "b")));
  ASSERT_EQ(shape.preferred_nodes.size(), 1u);
  EXPECT_EQ(shape.preferred_nodes[0].weight, 5);
  ASSERT_EQ(shape.tolerations.size(), 1u);
  EXPECT_EQ(shape.tolerations[0].key, "k");
}

TEST(ReadShape, TakesAffinity) {
  const PodShape shape = shape_of(make_pod("a")
                                      .in("ns")
                                      .pod_affinity("zone", {{"app", "db"}})
                                      .pod_anti_affinity("host", {{"app", "web"}})
                                      .prefer_pod_affinity(3, "rack", {})
                                      .prefer_pod_anti_affinity(4, "row", {}));
  EXPECT_TRUE(shape.has_affinity());
  ASSERT_EQ(shape.affinity.size(), 1u);
  EXPECT_EQ(shape.affinity[0].topology_key, "zone");
  EXPECT_EQ(shape.affinity[0].selector.str(), "app=db");
  EXPECT_EQ(shape.affinity[0].namespaces, std::vector<std::string>{"ns"});
  ASSERT_EQ(shape.anti_affinity.size(), 1u);
  EXPECT_EQ(shape.anti_affinity[0].topology_key, "host");
  ASSERT_EQ(shape.preferred_affinity.size(), 1u);
  EXPECT_EQ(shape.preferred_affinity[0].weight, 3);
  ASSERT_EQ(shape.preferred_anti_affinity.size(), 1u);
  EXPECT_EQ(shape.preferred_anti_affinity[0].weight, 4);
}

TEST(AffinityTerm, KnowsItsNamespaces) {
  struct Case {
    const char* name;
    const char* more;  // beside topology key and selector
    bool own, named, labeled;
  };
  const Case cases[] = {
      {"nothing said: its own", "", true, false, false},
      {"named", R"(,"namespaces":["named","else"])", false, true, false},
      {"by labels", R"(,"namespaceSelector":{"matchLabels":{"team":"x"}})", false, false, true},
      {"named, and by labels",
       R"(,"namespaces":["named"],"namespaceSelector":{"matchLabels":{"team":"x"}})", false, true,
       true},
      {"all of them", R"(,"namespaceSelector":{})", true, true, true},
  };
  const std::vector<api::LabelPair> labels = {{"app", "db"}};
  const std::vector<api::LabelPair> team = {{"team", "x"}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const std::string term =
        std::string(R"({"topologyKey":"zone","labelSelector":{"matchLabels":{"app":"db"}})") +
        c.more + "}";
    const PodShape shape = shape_of(make_pod("a").in("own").affinity_json(
        R"({"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[)" + term + "]}}"));
    ASSERT_EQ(shape.affinity.size(), 1u);
    const AffinityTerm& read = shape.affinity[0];
    EXPECT_EQ(read.matches("own", labels, {}), c.own);
    EXPECT_EQ(read.matches("named", labels, {}), c.named);
    EXPECT_EQ(read.matches("other", labels, team), c.labeled);
    EXPECT_FALSE(read.matches("own", {}, team));
  }
}

TEST(AffinityTerm, WithoutASelectorMatchesNothing) {
  const PodShape shape = shape_of(make_pod("a").affinity_json(
      R"({"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
          [{"topologyKey":"zone"}]}})"));
  ASSERT_EQ(shape.affinity.size(), 1u);
  EXPECT_FALSE(shape.affinity[0].matches("default", {}, {}));
}

TEST(ReadShape, TakesSpreading) {
  const PodShape shape =
      shape_of(make_pod("a")
                   .label("app", "web")
                   .label("hash", "1")
                   .spread(2, "zone", "ScheduleAnyway", {{"app", "web"}})
                   .spread_json(R"({"maxSkew":3,"minDomains":4,"topologyKey":"host",
                       "whenUnsatisfiable":"DoNotSchedule","nodeAffinityPolicy":"Ignore",
                       "nodeTaintsPolicy":"Honor","matchLabelKeys":["hash","missing"],
                       "labelSelector":{"matchLabels":{"app":"web"}}})"));
  ASSERT_EQ(shape.spread.size(), 2u);
  const SpreadConstraint& soft = shape.spread[0];
  EXPECT_EQ(soft.topology_key, "zone");
  EXPECT_EQ(soft.max_skew, 2);
  EXPECT_EQ(soft.min_domains, 1);
  EXPECT_FALSE(soft.hard);
  EXPECT_TRUE(soft.honors_affinity);
  EXPECT_FALSE(soft.honors_taints);
  EXPECT_EQ(soft.selector.str(), "app=web");
  const SpreadConstraint& hard = shape.spread[1];
  EXPECT_EQ(hard.max_skew, 3);
  EXPECT_EQ(hard.min_domains, 4);
  EXPECT_TRUE(hard.hard);
  EXPECT_FALSE(hard.honors_affinity);
  EXPECT_TRUE(hard.honors_taints);
  const std::vector<api::LabelPair> same = {{"app", "web"}, {"hash", "1"}};
  const std::vector<api::LabelPair> other = {{"app", "web"}, {"hash", "2"}};
  EXPECT_TRUE(hard.selector.matches(same));
  EXPECT_FALSE(hard.selector.matches(other));
}

TEST(ReadShape, TakesVolumes) {
  struct Case {
    const char* name;
    const char* volume;
    Disk::Kind kind;
    const char* id;
    bool read_only;
  };
  const Case cases[] = {
      {"GCE", R"({"gcePersistentDisk":{"pdName":"d","readOnly":true}})", Disk::Kind::kGce, "d",
       true},
      {"AWS", R"({"awsElasticBlockStore":{"volumeID":"v"}})", Disk::Kind::kAws, "v", false},
      {"iSCSI", R"({"iscsi":{"targetPortal":"p","iqn":"q","lun":0}})", Disk::Kind::kIscsi, "q",
       false},
      {"RBD", R"({"rbd":{"monitors":["m"],"pool":"p","image":"i","readOnly":true}})",
       Disk::Kind::kRbd, "p/i", true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const PodShape shape = shape_of(make_pod("a").volume_json(c.volume));
    ASSERT_EQ(shape.disks.size(), 1u);
    EXPECT_EQ(shape.disks[0].kind, c.kind);
    EXPECT_EQ(shape.disks[0].id, c.id);
    EXPECT_EQ(shape.disks[0].read_only, c.read_only);
    EXPECT_TRUE(shape.claims.empty());
  }
  const PodShape claims = shape_of(make_pod("a").claim("x").claim("y"));
  EXPECT_EQ(claims.claims, (std::vector<std::string>{"x", "y"}));
  EXPECT_TRUE(claims.has_volumes_of_its_own);
  const PodShape inline_csi = shape_of(make_pod("a").volume_json(R"({"csi":{"driver":"x.com"}})"));
  EXPECT_TRUE(inline_csi.has_volumes_of_its_own);
  EXPECT_TRUE(inline_csi.claims.empty());
  const PodShape none = shape_of(make_pod("a").volume_json(R"({"emptyDir":{}})"));
  EXPECT_FALSE(none.has_volumes_of_its_own);
}

}  // namespace
}  // namespace proa::scheduler
