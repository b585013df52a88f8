#include "kubelet/workers/pod_worker.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/strings.h"
#include "testkit/kubelet/worker/worker_world.h"
#include "testkit/patience.h"

namespace proa::kubelet {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;
using testkit::WorkerWorld;

const std::string kOne = R"({"containers":[{"name":"a","image":"i"}]})";
const std::string kTwo = R"({"containers":[{"name":"a","image":"i"},{"name":"b","image":"i"}]})";
const std::string kNever = R"({"restartPolicy":"Never","containers":[{"name":"a","image":"i"}]})";

bool contains(const Lines& lines, std::string_view line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

class PodWorkerTest : public testing::Test {
 protected:
  void finish(const std::string& container, int exit_code) {
    world.fake.finish(world.fake.newest(container), exit_code);
    world.work();
  }
  Lines events() {
    Lines told = world.events.take();
    for (std::string& line : told) {
      const size_t part = line.find("spec.containers{");
      if (part != std::string::npos) line.erase(part, line.find('}') - part + 2);
    }
    return told;
  }

  WorkerWorld world;
};

TEST_F(PodWorkerTest, BringsAPodUp) {
  world.put("web", kTwo);
  world.work();
  EXPECT_EQ(world.done(), Lines({"make_cgroup web-uid", "mount web-uid", "run_sandbox web",
                                 "create_container a", "start_container a", "create_container b",
                                 "start_container b", "Running web-uid"}));
  EXPECT_EQ(world.state("web", "a"), "running");
  EXPECT_EQ(world.prober.followed[world.uid_of("web")], (std::set<std::string>{"a", "b"}));
  EXPECT_EQ(events(),
            Lines({"Normal Created Container created", "Normal Started Container started",
                   "Normal Created Container created", "Normal Started Container started"}));
  world.look(world.uid_of("web"));
  world.work();
  EXPECT_EQ(world.done(), Lines()) << "it is as it should be";
}

TEST_F(PodWorkerTest, SharesProcessorsAnewWhenPodsComeAndGo) {
  world.put("web", kOne);
  world.work();
  EXPECT_EQ(world.cgroups.balanced, 1U);
  world.remove("web", 20);
  world.work();
  EXPECT_EQ(world.cgroups.balanced, 0U);
}

TEST_F(PodWorkerTest, TakesADeletedPodAwayInOrder) {
  world.put("web", kTwo);
  world.work();
  world.done();
  world.remove("web", 20);
  world.work();
  EXPECT_EQ(world.done(), Lines({"stop_container b 20s", "stop_container a 20s", "stop_sandbox web",
                                 "Failed web-uid", "unmount web-uid", "remove_cgroup web-uid",
                                 "remove_container b", "remove_container a", "remove_sandbox web",
                                 "finish web-uid"}));
  EXPECT_EQ(world.leftovers(), Lines());
  world.drop(world.uid_of("web"));
  world.work();
  EXPECT_EQ(world.done(), Lines());
  EXPECT_EQ(world.registry().get(world.uid_of("web")).pod, nullptr);
  EXPECT_EQ(world.statuses.size(), 0U);
}

TEST_F(PodWorkerTest, TakesAPodAwayThatVanished) {
  world.put("web", kOne);
  world.work();
  world.done();
  world.drop(world.uid_of("web"));
  world.work();
  EXPECT_EQ(world.done(),
            Lines({"stop_container a 30s", "stop_sandbox web", "unmount web-uid",
                   "remove_cgroup web-uid", "remove_container a", "remove_sandbox web"}));
  EXPECT_EQ(world.leftovers(), Lines());
  EXPECT_EQ(world.statuses.size(), 0U);
}

TEST_F(PodWorkerTest, NeverBeginsWithAPodThatWasDeletedBefore) {
  world.put("web", kOne);
  world.remove("web");
  world.work();
  EXPECT_EQ(world.done(), Lines({"Failed web-uid", "finish web-uid"}));
}

TEST_F(PodWorkerTest, StartsAnewByPolicyAndLaterEachTime) {
  world.put("web", kOne);
  world.work();
  finish("a", 1);
  EXPECT_EQ(world.running("a"), 1U) << "the first time at once";
  for (const Duration wait : {10s, 20s, 40s}) {
    finish("a", 1);
    EXPECT_EQ(world.state("web", "a"), "waiting: CrashLoopBackOff");
    world.advance(wait - 1s);
    EXPECT_EQ(world.running("a"), 0U);
    world.advance(2s);
    EXPECT_EQ(world.running("a"), 1U);
  }
  EXPECT_EQ(world.fake.containers({}, {})->size(), 2U) << "one that ended is kept";
  EXPECT_EQ(world.phase("web"), "Running");
}

TEST_F(PodWorkerTest, EndsWithItsContainersWhenTheyNeverRestart) {
  world.put("web", kNever);
  world.work();
  world.done();
  finish("a", 0);
  EXPECT_EQ(world.done(), Lines({"stop_sandbox web", "Succeeded web-uid", "unmount web-uid",
                                 "remove_cgroup web-uid"}));
  EXPECT_EQ(world.fake.containers({}, {})->size(), 1U) << "its log can still be read";
  world.remove("web");
  world.work();
  EXPECT_EQ(world.done(), Lines({"stop_sandbox web", "remove_container a", "remove_sandbox web",
                                 "finish web-uid"}));
}

TEST_F(PodWorkerTest, RunsInitContainersFirst) {
  world.put("web", R"({"initContainers":[{"name":"i","image":"i"},{"name":"j","image":"i"}],
                       "containers":[{"name":"a","image":"i"}]})");
  world.work();
  EXPECT_EQ(world.running("i"), 1U);
  EXPECT_EQ(world.state("web", "a"), "waiting: PodInitializing");
  world.done();
  finish("i", 0);
  finish("j", 0);
  EXPECT_EQ(world.done(), Lines({"create_container j", "start_container j", "create_container a",
                                 "start_container a", "Running web-uid"}));
}

TEST_F(PodWorkerTest, StopsSidecarsLastAndInReverse) {
  world.put("web", R"({"initContainers":[{"name":"s","image":"i","restartPolicy":"Always"},
                                         {"name":"t","image":"i","restartPolicy":"Always"}],
                       "containers":[{"name":"a","image":"i"}]})");
  world.work();
  EXPECT_EQ(world.running("s") + world.running("t") + world.running("a"), 3U);
  world.done();
  world.remove("web", 30);
  world.work();
  const Lines done = world.done();
  ASSERT_GE(done.size(), 3U);
  EXPECT_EQ(Lines(done.begin(), done.begin() + 4),
            Lines({"stop_container a 30s", "stop_container t 30s", "stop_container s 30s",
                   "stop_sandbox web"}));
}

