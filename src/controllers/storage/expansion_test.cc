#include "controllers/storage/expansion.h"

#include <gtest/gtest.h>

#include "testkit/controllers/storage_world.h"

namespace proa::controllers {
namespace {

using storage::TestClaim;
using storage::TestVolume;

constexpr const char* kWaits =
    "Normal ExternalExpanding: waiting for an external controller to expand this PVC";

class ExpansionTest : public testing::Test {
 protected:
  void SetUp() override {
    world_.create("storage.k8s.io", "storageclasses", "",
                  R"({"metadata":{"name":"gold"},"provisioner":"gold.io/maker",)"
                  R"("allowVolumeExpansion":true})");
    const api::ObjectPtr claim = world_.create(TestClaim{.storage_class = "gold", .volume = "v"});
    world_.create(TestVolume{
        .storage_class = "gold", .claim = "data", .claim_uid = std::string(claim->metadata().uid)});
    world_.patch("", "persistentvolumeclaims", "default", "data",
                 R"({"status":{"phase":"Bound","capacity":{"storage":"1Gi"}}})", "status");
    world_.settle();
  }
  void ask_for(const std::string& size) {
    world_.patch("", "persistentvolumeclaims", "default", "data",
                 R"({"spec":{"resources":{"requests":{"storage":")" + size + "\"}}}}");
    world_.settle();
  }

  storage::StorageWorld world_{std::vector<ControllerEntry>{
      {"persistentvolume-expander", "expand-controller", make_volume_expander}}};
};

TEST_F(ExpansionTest, RecordsAnEventForAnExternalExpansion) {
  EXPECT_FALSE(world_.has_event("data", kWaits));
  ask_for("2Gi");
  EXPECT_TRUE(world_.has_event("data", kWaits));
}

TEST_F(ExpansionTest, RecordsNothingAfterTheExpansion) {
  world_.patch("", "persistentvolumeclaims", "default", "data",
               R"({"status":{"capacity":{"storage":"4Gi"}}})", "status");
  ask_for("2Gi");
  EXPECT_FALSE(world_.has_event("data", kWaits));
}

}  // namespace
}  // namespace proa::controllers
