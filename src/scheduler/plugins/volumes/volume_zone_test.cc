#include "scheduler/plugins/volumes/volume_zone.h"

#include "testkit/scheduler/plugins/test_storage.h"

namespace proa::scheduler::volumes_test {
namespace volume_zone_test {

using testkit::Pairs;

constexpr const char* kZone = "topology.kubernetes.io/zone";
constexpr const char* kRegion = "topology.kubernetes.io/region";
constexpr const char* kBetaZone = "failure-domain.beta.kubernetes.io/zone";
constexpr const char* kBetaRegion = "failure-domain.beta.kubernetes.io/region";
constexpr const char* kElsewhere = "Unresolvable: node(s) had no available volume zone";

struct ZoneCase {
  const char* name;
  Pairs volume;
  Pairs node;
  bool fits;
};

TEST(VolumeZone, KeepsPodsWhereTheirVolumesAre) {
  const ZoneCase cases[] = {
      {"a node that names no zone", {{kBetaZone, "a"}}, {}, true},
      {"the old zone", {{kBetaZone, "a"}}, {{kBetaZone, "a"}, {"other", "x"}}, true},
      {"another old zone", {{kBetaZone, "a"}}, {{kBetaZone, "b"}}, false},
      {"the old region", {{kBetaRegion, "r"}, {"other", "x"}}, {{kBetaRegion, "r"}}, true},
      {"another old region", {{kBetaRegion, "r"}}, {{kBetaRegion, "s"}}, false},
      {"the zone", {{kZone, "a"}}, {{kZone, "a"}}, true},
      {"another zone", {{kZone, "a"}}, {{kZone, "b"}}, false},
      {"the region", {{kRegion, "r"}}, {{kRegion, "r"}}, true},
      {"another region", {{kRegion, "r"}}, {{kRegion, "s"}}, false},
      {"a region that the node does not name",
       {{kZone, "a"}, {kRegion, "r"}},
       {{kZone, "a"}},
       false},
      {"a zone, where the node names an old one", {{kZone, "a"}}, {{kBetaZone, "a"}}, false},
      {"an old zone, where the node names a new one", {{kBetaZone, "a"}}, {{kZone, "a"}}, true},
      {"the same, but another one", {{kBetaZone, "a"}}, {{kZone, "b"}}, false},
      {"the old label counts where the node has it",
       {{kBetaZone, "a"}},
       {{kBetaZone, "b"}, {kZone, "a"}},
       false},
      {"one of two zones", {{kZone, "c__a"}}, {{kZone, "a"}}, true},
      {"one of two old zones", {{kBetaZone, "c__a"}}, {{kBetaZone, "a"}}, true},
      {"none of two zones", {{kZone, "c__a"}}, {{kZone, "b"}}, false},
      {"zones that can't be read", {{kZone, "a__"}}, {{kZone, "b"}}, true},
      {"a volume without zones", {{"other", "x"}}, {{kZone, "b"}}, true},
  };
  for (const ZoneCase& c : cases) {
    SCOPED_TRACE(c.name);
    StorageWorld world(make_volume_zone);
    const NodeIndex node = world.add(make_node("n1").labels(c.node));
    world.put(make_volume("v").labels(c.volume));
    world.put(make_claim("data").volume("v"));
    EXPECT_EQ(world.check(make_pod("p").claim("data"), node), c.fits ? "" : kElsewhere);
  }
}

TEST(VolumeZone, SaysWhereTheVolumeIs) {
  StorageWorld world(make_volume_zone);
  world.add(make_node("n1").zone("b"));
  world.put(make_volume("v").label(kZone, "a__c"), make_claim("data").volume("v"));
  EXPECT_EQ(world.suggestion(make_pod("p").claim("data")),
            "volume v requires a node in topology.kubernetes.io/zone a, c");
}

TEST(VolumeZone, WantsClaimsToHaveVolumesOrToWaitForANode) {
  StorageWorld world(make_volume_zone);
  world.put(make_storage_class("wait").wait_for_consumer(), make_storage_class("now"));
  world.put(make_claim("waits").storage_class("wait"), make_claim("unbound").storage_class("now"),
            make_claim("classless"), make_claim("odd").storage_class("none"),
            make_claim("lost").volume("gone"));
  const std::pair<const char*, const char*> cases[] = {
      {"waits", ""},
      {"unbound", "PersistentVolume had no name"},
      {"classless", "PersistentVolumeClaim had no pv name and storageClass name"},
      {"odd", "storageclass.storage.k8s.io \"none\" not found"},
      {"lost", "persistentvolume \"gone\" not found"},
      {"missing", "persistentvolumeclaim \"missing\" not found"},
  };
  for (const auto& [claim, why] : cases) {
    const std::string expected = *why == 0 ? "" : "all: Unresolvable: " + std::string(why);
    EXPECT_EQ(world.check(make_pod("p").claim(claim)), expected) << claim;
  }
  EXPECT_EQ(world.pre_filter(make_pod("p").claim("waits")).filter, nullptr);
  EXPECT_EQ(world.pre_filter(make_pod("p")).filter, nullptr);
}

TEST(VolumeZone, KnowsWhatMayHelp) {
  StorageWorld world(make_volume_zone);
  const auto pod = make_pod("p").claim("data");
  const auto helps = [&](EventResource resource, const api::ObjectPtr& before,
                         const api::ObjectPtr& after) {
    return world.helped_by(pod, resource, before.get(), after.get());
  };
  const auto kClaim = EventResource::kPersistentVolumeClaim;
  EXPECT_TRUE(helps(kClaim, nullptr, make_claim("data").object()));
  EXPECT_TRUE(helps(kClaim, make_claim("data").object(), make_claim("data").volume("v").object()));
  EXPECT_FALSE(helps(kClaim, nullptr, make_claim("other").object()));
  EXPECT_FALSE(helps(kClaim, nullptr, make_claim("data").in("other").object()));
  const auto kClass = EventResource::kStorageClass;
  EXPECT_TRUE(helps(kClass, nullptr, make_storage_class("c").wait_for_consumer().object()));
  EXPECT_FALSE(helps(kClass, nullptr, make_storage_class("c").object()));
  const auto kVolume = EventResource::kPersistentVolume;
  const api::ObjectPtr in_a = make_volume("v").label(kZone, "a").object();
  EXPECT_TRUE(helps(kVolume, nullptr, in_a));
  EXPECT_TRUE(helps(kVolume, in_a, make_volume("v").label(kZone, "b").object()));
  EXPECT_FALSE(helps(kVolume, in_a, make_volume("v").label(kZone, "a").label("x", "y").object()));
}

}  // namespace volume_zone_test
}  // namespace proa::scheduler::volumes_test