TEST_F(PodWorkerTest, RunsTheHandlersOfAllBeforeTheFirstIsStopped) {
  world.put("web", R"({"initContainers":[{"name":"s","image":"i","restartPolicy":"Always",
                         "lifecycle":{"preStop":{"exec":{"command":["bye"]}}}}],
                       "containers":[{"name":"a","image":"i"}]})");
  world.work();
  world.done();
  world.remove("web", 30);
  world.work();
  const Lines done = world.done();
  ASSERT_GE(done.size(), 3U);
  EXPECT_EQ(Lines(done.begin(), done.begin() + 3),
            Lines({"exec s bye", "stop_container a 30s", "stop_container s 30s"}));
  EXPECT_EQ(world.leftovers(), Lines());
}

TEST_F(PodWorkerTest, BeginsAnewWithAnotherImageWhateverThePolicy) {
  world.put("web", kNever);
  world.work();
  world.done();
  world.put("web", R"({"restartPolicy":"Never","containers":[{"name":"a","image":"j"}]})");
  world.work();
  EXPECT_EQ(world.running("a"), 1U);
  EXPECT_EQ(world.phase("web"), "Running");
  EXPECT_EQ(world.done(),
            Lines({"stop_container a 30s", "create_container a", "start_container a"}));
}

TEST_F(PodWorkerTest, TellsWhyAPodIsRefused) {
  world.put("big", R"({"containers":[{"name":"a","image":"i",
                       "resources":{"requests":{"cpu":"5"}}}]})");
  world.work();
  EXPECT_EQ(world.done(), Lines({"Failed big-uid"}));
  EXPECT_EQ(events(), Lines({"Warning OutOfcpu Node didn't have enough resource: cpu, requested: "
                             "5000, used: 0, capacity: 4000"}));
  world.look(world.uid_of("big"));
  world.work();
  EXPECT_EQ(events(), Lines()) << "that is decided once";
  world.remove("big");
  world.work();
  EXPECT_EQ(world.done(), Lines({"finish big-uid"}));
}

