#include "controllers/storage/attach/attach_detach.h"

#include <gtest/gtest.h>

#include "controllers/storage/attach/facts.h"
#include "controllers/storage/binder/binder.h"
#include "testkit/controllers/storage_world.h"

namespace proa::controllers {
namespace {

using storage::TestClaim;
using storage::TestPod;
using storage::TestVolume;

constexpr const char* kUnique = "kubernetes.io/csi/gold.io^handle-v";

class AttachDetachTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"n1", "n2"}) {
      world_.create_node(name);
      world_.patch("", "nodes", "", name,
                   R"({"metadata":{"annotations":{)"
                   R"("volumes.kubernetes.io/controller-managed-attach-detach":"true"}}})");
      set_ready(name, true);
    }
    world_.create(TestVolume{.driver = "gold.io"});
    world_.create(TestClaim{});
    world_.settle();
    ASSERT_EQ(world_.claim("data", "status.phase"), "Bound");
  }

  void set_ready(const std::string& node, bool ready) {
    world_.patch("", "nodes", "", node,
                 R"({"status":{"conditions":[{"type":"Ready","status":")" +
                     std::string(ready ? "True" : "False") + "\"}]}}",
                 "status");
  }
  void set_in_use(const std::string& node, const std::string& names) {
    world_.patch("", "nodes", "", node, R"({"status":{"volumesInUse":[)" + names + "]}}", "status");
    world_.settle();
  }
  static std::string attachment(const std::string& node) {
    return storage::attachment_name({.driver = "gold.io", .handle = "handle-v"},
                                    api::NodeName(node));
  }
  std::string attachment_at(const std::string& node, std::string_view path) {
    return world_.at("storage.k8s.io", "volumeattachments", "", attachment(node), path);
  }
  // What the driver does.
  void finish(const std::string& node) {
    world_.patch("storage.k8s.io", "volumeattachments", "", attachment(node),
                 R"({"status":{"attached":true}})", "status");
    world_.settle();
  }
  std::string told(const std::string& node) {
    return world_.at("", "nodes", "", node, "status.volumesAttached");
  }
  void delete_pod(const std::string& name) {
    ASSERT_TRUE(world_.client().remove(world_.place("", "pods", "default", name),
                                       {.grace_seconds = 0}, {}));
    world_.settle();
  }
  void attach_to_n1() {
    world_.create(TestPod{.node = "n1"});
    world_.settle();
    finish("n1");
    set_in_use("n1", std::string("\"") + kUnique + "\"");
  }

  storage::StorageWorld world_{std::vector<ControllerEntry>{
      {"persistentvolume-attach-detach", "attachdetach-controller", make_attach_detach},
      {"persistentvolume-binder", "persistent-volume-binder", make_volume_binder}}};
};

