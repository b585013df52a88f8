#include "scheduler/plugins/volumes/in_tree.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "testkit/scheduler/builders.h"

namespace proa::scheduler {
namespace in_tree_test {

using testkit::make_node;
using testkit::make_volume;

struct HandleCase {
  const char* source;
  const char* driver;
  const char* handle;
  const char* zones = "";
};

TEST(CsiHandle, IsWhatTheDriverCallsTheVolume) {
  const HandleCase cases[] = {
      {R"({"awsElasticBlockStore":{"volumeID":"vol-1"}})", "ebs.csi.aws.com", "vol-1"},
      {R"({"awsElasticBlockStore":{"volumeID":"aws://us-east-1a/vol-1"}})", "ebs.csi.aws.com",
       "vol-1"},
      {R"({"awsElasticBlockStore":{"volumeID":"aws:///vol-1"}})", "ebs.csi.aws.com", "vol-1"},
      {R"({"awsElasticBlockStore":{"volumeID":"aws://us-east-1a/x"}})", "ebs.csi.aws.com", ""},
      {R"({"gcePersistentDisk":{"pdName":"d"}})", "pd.csi.storage.gke.io",
       "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"},
      {R"({"gcePersistentDisk":{"pdName":"d"}})", "pd.csi.storage.gke.io",
       "projects/UNSPECIFIED/zones/us-east1-b/disks/d", "us-east1-b"},
      {R"({"gcePersistentDisk":{"pdName":"d"}})", "pd.csi.storage.gke.io",
       "projects/UNSPECIFIED/regions/us-east1/disks/d", "us-east1-b__us-east1-c"},
      {R"({"gcePersistentDisk":{"pdName":"d"}})", "pd.csi.storage.gke.io", "",
       "us-east1-b__us-west1-c"},
      {R"({"azureDisk":{"diskName":"d","diskURI":"/subscriptions/d","kind":"Managed"}})",
       "disk.csi.azure.com", "/subscriptions/d"},
      {R"({"azureDisk":{"diskName":"d","diskURI":"/d","kind":"Dedicated"}})", "disk.csi.azure.com",
       ""},
      {R"({"cinder":{"volumeID":"c"}})", "cinder.csi.openstack.org", "c"},
      {R"({"portworxVolume":{"volumeID":"p"}})", "pxd.portworx.com", "p"},
  };
  for (const HandleCase& c : cases) {
    SCOPED_TRACE(c.source);
    const json::Document source = json::parse(c.source).value();
    const InTreePlugin* plugin = in_tree_plugin_of(source.root());
    ASSERT_NE(plugin, nullptr);
    EXPECT_EQ(plugin->driver, c.driver);
    EXPECT_EQ(csi_handle(*plugin, source.root(), c.zones), c.handle);
    EXPECT_EQ(in_tree_plugin_named(plugin->name), plugin);
  }
  const json::Document other = json::parse(R"({"hostPath":{"path":"/"}})").value();
  EXPECT_EQ(in_tree_plugin_of(other.root()), nullptr);
}

// Whether a node of that zone, as the driver labels it, can have the volume.
bool takes(const testkit::VolumeBuilder& volume, std::string_view zone) {
  const api::ObjectPtr object = volume.object();
  const InTreePlugin& plugin = *in_tree_plugin_named("kubernetes.io/gce-pd");
  const auto affinity = driver_affinity(plugin, *object);
  const api::ObjectPtr node =
      make_node("n").label("topology.gke.io/zone", zone).region("r").object();
  return !affinity || affinity->matches(node->metadata());
}

TEST(DriverAffinity, SaysZonesByTheLabelOfTheDriver) {
  const auto disk = make_volume("v").source_json("gcePersistentDisk", R"({"pdName":"d"})");
  using testkit::VolumeBuilder;
  constexpr const char* kZone = "topology.kubernetes.io/zone";
  constexpr const char* kBetaZone = "failure-domain.beta.kubernetes.io/zone";
  const std::pair<const char*, VolumeBuilder> in_a[] = {
      {"affinity", VolumeBuilder(disk).node_affinity(kZone, {"a"})},
      {"old affinity", VolumeBuilder(disk).node_affinity(kBetaZone, {"a"})},
      {"label", VolumeBuilder(disk).label(kZone, "a")},
      {"old label", VolumeBuilder(disk).label(kBetaZone, "a__c")},
      {"affinity goes before the label",
       VolumeBuilder(disk).node_affinity(kZone, {"a"}).label(kZone, "b")},
      {"the label is added to other affinity",
       VolumeBuilder(disk).node_affinity("topology.kubernetes.io/region", {"r"}).label(kZone, "a")},
  };
  for (const auto& [name, volume] : in_a) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(takes(volume, "a"));
    EXPECT_FALSE(takes(volume, "b"));
  }
  EXPECT_TRUE(takes(disk, "b"));
}

TEST(SplitZones, RefusesEmptyParts) {
  EXPECT_EQ(split_zones("a"), (std::vector<std::string>{"a"}));
  EXPECT_EQ(split_zones("a__ b "), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(split_zones("a__").empty());
  EXPECT_TRUE(split_zones("").empty());
}

}  // namespace in_tree_test
}  // namespace proa::scheduler
