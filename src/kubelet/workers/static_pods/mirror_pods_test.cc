#include "kubelet/workers/static_pods/mirror_pods.h"

#include <gtest/gtest.h>

#include "kubelet/workers/static_pods/manifest.h"
#include "testkit/controllers/test_world.h"

namespace proa::kubelet {
namespace {

class MirrorPods : public testing::Test {
 protected:
  MirrorPods() : world_(std::vector<controllers::ControllerEntry>{}) {
    if (world_.get("", "namespaces", "", "default") == nullptr)
      world_.create("", "namespaces", "", R"({"metadata":{"name":"default"}})");
    node_ = world_.create("", "nodes", "", R"({"metadata":{"name":"n"}})");
  }
  static PodPtr read(const std::string& image) {
    const ManifestReader reader(api::NodeName("n"));
    return *reader.read(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},)"
                        R"("spec":{"containers":[{"name":"c","image":")" +
                            image + R"("}]}})",
                        "/a", Time{});
  }
  PodPtr mirror() {
    const api::ObjectPtr object = world_.get("", "pods", "default", "a-n");
    return object == nullptr ? nullptr : *Pod::read(object, Pod::Source::kApi);
  }
  void reconcile(const PodPtr& pod, const PodPtr& known) {
    const auto done =
        reconcile_mirror({world_.client(), world_.clock()}, pods(), *pod, known.get(), *node_);
    EXPECT_TRUE(done.ok()) << done.status().message();
  }
  const api::Resource& pods() { return *world_.place("", "pods", "", "").resource; }

  testkit::TestWorld world_;
  api::ObjectPtr node_;
};

TEST_F(MirrorPods, AreMadeAndBelongToTheNode) {
  const PodPtr pod = read("one");
  reconcile(pod, nullptr);
  const PodPtr made = mirror();
  ASSERT_NE(made, nullptr);
  EXPECT_TRUE(made->is_mirror());
  EXPECT_EQ(made->metadata()["annotations"]["kubernetes.io/config.mirror"].text(), pod->uid());
  EXPECT_NE(made->uid(), pod->uid());
  ASSERT_EQ(made->object()->metadata().owners.size(), 1u);
  EXPECT_EQ(made->object()->metadata().owners[0].uid, node_->metadata().uid);
  EXPECT_TRUE(made->object()->metadata().owners[0].controller);
  // It is right: left alone, also by who does not know of it yet.
  reconcile(pod, made);
  reconcile(pod, nullptr);
  EXPECT_EQ(mirror()->uid(), made->uid());
}

TEST_F(MirrorPods, AreReplacedWhenTheyMirrorSomethingElse) {
  reconcile(read("one"), nullptr);
  const PodPtr old = mirror();
  const PodPtr changed = read("two");
  reconcile(changed, old);
  EXPECT_NE(mirror()->uid(), old->uid());
  EXPECT_EQ(mirror()->spec()["containers"].item(0)["image"].text(), "two");
}

TEST_F(MirrorPods, AreMadeAnewWhenSomebodyDeletesThem) {
  const PodPtr pod = read("one");
  reconcile(pod, nullptr);
  const PodPtr first = mirror();
  world_.client()
      .remove(world_.place("", "pods", "default", "a-n"), {.grace_seconds = 30}, {})
      .value();
  reconcile(pod, mirror());
  ASSERT_NE(mirror(), nullptr);
  EXPECT_NE(mirror()->uid(), first->uid());
  EXPECT_FALSE(mirror()->deleted_at());
}

TEST_F(MirrorPods, AreTakenAwayButNotThoseThatCameAfter) {
  const PodPtr pod = read("one");
  reconcile(pod, nullptr);
  const PodPtr first = mirror();
  EXPECT_TRUE(remove_mirror({world_.client(), world_.clock()}, pods(), *first).ok());
  EXPECT_EQ(mirror(), nullptr);
  reconcile(pod, nullptr);
  EXPECT_TRUE(remove_mirror({world_.client(), world_.clock()}, pods(), *first).ok());
  EXPECT_NE(mirror(), nullptr);
}

}  // namespace
}  // namespace proa::kubelet