TEST_F(PodWorkerTest, JudgesNoPodBeforeTheNodeIsKnown) {
  const api::ObjectPtr node = std::exchange(world.node.object, nullptr);
  world.put("big", R"({"containers":[{"name":"a","image":"i",
                       "resources":{"requests":{"cpu":"5"}}}]})");
  world.put_static("own", kOne, "file");
  world.work();
  EXPECT_EQ(world.phase("big"), "");
  EXPECT_EQ(world.statuses.phase(api::UidView("file")), "Running");
  world.node.object = node;
  world.look(world.uid_of("big"));
  world.work();
  EXPECT_EQ(world.phase("big"), "Failed");
}

TEST_F(PodWorkerTest, CountsPodsThatAKubeletBeforeItTook) {
  const std::string half =
      R"({"containers":[{"name":"a","image":"i","resources":{"requests":{"cpu":"3"}}}]})";
  world.put("z-old", half, {}, R"(,"status":{"startTime":"2026-01-01T00:00:00Z"})");
  world.put("new", half);
  world.registry();
  world.work();
  EXPECT_EQ(world.phase("new"), "Failed");
  EXPECT_EQ(world.phase("z-old"), "Running");
}

TEST_F(PodWorkerTest, EndsAPodThatTakesTooLong) {
  world.put("web", R"({"activeDeadlineSeconds":60,"containers":[{"name":"a","image":"i"}]})");
  world.work();
  world.done();
  world.advance(59s);
  EXPECT_EQ(world.done(), Lines());
  world.advance(1s);
  EXPECT_EQ(world.done(), Lines({"stop_container a 30s", "Failed web-uid", "stop_sandbox web",
                                 "unmount web-uid", "remove_cgroup web-uid"}));
  EXPECT_TRUE(contains(events(),
                       "Normal DeadlineExceeded Pod was active on the node longer than the "
                       "specified deadline"));
}

TEST_F(PodWorkerTest, WaitsForANetwork) {
  world.node.has_network = false;
  world.put("web", kOne);
  world.put("host", R"({"hostNetwork":true,"containers":[{"name":"h","image":"i"}]})");
  world.work();
  EXPECT_EQ(world.phase("web"), "Pending");
  EXPECT_EQ(world.phase("host"), "Running");
  world.node.has_network = true;
  world.look(world.uid_of("web"));
  world.work();
  EXPECT_EQ(world.phase("web"), "Running");
}

TEST_F(PodWorkerTest, MakesASandboxAnewThatDied) {
  world.put("web", kOne);
  world.work();
  world.done();
  world.fake.kill_sandbox(world.fake.newest_sandbox("web"));
  world.work();
  EXPECT_TRUE(world.work_until([&] { return world.running("a") == 1; }));
  const Lines done = world.done();
  EXPECT_TRUE(contains(done, "run_sandbox web"));
  EXPECT_EQ(world.fake.sandboxes({}, {})->size(), 2U) << "the old one has the last log";
  EXPECT_EQ(world.most_running(), 1U);
}

TEST_F(PodWorkerTest, AdoptsWhatRunsAfterARestart) {
  world.put("web", kTwo);
  world.work();
  world.done();
  world.restart_kubelet();
  world.work();
  EXPECT_EQ(world.done(), Lines());
  EXPECT_EQ(world.phase("web"), "Running");
}

TEST_F(PodWorkerTest, NeverRunsTwoAfterAStartThatNobodySaw) {
  world.fake.fail_next("start_container", Status(Reason::kTimeout, "late"));
  world.put("web", kOne);
  world.work();
  EXPECT_EQ(world.state("web", "a"), "waiting: RunContainerError");
  world.restart_kubelet();
  world.work();
  EXPECT_EQ(world.running("a"), 1U);
  EXPECT_EQ(world.fake.containers({}, {})->size(), 1U) << "the one that was only made is gone";
}

TEST_F(PodWorkerTest, TriesAgainToStopWhatCouldNotBeStopped) {
  world.put("web", kOne);
  world.work();
  world.done();
  for (int i = 0; i < 3; ++i) {
    world.fake.fail_next("stop_container", Status(Reason::kInternalError, "busy"));
  }
  world.remove("web");
  world.work();
  EXPECT_EQ(world.done(), Lines({"stop_container a 30s"})) << "not at once, again and again";
  EXPECT_TRUE(world.work_until([&] { return world.leftovers().empty(); }));
}