TEST_F(AttachDetachTest, AVolumeIsAttachedForAPod) {
  world_.create(TestPod{.node = "n1"});
  world_.settle();
  EXPECT_EQ(attachment_at("n1", "spec.attacher"), "gold.io");
  EXPECT_EQ(attachment_at("n1", "spec.nodeName"), "n1");
  EXPECT_EQ(attachment_at("n1", "spec.source.persistentVolumeName"), "v");
  EXPECT_EQ(told("n1"), "");
  finish("n1");
  EXPECT_EQ(told("n1"), std::string(R"([{"name":")") + kUnique + R"(","devicePath":""}])");
  EXPECT_TRUE(world_.has_event(
      "web", "Normal SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume \"v\" "));
  const std::vector<std::string> before = world_.versions();
  world_.restart();
  world_.settle();
  EXPECT_EQ(world_.versions(), before);
}

TEST_F(AttachDetachTest, ADriverThatNeedsNoAttachingGetsNone) {
  world_.create("storage.k8s.io", "csidrivers", "",
                R"({"metadata":{"name":"gold.io"},"spec":{"attachRequired":false}})");
  world_.create(TestPod{.node = "n1"});
  world_.settle();
  EXPECT_TRUE(world_.list("storage.k8s.io", "volumeattachments", "").empty());
}

TEST_F(AttachDetachTest, RecordsAttachFailures) {
  world_.create(TestPod{.node = "n1"});
  world_.settle();
  world_.patch("storage.k8s.io", "volumeattachments", "", attachment("n1"),
               R"({"status":{"attached":false,"attachError":{"message":"no such disk"}}})",
               "status");
  world_.settle();
  EXPECT_TRUE(world_.has_event(
      "web",
      "Warning FailedAttachVolume: AttachVolume.Attach failed for volume \"v\" : no such disk"));
}

TEST_F(AttachDetachTest, AVolumeIsDetachedWhenTheNodeIsDoneWithIt) {
  attach_to_n1();
  delete_pod("web");
  EXPECT_EQ(attachment_at("n1", "spec.nodeName"), "n1");
  world_.restart();
  world_.settle();
  EXPECT_EQ(attachment_at("n1", "spec.nodeName"), "n1");
  world_.pass(std::chrono::hours(1));  // a healthy node may take its time
  EXPECT_EQ(attachment_at("n1", "spec.nodeName"), "n1");
  set_in_use("n1", "");
  EXPECT_EQ(attachment_at("n1", "spec.nodeName"), "(gone)");
  EXPECT_EQ(told("n1"), "");
}

TEST_F(AttachDetachTest, AnExclusiveVolumeIsOnOneNodeOnly) {
  attach_to_n1();
  world_.create(TestPod{.name = "second", .node = "n2"});
  world_.settle();
  EXPECT_EQ(attachment_at("n2", "spec.nodeName"), "(gone)");
  EXPECT_TRUE(world_.has_event("second",
                               "Warning FailedAttachVolume: Waiting for detach for volume \"v\" "
                               "Volume is already used by pod(s) web"));
  delete_pod("web");
  EXPECT_EQ(attachment_at("n2", "spec.nodeName"), "(gone)");
  set_in_use("n1", "");
  EXPECT_EQ(attachment_at("n1", "spec.nodeName"), "(gone)");
  EXPECT_EQ(attachment_at("n2", "spec.nodeName"), "n2");
}

TEST_F(AttachDetachTest, RecordsEachBlockedAttach) {
  attach_to_n1();
  delete_pod("web");
  for (const char* name : {"second", "third"}) {
    world_.create(TestPod{.name = name, .node = "n2"});
    world_.settle();
    EXPECT_TRUE(world_.has_event(
        name,
        "Warning FailedAttachVolume: Waiting for detach for volume \"v\" Volume is already "
        "exclusively attached to one node, waiting on detach before it can be attached to another "
        "node"));
    delete_pod(name);
  }
}

TEST_F(AttachDetachTest, ASickNodeLosesItAfterSixMinutes) {
  attach_to_n1();
  set_ready("n1", false);
  delete_pod("web");
  world_.pass(std::chrono::minutes(5));
  EXPECT_EQ(attachment_at("n1", "spec.nodeName"), "n1");
  world_.pass(std::chrono::minutes(2));
  EXPECT_EQ(attachment_at("n1", "spec.nodeName"), "(gone)");
  EXPECT_EQ(told("n1"), "");
}

TEST_F(AttachDetachTest, ANodeThatIsOutOfServiceLosesItAtOnce) {
  attach_to_n1();
  set_ready("n1", false);
  delete_pod("web");
  EXPECT_EQ(attachment_at("n1", "spec.nodeName"), "n1");
  world_.patch("", "nodes", "", "n1",
               R"({"spec":{"taints":[{"key":"node.kubernetes.io/out-of-service",)"
               R"("value":"nodeshutdown","effect":"NoExecute"}]}})");
  world_.settle();
  EXPECT_EQ(attachment_at("n1", "spec.nodeName"), "(gone)");
}

TEST_F(AttachDetachTest, APodThatComesBackKeepsIt) {
  attach_to_n1();
  delete_pod("web");
  world_.create(TestPod{.name = "again", .node = "n1"});
  world_.settle();
  set_in_use("n1", "");
  EXPECT_EQ(attachment_at("n1", "spec.nodeName"), "n1");
  EXPECT_NE(told("n1"), "");
}

TEST_F(AttachDetachTest, IgnoresForeignAttachments) {
  world_.create("storage.k8s.io", "volumeattachments", "",
                R"({"metadata":{"name":"by-hand"},"spec":{"attacher":"gold.io","nodeName":"n1",)"
                R"("source":{"persistentVolumeName":"v"}}})");
  world_.settle();
  world_.pass(std::chrono::minutes(10));
  EXPECT_EQ(world_.at("storage.k8s.io", "volumeattachments", "", "by-hand", "spec.nodeName"), "n1");
  EXPECT_EQ(told("n1"), "");
}

}  // namespace
}  // namespace proa::controllers
