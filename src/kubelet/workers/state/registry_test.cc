#include "kubelet/workers/state/registry.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

using Uids = std::vector<api::Uid>;

constexpr api::UidView kFirst("1");
constexpr api::UidView kSecond("2");

PodPtr pod(const std::string& name, const std::string& uid, Pod::Source source = Pod::Source::kApi,
           const std::string& more = {}) {
  return *Pod::read(api::Object::make(R"({"metadata":{"namespace":"d","name":")" + name +
                                      R"(","uid":")" + uid + "\"" + more + "}}"),
                    source);
}
PodPtr static_pod(const std::string& name, const std::string& uid) {
  return pod(name, uid, Pod::Source::kFile);
}
PodPtr deleted(const std::string& name, const std::string& uid) {
  return pod(name, uid, Pod::Source::kApi, R"(,"deletionTimestamp":"2026-01-02T15:04:35Z")");
}
cri::RuntimePod running(const std::string& sandbox, const std::string& container,
                        cri::ContainerState state) {
  return {.sandboxes = {{.id = sandbox, .state = cri::SandboxState::kReady}},
          .containers = {{.id = container, .state = state}}};
}

TEST(Registry, ForgetsOnlyWhoIsGone) {
  Registry registry;
  registry.put(pod("web", "1"));
  EXPECT_EQ(registry.forget(kFirst), Uids());
  EXPECT_NE(registry.get(kFirst).pod, nullptr);
  EXPECT_EQ(registry.find({"d", "web"})->uid(), "1");
  registry.drop(pod("web", "1"));
  EXPECT_TRUE(registry.get(kFirst).gone);
  EXPECT_EQ(registry.find({"d", "web"}), nullptr);
  EXPECT_TRUE(registry.pods().empty());
  registry.forget(kFirst);
  EXPECT_EQ(registry.get(kFirst).pod, nullptr);
  registry.drop(pod("web", "1"));
  EXPECT_EQ(registry.get(kFirst).pod, nullptr)
      << "one that was never here does not come by leaving";
}

TEST(Registry, CallsOffWhatWouldStartAPodThatShallGo) {
  Registry registry;
  registry.put(pod("a", "1"));
  registry.put(pod("b", "2"));
  const auto first = registry.get(kFirst).memory;
  const auto second = registry.get(kSecond).memory;
  registry.put(pod("a", "1"));
  EXPECT_FALSE(first->leaving.stop_requested());
  registry.put(deleted("a", "1"));
  EXPECT_TRUE(first->leaving.stop_requested());
  EXPECT_FALSE(second->leaving.stop_requested());
  registry.drop(pod("b", "2"));
  EXPECT_TRUE(second->leaving.stop_requested());
}

TEST(Registry, GivesOneThatReturnsAnotherMemory) {
  Registry registry;
  registry.put(static_pod("web", "1"));
  const auto memory = registry.get(kFirst).memory;
  registry.drop(static_pod("web", "1"));
  registry.put(static_pod("web", "1"));
  EXPECT_TRUE(registry.get(kFirst).returned);
  EXPECT_EQ(registry.get(kFirst).memory, memory) << "it must go first";
  EXPECT_EQ(registry.forget(kFirst), Uids({api::Uid(kFirst)}));
  EXPECT_FALSE(registry.get(kFirst).returned);
  EXPECT_NE(registry.get(kFirst).memory, memory);
  EXPECT_FALSE(registry.get(kFirst).memory->leaving.stop_requested());
}

TEST(Registry, HasStaticPodsOfOneNameWaitForEachOther) {
  Registry registry;
  registry.put(static_pod("web", "1"));
  registry.put(static_pod("other", "3"));
  EXPECT_FALSE(registry.must_wait(*static_pod("web", "2")));
  registry.drop(static_pod("web", "1"));
  registry.put(static_pod("web", "2"));
  EXPECT_TRUE(registry.must_wait(*static_pod("web", "2")));
  EXPECT_FALSE(registry.must_wait(*static_pod("other", "3")));
  EXPECT_FALSE(registry.must_wait(*pod("web", "4")));
  EXPECT_EQ(registry.forget(kFirst), Uids({api::Uid(kSecond)}));
  EXPECT_FALSE(registry.must_wait(*static_pod("web", "2")));
}