// A runtime that was killed while it ended them may have left them so.
TEST_F(PodWorkerTest, WhoShallEndIsNotLeftFrozen) {
  world.put("web", kOne);
  world.put("stays", kOne);
  world.work();
  EXPECT_TRUE(world.cgroups.thawed.empty());
  world.remove("web");
  world.work();
  EXPECT_EQ(world.cgroups.thawed, std::set{world.uid_of("web")});
}

TEST_F(PodWorkerTest, PublishesWhyAnImageIsMissing) {
  world.images.states["a"] = {.kind = ImageState::Kind::kFailed,
                              .reason = "ErrImagePull",
                              .message = "no such image",
                              .again = world.clock.steady() + 10s};
  world.put("web", kTwo);
  world.work();
  EXPECT_EQ(world.state("web", "a"), "waiting: ErrImagePull");
  EXPECT_EQ(world.state("web", "b"), "running") << "others don't wait for it";
  world.images.states.clear();
  world.advance(10s);
  EXPECT_EQ(world.state("web", "a"), "running");
}

TEST_F(PodWorkerTest, LetsGoOfAPullWhenThePodIsDeleted) {
  world.images.states["a"] = {.kind = ImageState::Kind::kPulling};
  world.put("web", kOne);
  world.work();
  EXPECT_EQ(world.state("web", "a"), "waiting: ContainerCreating");
  world.remove("web");
  world.work();
  EXPECT_EQ(world.leftovers(), Lines());
}

TEST_F(PodWorkerTest, CallsOffASandboxWhenThePodIsDeleted) {
  world.faults.during("run_sandbox", [&] { world.remove("web"); });
  world.put("web", kOne);
  world.work();
  EXPECT_EQ(world.done(), Lines({"make_cgroup web-uid", "mount web-uid", "Failed web-uid",
                                 "unmount web-uid", "remove_cgroup web-uid", "finish web-uid"}));
  EXPECT_EQ(events(), Lines()) << "nothing failed";
}

TEST_F(PodWorkerTest, CallsOffAStartWhenThePodIsDeleted) {
  world.faults.during("start_container", [&] { world.remove("web"); });
  world.put("web", kTwo);
  world.work();
  EXPECT_FALSE(contains(world.done(), "create_container b"));
  EXPECT_EQ(world.leftovers(), Lines());
}

TEST_F(PodWorkerTest, EvictsWhoFillsItsVolume) {
  world.put("web", R"({"volumes":[{"name":"v","emptyDir":{"sizeLimit":"1Mi"}}],
                       "containers":[{"name":"a","image":"i"}]})");
  world.work();
  world.volumes.exceeded = "Usage of EmptyDir volume \"v\" exceeds the limit \"1Mi\". ";
  world.advance(30s);
  EXPECT_EQ(world.phase("web"), "Failed");
  EXPECT_EQ(world.running("a"), 0U);
}

TEST_F(PodWorkerTest, RemovesWhatNobodyKnows) {
  world.put("web",
            R"({"terminationGracePeriodSeconds":7,"containers":[{"name":"a","image":"i"}]})");
  world.work();
  world.done();
  world.restart_kubelet();
  world.drop(world.uid_of("web"));
  world.restart_kubelet();
  world.look(world.uid_of("web"));
  world.work();
  EXPECT_EQ(world.done(),
            Lines({"stop_container a 7s", "remove_container a", "stop_sandbox web",
                   "remove_sandbox web", "unmount web-uid", "remove_cgroup web-uid"}));
  EXPECT_EQ(*world.files.list(world.paths.logs()), Lines());
}

