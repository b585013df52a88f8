#include "controllers/storage/binder/plan.h"

#include <gtest/gtest.h>

namespace proa::controllers::storage {
namespace {

kinds::ClaimFacts make_claim() {
  kinds::ClaimFacts claim;
  claim.name_space = "default";
  claim.name = "data";
  claim.uid = "1";
  claim.phase = "Pending";
  claim.storage_class = "";
  return claim;
}

kinds::VolumeFacts make_volume(std::optional<kinds::VolumeFacts::Claim> claim = std::nullopt) {
  kinds::VolumeFacts volume;
  volume.name = "v";
  volume.phase = "Available";
  volume.claim = std::move(claim);
  volume.reclaim_policy = "Retain";
  return volume;
}

kinds::VolumeFacts::Claim ours(const std::string& uid = "1") { return {"default", "data", uid}; }
kinds::VolumeFacts::Claim others() { return {"default", "other", "2"}; }

struct NamedCase {
  const char* name;
  bool completed;
  bool has_volume;
  std::optional<kinds::VolumeFacts::Claim> owner;
  ClaimStep step;
  std::string reason;
};

TEST(PlanClaim, OfAClaimThatNamesItsVolume) {
  const NamedCase cases[] = {
      {"there is none", false, false, std::nullopt, ClaimStep::kWait, ""},
      {"it is free", false, true, std::nullopt, ClaimStep::kBind, ""},
      {"it is reserved for it", false, true, ours(""), ClaimStep::kBind, ""},
      {"it is bound to it", false, true, ours(), ClaimStep::kBind, ""},
      {"it is somebody else's", false, true, others(), ClaimStep::kWait, "FailedBinding"},
      {"was bound, and is", true, true, ours(), ClaimStep::kBind, ""},
      {"was bound, and the volume forgot", true, true, std::nullopt, ClaimStep::kBind, ""},
      {"was bound, and the volume is gone", true, false, std::nullopt, ClaimStep::kLose,
       "ClaimLost"},
      {"was bound, and another one has it", true, true, others(), ClaimStep::kLose,
       "ClaimMisbound"},
  };
  for (const NamedCase& c : cases) {
    SCOPED_TRACE(c.name);
    kinds::ClaimFacts claim = make_claim();
    claim.volume = "v";
    claim.bind_completed = c.completed;
    const kinds::VolumeFacts volume = make_volume(c.owner);
    ClaimState state;
    state.volume = c.has_volume ? &volume : nullptr;
    const ClaimPlan plan = plan_claim(claim, state);
    EXPECT_EQ(plan.step, c.step);
    EXPECT_EQ(plan.notice ? plan.notice->reason : "", c.reason);
  }
}

TEST(PlanClaim, ThatWasBoundAndNamesNoVolumeIsLost) {
  kinds::ClaimFacts claim = make_claim();
  claim.bind_completed = true;
  EXPECT_EQ(plan_claim(claim, {}).step, ClaimStep::kLose);
}

struct UnnamedCase {
  const char* name;
  std::optional<std::string> claim_class;
  std::optional<kinds::ClassFacts> its_class;
  bool has_default;
  bool node_selected;
  std::vector<std::string> pods;
  ClaimStep step;
  std::string message;  // how it begins
};

TEST(PlanClaim, OfAClaimThatNoVolumeFits) {
  const kinds::ClassFacts gold{.name = "gold", .provisioner = "gold.io/maker"};
  const kinds::ClassFacts late{
      .name = "gold", .provisioner = "gold.io/maker", .waits_for_consumer = true};
  const kinds::ClassFacts manual{.name = "gold", .provisioner = "kubernetes.io/no-provisioner"};
  const UnnamedCase cases[] = {
      {"no class is wanted",
       "",
       {},
       true,
       false,
       {},
       ClaimStep::kWait,
       "no persistent volumes available for this claim and no storage class is set"},
      {"nobody chose a class",
       std::nullopt,
       {},
       false,
       false,
       {},
       ClaimStep::kWait,
       "no persistent volumes available for this claim and no storage class is set"},
      {"nobody chose, and there is a default",
       std::nullopt,
       {},
       true,
       false,
       {},
       ClaimStep::kGiveClass,
       ""},
      {"the class is gone",
       "gold",
       {},
       false,
       false,
       {},
       ClaimStep::kWait,
       "storageclass.storage.k8s.io \"gold\" not found"},
      {"somebody makes volumes",
       "gold",
       gold,
       false,
       false,
       {},
       ClaimStep::kProvision,
       "Waiting for a volume to be created either by the external provisioner 'gold.io/maker' or "
       "manually by the system administrator."},
      {"nobody makes volumes",
       "gold",
       manual,
       false,
       false,
       {},
       ClaimStep::kWait,
       "no volume plugin matched name: kubernetes.io/no-provisioner"},
      {"for a first pod",
       "gold",
       late,
       false,
       false,
       {},
       ClaimStep::kWait,
       "waiting for first consumer to be created before binding"},
      {"for a pod's node",
       "gold",
       late,
       false,
       false,
       {"a"},
       ClaimStep::kWait,
       "waiting for pod a to be scheduled"},
      {"for pods' nodes",
       "gold",
       late,
       false,
       false,
       {"a", "b"},
       ClaimStep::kWait,
       "waiting for pods a,b to be scheduled"},
      {"a node was chosen", "gold", late, false, true, {"a"}, ClaimStep::kProvision, "Waiting"},
  };
  for (const UnnamedCase& c : cases) {
    SCOPED_TRACE(c.name);
    kinds::ClaimFacts claim = make_claim();
    claim.storage_class = c.claim_class;
    if (c.node_selected) claim.selected_node = "n1";
    ClaimState state;
    state.its_class = c.its_class ? &*c.its_class : nullptr;
    state.has_default_class = c.has_default;
    state.waiting_pods = c.pods;
    const ClaimPlan plan = plan_claim(claim, state);
    EXPECT_EQ(plan.step, c.step);
    const std::string message = plan.notice ? plan.notice->message : "";
    EXPECT_TRUE(message.starts_with(c.message)) << message;
  }
}

TEST(PlanVolume, FollowsItsClaim) {
  kinds::ClaimFacts pending = make_claim();
  kinds::ClaimFacts bound = make_claim();
  bound.volume = "v";
  kinds::ClaimFacts elsewhere = make_claim();
  elsewhere.volume = "w";
  kinds::ClaimFacts block = make_claim();
  block.is_block = true;
  EXPECT_EQ(plan_volume(make_volume(), nullptr), VolumeStep::kOffer);
  EXPECT_EQ(plan_volume(make_volume(ours("")), nullptr), VolumeStep::kOffer);
  EXPECT_EQ(plan_volume(make_volume(ours()), nullptr), VolumeStep::kReclaim);
  EXPECT_EQ(plan_volume(make_volume(ours()), &pending), VolumeStep::kLeave);
  EXPECT_EQ(plan_volume(make_volume(ours()), &block), VolumeStep::kTell);
  EXPECT_EQ(plan_volume(make_volume(ours()), &bound), VolumeStep::kKeep);
  EXPECT_EQ(plan_volume(make_volume(ours()), &elsewhere), VolumeStep::kUnbind);
  kinds::VolumeFacts made = make_volume(ours());
  made.provisioned_by = "gold.io/maker";
  EXPECT_EQ(plan_volume(made, &elsewhere), VolumeStep::kUnbind);
  made.reclaim_policy = "Delete";
  EXPECT_EQ(plan_volume(made, &elsewhere), VolumeStep::kReclaim);
}

struct ReclaimCase {
  const char* name;
  std::string policy;
  std::optional<std::string> provisioned_by;
  bool is_csi;
  std::optional<std::string> path;
  std::vector<api::PodKey> users;
  Reclaim step;
  std::string message;
};

TEST(PlanReclaim, FollowsThePolicy) {
  const ReclaimCase cases[] = {
      {"kept", "Retain", {}, false, "/tmp/x", {}, Reclaim::kNothing, ""},
      {"its maker removes it", "Delete", "gold.io/maker", false, "/x", {}, Reclaim::kNothing, ""},
      {"its driver removes it", "Delete", {}, true, {}, {}, Reclaim::kNothing, ""},
      {"its maker is no more",
       "Delete",
       "kubernetes.io/rbd",
       false,
       {},
       {},
       Reclaim::kFail,
       "no volume plugin matched name: kubernetes.io/rbd"},
      {"a directory for tests", "Delete", {}, false, "/tmp/x", {}, Reclaim::kDelete, ""},
      {"a directory",
       "Delete",
       {},
       false,
       "/data",
       {},
       Reclaim::kFail,
       "host_path deleter only supports /tmp/.+ but received provided /data"},
      {"other volume types",
       "Delete",
       {},
       false,
       {},
       {},
       Reclaim::kFail,
       "error getting deleter volume plugin for volume \"v\": no deletable volume plugin matched"},
      {"recycling is not supported",
       "Recycle",
       {},
       false,
       "/data",
       {},
       Reclaim::kFail,
       "No recycler plugin found for the volume!"},
      {"used by pods",
       "Recycle",
       {},
       false,
       "/data",
       {{"default", "a"}, {"default", "b"}},
       Reclaim::kNothing,
       "Volume is used by pods: default/a,default/b"},
      {"an unknown policy",
       "Burn",
       {},
       false,
       "/data",
       {},
       Reclaim::kFail,
       "Volume has unrecognized PersistentVolumeReclaimPolicy"},
  };
  for (const ReclaimCase& c : cases) {
    SCOPED_TRACE(c.name);
    kinds::VolumeFacts volume = make_volume(ours());
    volume.reclaim_policy = c.policy;
    volume.provisioned_by = c.provisioned_by;
    volume.is_csi = c.is_csi;
    volume.host_path = c.path;
    const ReclaimPlan plan = plan_reclaim(volume, c.users);
    EXPECT_EQ(plan.step, c.step);
    EXPECT_EQ(plan.notice ? plan.notice->message : "", c.message);
  }
}

}  // namespace
}  // namespace proa::controllers::storage
