#include "kubelet/pod/volumes/plugins/claim.h"

#include "testkit/kubelet/volume_fixtures.h"

namespace proa::kubelet {
namespace {

constexpr const char* kClaim = R"({"metadata":{"name":"data","namespace":"shop","uid":"c1"%M},)"
                               R"("spec":{"volumeName":"pv"},"status":{"phase":"Bound"}})";

std::string claim_with(const std::string& metadata) {
  std::string text = kClaim;
  return text.replace(text.find("%M"), 2, metadata);
}

constexpr const char* kVolume =
    R"({"metadata":{"name":"pv"},"spec":{"claimRef":{"uid":"c1"},"local":{"path":"/x"}}})";
constexpr const char* kPod =
    R"({"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data","readOnly":true}}],)"
    R"("containers":[{"volumeMounts":[{"name":"v"}]}]})";

std::string find(testing::FakeObjects& objects, const std::string& spec) {
  const PodPtr pod = testing::make_pod(spec);
  const Result<ClaimedVolume> found =
      find_claimed_volume(objects, *pod, pod->spec()["volumes"].item(0));
  if (!found.ok()) return found.status().message();
  return found->name + (found->read_only ? " ro" : "") + (found->as_device ? " device" : "");
}

TEST(FindClaimedVolume, WantsClaimAndVolumeBoundToOneAnother) {
  struct Case {
    const char* name;
    std::string claim;
    std::string volume;
    std::string expected;
  };
  const std::string where = "error processing PVC shop/data: ";
  for (const Case& c : {
           Case{"bound", claim_with(""), kVolume, "pv ro"},
           Case{"no claim", "", kVolume,
                where + "failed to fetch PVC from API server: persistentvolumeclaims \"data\" not "
                        "found"},
           Case{"pending", R"({"metadata":{},"status":{"phase":"Pending"}})", kVolume,
                where + "PVC is not bound"},
           Case{"names no volume", R"({"metadata":{},"spec":{},"status":{"phase":"Bound"}})",
                kVolume, where + "PVC has empty pvc.Spec.VolumeName"},
           Case{"going", claim_with(R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")"), kVolume,
                where + "PVC is being deleted"},
           Case{"going, but protected",
                claim_with(R"(,"deletionTimestamp":"2026-01-01T00:00:00Z",)"
                           R"("finalizers":["kubernetes.io/pvc-protection"])"),
                kVolume, "pv ro"},
           Case{"no volume", claim_with(""), "",
                where + "failed to fetch PV pv from API server: persistentvolumes \"pv\" not "
                        "found"},
           Case{"not bound back", claim_with(""), R"({"spec":{}})",
                where + "found PV object pv but it has a nil pv.Spec.ClaimRef indicating it is not "
                        "yet bound to the claim"},
           Case{"bound to another", claim_with(""), R"({"spec":{"claimRef":{"uid":"c2"}}})",
                where + "found PV object pv but its pv.Spec.ClaimRef.UID c2 does not point to "
                        "claim.UID c1"},
           Case{"a device", claim_with(""),
                R"({"spec":{"claimRef":{"uid":"c1"},"volumeMode":"Block"}})",
                "volume v has volumeMode Block, but is specified in volumeMounts"},
       }) {
    SCOPED_TRACE(c.name);
    testing::FakeObjects objects;
    if (!c.claim.empty()) objects.objects["persistentvolumeclaims/shop/data"] = c.claim;
    if (!c.volume.empty()) objects.objects["persistentvolumes//pv"] = c.volume;
    EXPECT_EQ(find(objects, kPod), c.expected);
  }
}

TEST(FindClaimedVolume, GivesDevicesToVolumeDevices) {
  testing::FakeObjects objects;
  objects.objects["persistentvolumeclaims/shop/data"] = claim_with("");
  objects.objects["persistentvolumes//pv"] =
      R"({"spec":{"claimRef":{"uid":"c1"},"volumeMode":"Block"}})";
  const std::string spec =
      R"({"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}],)"
      R"("containers":[{"volumeDevices":[{"name":"v"}]}]})";
  EXPECT_EQ(find(objects, spec), "pv device");
  objects.objects["persistentvolumes//pv"] = kVolume;
  EXPECT_EQ(find(objects, spec),
            "volume v has volumeMode Filesystem, but is specified in volumeDevices");
}

TEST(FindClaimedVolume, TakesEphemeralClaimsOfThePodOnly) {
  testing::FakeObjects objects;
  objects.objects["persistentvolumes//pv"] = kVolume;
  const std::string spec = R"({"volumes":[{"name":"v","ephemeral":{"volumeClaimTemplate":{}}}]})";
  const std::string foreign = "PVC shop/web-v was not created for pod shop/web (pod is not owner)";
  std::string& claim = objects.objects["persistentvolumeclaims/shop/web-v"];
  claim = claim_with(R"(,"ownerReferences":[{"uid":"uid-1","controller":true}])");
  EXPECT_EQ(find(objects, spec), "pv");
  claim = claim_with(R"(,"ownerReferences":[{"uid":"uid-1"}])");
  EXPECT_EQ(find(objects, spec), foreign);
  claim = claim_with(R"(,"ownerReferences":[{"uid":"uid-2","controller":true}])");
  EXPECT_EQ(find(objects, spec), foreign);
  claim = claim_with("");
  EXPECT_EQ(find(objects, spec), foreign);
}

TEST(CheckNodeAffinity, LooksAtTheLabelsOfTheNode) {
  testing::FakeObjects objects;
  objects.objects["persistentvolumeclaims/shop/data"] = claim_with("");
  objects.objects["persistentvolumes//pv"] =
      R"({"spec":{"claimRef":{"uid":"c1"},"nodeAffinity":{"required":{"nodeSelectorTerms":[)"
      R"({"matchExpressions":[{"key":"host","operator":"In","values":["n1"]}]}]}}}})";
  const PodPtr pod = testing::make_pod(kPod);
  const Result<ClaimedVolume> volume =
      find_claimed_volume(objects, *pod, pod->spec()["volumes"].item(0));
  ASSERT_TRUE(volume.ok());
  const auto node = [](const std::string& host) {
    return api::Object::make(R"({"metadata":{"name":"n","labels":{"host":")" + host + R"("}}})");
  };
  EXPECT_TRUE(check_node_affinity(*volume, *node("n1")).ok());
  EXPECT_EQ(check_node_affinity(*volume, *node("n2")).status().message(),
            "no matching NodeSelectorTerms");
}

}  // namespace
}  // namespace proa::kubelet
