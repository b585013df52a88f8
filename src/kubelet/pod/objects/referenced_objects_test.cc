#include "kubelet/pod/objects/referenced_objects.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "base/strings.h"
#include "testkit/fake_clock.h"
#include "testkit/kubelet/test_api.h"

namespace proa::kubelet {
namespace {

PodPtr pod_of(const std::string& uid, const std::string& config_map,
              Pod::Source source = Pod::Source::kApi) {
  return *Pod::read(
      api::Object::make(fmt::format(
          R"({{"metadata":{{"name":"{0}","namespace":"shop","uid":"{0}"}},"spec":{{"volumes":[{{"configMap":{{"name":"{1}"}}}}]}}}})",
          uid, config_map)),
      source);
}

struct Fixture {
  Fixture() {
    objects.on_work([this] { ++woken; });
  }
  std::string get(const std::string& name) {
    const Result<api::ObjectPtr> found = objects.get("", "configmaps", "shop", name);
    return found ? std::string((*found)->metadata().resource_version)
                 : "! " + found.status().message();
  }
  std::string told() { return join(std::exchange(uids, {}), " "); }

  testkit::FakeClock clock;
  SeededRandom random{1};
  TestApi api;
  std::vector<std::string> uids;
  int woken = 0;
  ReferencedObjects objects{api, api::builtin_schema(), clock, random,
                            [this](const std::vector<api::Uid>& pods) {
                              for (const api::Uid& uid : pods) uids.push_back(uid.str());
                            }};
};

TEST(ReferencedObjects, AnswersFromMemoryWhatIsHeld) {
  Fixture fixture;
  fixture.api.put("configmaps/shop/colors", R"("data":{"a":"1"})");
  EXPECT_EQ(fixture.get("colors"), "1");
  EXPECT_EQ(fixture.api.gets, 1);
  fixture.objects.hold(pod_of("one", "colors"));
  EXPECT_EQ(fixture.woken, 1);
  EXPECT_EQ(fixture.get("colors"), "1");  // nothing is read yet
  EXPECT_EQ(fixture.api.gets, 2);
  EXPECT_EQ(fixture.objects.poll(), Steady::max());
  EXPECT_EQ(fixture.api.opened, "configmaps/shop/colors ");
  EXPECT_EQ(fixture.get("colors"), "1");
  EXPECT_EQ(fixture.api.gets, 2);
  EXPECT_EQ(fixture.told(), "");  // the pod was given that very state
}

TEST(ReferencedObjects, TellsWhichPodsMustBeLookedAt) {
  Fixture fixture;
  fixture.objects.hold(pod_of("one", "colors"));
  fixture.objects.hold(pod_of("two", "colors"));
  fixture.objects.hold(pod_of("three", "sizes"));
  fixture.objects.poll();
  EXPECT_EQ(fixture.api.watches(), 2u);
  EXPECT_EQ(fixture.get("colors"), "! configmap \"colors\" not found");
  const int woken = fixture.woken;
  fixture.api.put("configmaps/shop/colors", R"("data":{"a":"1"})");
  EXPECT_EQ(fixture.woken, woken + 1);
  fixture.objects.poll();
  EXPECT_EQ(fixture.told(), "one two");
  EXPECT_EQ(fixture.get("colors"), "1");
  fixture.api.put("configmaps/shop/colors", R"("data":{"a":"2"})");
  fixture.objects.poll();
  EXPECT_EQ(fixture.told(), "one two");
  EXPECT_EQ(fixture.get("colors"), "2");
  fixture.api.put("configmaps/shop/colors", "");
  fixture.objects.poll();
  EXPECT_EQ(fixture.told(), "one two");
  EXPECT_EQ(fixture.get("colors"), "! configmap \"colors\" not found");
  // Nobody was given this one.
  fixture.api.put("configmaps/shop/sizes", R"("data":{"a":"2"})");
  fixture.objects.poll();
  EXPECT_EQ(fixture.told(), "");
  EXPECT_EQ(fixture.api.gets, 0);
}

TEST(ReferencedObjects, HearsOfWhatCameBetweenAskingAndFollowing) {
  Fixture fixture;
  fixture.objects.hold(pod_of("one", "colors"));
  EXPECT_EQ(fixture.get("colors"), "! configmap \"colors\" not found");
  fixture.api.put("configmaps/shop/colors", R"("data":{"a":"1"})");
  fixture.objects.poll();
  EXPECT_EQ(fixture.told(), "one");
}

TEST(ReferencedObjects, FollowsAsLongAsSomePodRefersToIt) {
  Fixture fixture;
  fixture.objects.hold(pod_of("one", "colors"));
  fixture.objects.hold(pod_of("two", "colors"));
  fixture.objects.hold(pod_of("two", "colors"));
  fixture.objects.poll();
  fixture.objects.release(api::UidView("one"));
  EXPECT_EQ(fixture.api.watches(), 1u);
  fixture.objects.hold(pod_of("two", "sizes"));  // it changed its mind
  fixture.objects.poll();
  EXPECT_EQ(fixture.api.watches(), 1u);
  EXPECT_EQ(fixture.api.opened, "configmaps/shop/colors configmaps/shop/sizes ");
  fixture.objects.release(api::UidView("two"));
  fixture.objects.release(api::UidView("two"));
  EXPECT_EQ(fixture.api.watches(), 0u);
  EXPECT_EQ(fixture.objects.size(), 0u);
}

TEST(ReferencedObjects, DoesNotFollowWhatNeverChanges) {
  Fixture fixture;
  fixture.api.put("configmaps/shop/colors", R"("immutable":true)");
  fixture.objects.hold(pod_of("one", "colors"));
  fixture.objects.poll();
  EXPECT_EQ(fixture.api.watches(), 0u);
  EXPECT_EQ(fixture.get("colors"), "1");
  EXPECT_EQ(fixture.objects.poll(), Steady::max());
  EXPECT_EQ(fixture.api.gets, 0);
}

TEST(ReferencedObjects, LeavesStaticPodsAlone) {
  Fixture fixture;
  fixture.objects.hold(pod_of("one", "colors", Pod::Source::kFile));
  EXPECT_EQ(fixture.objects.size(), 0u);
}

TEST(ReferencedObjects, AsksForEverythingElse) {
  Fixture fixture;
  EXPECT_TRUE(fixture.objects.get("", "persistentvolumes", "", "x").is(Reason::kNotFound));
  EXPECT_EQ(fixture.api.gets, 1);
  EXPECT_TRUE(fixture.objects.get("", "nonsense", "", "x").is(Reason::kNotFound));
  EXPECT_EQ(fixture.api.gets, 1);
}

}  // namespace
}  // namespace proa::kubelet