TEST(Registry, CountsThoseThatUseTheNode) {
  Registry registry;
  registry.put(pod("a", "1"));
  registry.put(pod("b", "2"));
  EXPECT_TRUE(registry.admitted().empty());
  registry.admit(kFirst);
  registry.admit(kSecond);
  EXPECT_EQ(registry.admitted().size(), 2U);
  EXPECT_EQ(registry.admitted(kFirst).size(), 1U);
  registry.drop(pod("a", "1"));
  EXPECT_EQ(registry.admitted().size(), 2U) << "it is still there";
  registry.get(kFirst).memory->stage = Stage::kTerminated;
  EXPECT_EQ(registry.admitted().size(), 1U);
}

// The scheduler places the next pod as soon as it reads the final phase, while sandbox, volumes and
// cgroup of the ended one are still being removed.
TEST(Registry, DoesNotCountWhatTheStatusCallsEnded) {
  Registry registry;
  registry.put(pod("a", "1"));
  registry.admit(kFirst);
  registry.seen(kFirst, running("s", "c", cri::ContainerState::kRunning));
  registry.get(kFirst).memory->stage = Stage::kTerminating;
  registry.get(kFirst).memory->final_phase = true;
  EXPECT_EQ(registry.admitted().size(), 1U) << "the phase is not written while a container runs";
  registry.seen(kFirst, running("s", "c", cri::ContainerState::kExited));
  EXPECT_TRUE(registry.admitted().empty());
}

TEST(Registry, DoesNotCountThoseThatEndedUnderAPreviousKubelet) {
  Registry registry;
  registry.put(*Pod::read(
      api::Object::make(R"({"metadata":{"namespace":"d","name":"a","uid":"1"},)"
                        R"("status":{"phase":"Failed","startTime":"2026-01-02T15:04:35Z"}})"),
      Pod::Source::kApi));
  registry.admit(kFirst);
  EXPECT_TRUE(registry.admitted().empty());
}

TEST(Registry, KnowsWhoseThingsAre) {
  Registry registry;
  registry.made(kFirst, "s");
  EXPECT_EQ(registry.owner("s"), "1");
  EXPECT_FALSE(registry.is_known("s", state_number(cri::SandboxState::kReady)));
  registry.seen(kFirst, running("s", "c", cri::ContainerState::kRunning));
  EXPECT_TRUE(registry.is_known("s", state_number(cri::SandboxState::kReady)));
  EXPECT_TRUE(registry.is_known("c", state_number(cri::ContainerState::kRunning)));
  EXPECT_FALSE(registry.is_known("c", state_number(cri::ContainerState::kExited)));
  EXPECT_TRUE(registry.may_run(kFirst));
  registry.seen(kFirst, running("s", "c", cri::ContainerState::kExited));
  EXPECT_FALSE(registry.may_run(kFirst));
  EXPECT_EQ(registry.missing({"s", "c"}), Uids());
  EXPECT_EQ(registry.missing({"s"}), Uids({api::Uid(kFirst)}));
  registry.seen(kFirst, {});
  EXPECT_EQ(registry.owner("c"), "") << "what is gone is forgotten";
  EXPECT_EQ(registry.missing({}), Uids());
}

TEST(Registry, KeepsTheNewestMirror) {
  Registry registry;
  registry.put_mirror(pod("web", "old"));
  registry.put_mirror(pod("web", "new"));
  registry.drop_mirror(*pod("web", "old"));
  ASSERT_NE(registry.mirror({"d", "web"}), nullptr);
  EXPECT_EQ(registry.mirror({"d", "web"})->uid(), "new");
  registry.drop_mirror(*pod("web", "new"));
  EXPECT_EQ(registry.mirror({"d", "web"}), nullptr);
}

}  // namespace
}  // namespace proa::kubelet