// A file that changes is another pod of the same name: one after the other.
TEST_F(PodWorkerTest, ReplacesAStaticPodOnceTheOldOneIsGone) {
  const std::string ports =
      R"({"containers":[{"name":"a","image":"i","ports":[{"hostPort":80}]}]})";
  world.put_static("web", ports, "one");
  world.work();
  world.done();
  world.fake.fail_next("stop_container", Status(Reason::kInternalError, "busy"));
  world.drop(api::Uid("one"));
  world.put_static("web", ports, "two");
  world.work();
  EXPECT_EQ(world.done(), Lines({"stop_container a 30s"})) << "the new one waits";
  world.advance(5s);
  const Lines done = world.done();
  const auto end = std::find(done.begin(), done.end(), "remove_sandbox web");
  const auto begin = std::find(done.begin(), done.end(), "make_cgroup two");
  EXPECT_LT(end, begin);
  EXPECT_EQ(world.statuses.phase(api::UidView("two")), "Running");
  EXPECT_EQ(world.most_running(), 1U);
}

TEST_F(PodWorkerTest, BeginsAnewWithAFileThatCameBack) {
  world.put_static("web", kOne, "one");
  world.work();
  world.done();
  world.drop(api::Uid("one"));
  world.put_static("web", kOne, "one");
  world.work();
  const Lines done = world.done();
  EXPECT_TRUE(contains(done, "stop_container a 30s"));
  EXPECT_TRUE(contains(done, "run_sandbox web"));
  EXPECT_EQ(world.running("a"), 1U);
  EXPECT_EQ(world.statuses.phase(api::UidView("one")), "Running");
  EXPECT_FALSE(world.prober.without_liveness.contains(api::UidView("one")));
}

TEST_F(PodWorkerTest, RunsAPodOfTheSameNameBesideTheOldOne) {
  world.put("web", kOne);
  world.work();
  world.drop(world.uid_of("web"));
  world.registry().put(*Pod::read(
      api::Object::make(R"({"metadata":{"name":"web","namespace":"d","uid":"other"},"spec":)" +
                        kNever + "}"),
      Pod::Source::kApi));
  world.look(api::UidView("other"));
  world.work();
  EXPECT_EQ(world.statuses.phase(api::UidView("other")), "Running");
  EXPECT_EQ(world.fake.sandboxes({}, {})->size(), 1U);
}

const std::string kHook = R"({"containers":[
    {"name":"a","image":"i","lifecycle":{"postStart":{"exec":{"command":["hook"]}}}},
    {"name":"b","image":"i"}]})";

TEST_F(PodWorkerTest, StopsAContainerWhosePostStartFails) {
  world.fake.answer_exec("hook", {.exit_code = 1});
  world.put("web", kHook);
  world.work();
  EXPECT_EQ(world.running("a"), 0U);
  EXPECT_EQ(world.running("b"), 1U);
  EXPECT_TRUE(contains(events(), "Warning FailedPostStartHook PostStartHook failed"));
  EXPECT_EQ(world.state("web", "a"), "waiting: CrashLoopBackOff");
}

// With threads for handlers, and one that sleeps until the clock moves.
class BlockingHookTest : public testing::Test {
 protected:
  BlockingHookTest() : world({.waiting_threads = 4}) {
    world.put("web", R"({"containers":[
        {"name":"a","image":"i","lifecycle":{"postStart":{"sleep":{"seconds":600}}}},
        {"name":"b","image":"i"}]})");
    world.work();
    world.clock.await_waiters(1);
  }
  void await(const std::function<bool()>& done) {
    EXPECT_TRUE(testkit::holds_within(5s, [&] {
      world.work();
      return done();
    }));
  }

  WorkerWorld world;
};

TEST_F(BlockingHookTest, HoldsUpOnlyWhatComesAfterIt) {
  EXPECT_EQ(world.running("a"), 1U);
  EXPECT_EQ(world.running("b"), 0U);
  EXPECT_EQ(world.state("web", "a"), "waiting: ContainerCreating") << "it does not run officially";
  EXPECT_TRUE(world.prober.followed[world.uid_of("web")].empty());
  world.put("other", kNever);
  world.work();
  EXPECT_EQ(world.phase("other"), "Running");
  world.clock.advance(600s);
  await([&] { return world.running("b") == 1; });
  EXPECT_EQ(world.state("web", "a"), "running");
}

TEST_F(BlockingHookTest, EndsWithItsContainer) {
  world.fake.finish(world.fake.newest("a"), 1);
  await([&] { return world.running("a") == 1; });
}

TEST_F(BlockingHookTest, EndsWithThePod) {
  world.remove("web");
  await([&] { return world.leftovers().empty(); });
  EXPECT_TRUE(contains(world.done(), "finish web-uid"));
}

}  // namespace
}  // namespace proa::kubelet
