#include "kubelet/workers/sync/resizer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "json/print.h"
#include "kubelet/model/status_fields.h"
#include "testkit/kubelet/worker/worker_world.h"

namespace proa::kubelet {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using testkit::WorkerWorld;

const std::string kRestarts = R"(,"resizePolicy":[{"resourceName":"memory","restartPolicy":)"
                              R"("RestartContainer"}])";

// One with so much of both, requested and at most.
std::string container(const std::string& name, const std::string& cpu, const std::string& memory,
                      const std::string& more = {}) {
  const std::string amounts = R"({"cpu":")" + cpu + R"(","memory":")" + memory + R"("})";
  return R"({"name":")" + name + R"(","image":"i","resources":{"requests":)" + amounts +
         R"(,"limits":)" + amounts + "}" + more + "}";
}
std::string spec_of(const std::string& containers, const std::string& more = {}) {
  return R"({"containers":[)" + containers + "]" + more + "}";
}

class ResizeTest : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& spec, int64_t generation) {
    world.put(name, spec, fmt::format(R"(,"generation":{})", generation));
    world.work();
  }
  // As the API has it, with the status that was written last.
  void put_with_status(const std::string& name, const std::string& spec, int64_t generation) {
    world.put(name, spec, fmt::format(R"(,"generation":{})", generation),
              R"(,"status":)" + json::print(world.statuses.last(world.uid_of(name))->root()));
  }
  api::View status(const std::string& name) {
    held_ = world.statuses.last(world.uid_of(name));
    return held_->root();
  }
  api::View of_container(const std::string& pod, const std::string& name) {
    return find_container_status(status(pod)["containerStatuses"], name);
  }
  // "Deferred 3: why", "Error 2: why", " 2: "; empty without such a condition.
  std::string condition(const std::string& pod, const std::string& type) {
    const api::View found = find_condition(status(pod), type);
    if (!found) return {};
    return fmt::format("{} {}: {}", found["reason"].text(), found["observedGeneration"].integer(),
                       found["message"].text());
  }
  // Those about resizes, without what follows the colon.
  Lines events() {
    Lines found;
    for (const std::string& line : world.events.take()) {
      if (line.find(" Resize") != std::string::npos)
        found.push_back(line.substr(0, line.find(": {")));
    }
    return found;
  }
  std::string text(api::View view) { return view ? json::print(*view.value()) : ""; }

  WorkerWorld world;

 private:
  std::shared_ptr<const json::Document> held_;
};

TEST_F(ResizeTest, GrowsThePodBeforeItsContainers) {
  put("web", spec_of(container("a", "100m", "1Mi")), 1);
  world.done();
  put("web", spec_of(container("a", "200m", "2Mi")), 2);
  EXPECT_EQ(world.done(),
            Lines({"raise_cgroup web-uid", "update_resources a", "update_resources a"}))
      << "memory, then processors";
  EXPECT_EQ(events(), Lines({"Normal ResizeStarted Pod resize started",
                             "Normal ResizeCompleted Pod resize completed"}));
  EXPECT_EQ(condition("web", "PodResizeInProgress"), "");
  EXPECT_EQ(text(of_container("web", "a")["resources"]),
            R"({"requests":{"cpu":"200m","memory":"2Mi"},"limits":{"cpu":"200m","memory":"2Mi"}})");
  EXPECT_EQ(text(of_container("web", "a")["allocatedResources"]),
            R"({"cpu":"200m","memory":"2Mi"})");
  world.look(world.uid_of("web"));
  world.work();
  EXPECT_THAT(world.done(), IsEmpty());
}

TEST_F(ResizeTest, ShrinksThePodAfterItsContainers) {
  put("web", spec_of(container("a", "200m", "1Mi") + "," + container("b", "100m", "1Mi")), 1);
  world.done();
  put("web", spec_of(container("a", "50m", "1Mi") + "," + container("b", "150m", "1Mi")), 2);
  EXPECT_EQ(world.done(),
            Lines({"update_resources a", "update_resources b", "lower_cgroup web-uid"}));
}

TEST_F(ResizeTest, StartsContainersAnewWhereTheirPolicySaysSo) {
  // Whatever the restart policy of the pod: it does not fail, it is restarted.
  for (const std::string policy : {"Always", "OnFailure"}) {
    SCOPED_TRACE(policy);
    const std::string more = R"(,"restartPolicy":")" + policy + R"(")";
    put(policy, spec_of(container("a", "200m", "4Mi", kRestarts), more), 1);
    world.done();
    for (const int count : {1, 2, 3}) {
      const std::string memory = std::to_string(4 - count) + "Mi";
      put(policy, spec_of(container("a", "100m", memory, kRestarts), more), count + 1);
      EXPECT_EQ(of_container(policy, "a")["restartCount"].integer(), count);
      EXPECT_EQ(world.state(policy, "a"), "running");
      EXPECT_EQ(of_container(policy, "a")["resources"]["limits"]["memory"].text(), memory);
      EXPECT_THAT(events(), ElementsAre("Normal ResizeStarted Pod resize started",
                                        "Normal ResizeCompleted Pod resize completed"));
    }
    EXPECT_THAT(
        world.done(),
        ElementsAre("stop_container a 30s", "lower_cgroup " + policy + "-uid", "create_container a",
                    "start_container a", "stop_container a 30s", "create_container a",
                    "start_container a", "remove_container a", "stop_container a 30s",
                    "create_container a", "start_container a", "remove_container a"));
    world.remove(policy);
    world.work();
    world.done();
    world.events.take();
  }
}

TEST_F(ResizeTest, ChangesSidecarsAsOthers) {
  const auto spec = [](const std::string& cpu, const std::string& memory) {
    return spec_of(
        container("a", "100m", "1Mi"),
        R"(,"initContainers":[)" + container("plain", cpu, "1Mi", R"(,"restartPolicy":"Always")") +
            "," + container("anew", "100m", memory, R"(,"restartPolicy":"Always")" + kRestarts) +
            "]");
  };
  put("web", spec("200m", "1Mi"), 1);
  world.done();
  put("web", spec("100m", "2Mi"), 2);
  EXPECT_EQ(world.done(),
            Lines({"stop_container anew 30s", "update_resources plain", "create_container anew",
                   "start_container anew", "lower_cgroup web-uid"}));
  EXPECT_EQ(find_container_status(status("web")["initContainerStatuses"], "anew")["restartCount"]
                .integer(),
            1);
  EXPECT_EQ(condition("web", "PodResizeInProgress"), "");
}

TEST_F(ResizeTest, WaitsForRoomInUpstreamsOrder) {
  const std::string one = spec_of(container("a", "1", "1Mi"));
  const std::string three = spec_of(container("a", "3", "1Mi"));
  const std::string important = R"(,"priority":1000)";
  put("one", one, 1);
  put("two", spec_of(container("a", "1", "1Mi"), important), 1);
  put("big", spec_of(container("a", "2", "1Mi")), 1);
  events();
  put("one", three, 2);
  put("two", spec_of(container("a", "3", "1Mi"), important), 2);
  const std::string why =
      "Deferred 2: Node didn't have enough resource: cpu, requested: 3000, used: 3000, capacity: "
      "4000";
  EXPECT_EQ(condition("one", "PodResizePending"), why);
  EXPECT_EQ(condition("two", "PodResizePending"), why);
  EXPECT_EQ(events(), Lines({"Warning ResizeDeferred Pod resize OutOfcpu",
                             "Warning ResizeDeferred Pod resize OutOfcpu"}));
  EXPECT_EQ(text(of_container("one", "a")["allocatedResources"]), R"({"cpu":"1","memory":"1Mi"})");
  EXPECT_EQ(status("one")["observedGeneration"].integer(), 2);

  world.remove("big");
  world.work();
  EXPECT_EQ(condition("two", "PodResizePending"), "");
  EXPECT_EQ(of_container("two", "a")["resources"]["limits"]["cpu"].text(), "3");
  EXPECT_EQ(condition("one", "PodResizePending"), why) << "it has less priority";
  EXPECT_EQ(events(), Lines({"Normal ResizeStarted Pod resize started",
                             "Normal ResizeCompleted Pod resize completed"}));

  // Who shrinks makes room, too.
  put("two", spec_of(container("a", "500m", "1Mi"), important), 3);
  EXPECT_EQ(condition("one", "PodResizePending"), "");
  EXPECT_EQ(of_container("one", "a")["resources"]["limits"]["cpu"].text(), "3");
}

TEST_F(ResizeTest, CountsThePodAsItWasUntilItHasShrunk) {
  put("one", spec_of(container("a", "3", "8Mi")), 1);
  put("two", spec_of(container("b", "1", "1Mi")), 1);
  world.cgroups.used["one-uid"] = 6 << 20;
  put("one", spec_of(container("a", "1", "4Mi")), 2);
  put("two", spec_of(container("b", "2", "1Mi")), 2);
  EXPECT_THAT(condition("two", "PodResizePending"), HasSubstr("used: 3000"));
  world.cgroups.used.clear();
  ASSERT_TRUE(world.work_until([&] { return condition("two", "PodResizePending").empty(); }));
  EXPECT_EQ(of_container("two", "b")["resources"]["limits"]["cpu"].text(), "2");
}

TEST_F(ResizeTest, IsCalledOffByAskingForWhatThereIs) {
  put("web", spec_of(container("a", "1", "1Mi")), 1);
  put("web", spec_of(container("a", "5", "1Mi")), 2);
  EXPECT_THAT(condition("web", "PodResizePending"), StartsWith("Deferred 2: "));
  put("web", spec_of(container("a", "1", "1Mi")), 3);
  EXPECT_EQ(condition("web", "PodResizePending"), "");
  EXPECT_EQ(condition("web", "PodResizeInProgress"), "");
}

TEST_F(ResizeTest, NeverTakesMemoryThatIsInUse) {
  put("web", spec_of(container("a", "100m", "8Mi")), 1);
  world.done();
  events();
  world.cgroups.used["web-uid"] = 6 << 20;
  world.cgroups.used[world.fake.newest("a")] = 5 << 20;
  put("web", spec_of(container("a", "200m", "4Mi")), 2);
  EXPECT_THAT(world.done(), IsEmpty()) << "nothing is done by halves";
  EXPECT_EQ(condition("web", "PodResizeInProgress"),
            "Error 2: cannot decrease memory limits: [attempting to set pod memory limit (4194304) "
            "below current usage (6291456), attempting to set container \"a\" memory limit "
            "(4194304) below current usage (5242880)]");
  EXPECT_EQ(events(), Lines({"Normal ResizeStarted Pod resize started",
                             "Warning ResizeError Pod resize error"}));
  EXPECT_EQ(text(of_container("web", "a")["allocatedResources"]),
            R"({"cpu":"200m","memory":"4Mi"})");
  EXPECT_EQ(text(of_container("web", "a")["resources"]["limits"]),
            R"({"cpu":"100m","memory":"8Mi"})");
  world.cgroups.used.clear();
  ASSERT_TRUE(world.work_until([&] { return condition("web", "PodResizeInProgress").empty(); }));
  EXPECT_EQ(text(of_container("web", "a")["resources"]["limits"]),
            R"({"cpu":"200m","memory":"4Mi"})");
  EXPECT_EQ(events(), Lines({"Normal ResizeCompleted Pod resize completed"}));
}

TEST_F(ResizeTest, TellsWhatTheRuntimeRefuses) {
  put("web", spec_of(container("a", "100m", "1Mi")), 1);
  events();
  world.fake.fail_next("update_resources", Status(Reason::kInternalError, "no such thing"));
  world.put("web", spec_of(container("a", "200m", "1Mi")), R"(,"generation":2)");
  world.work_until([&] { return !condition("web", "PodResizeInProgress").empty(); });
  ASSERT_TRUE(world.work_until([&] { return condition("web", "PodResizeInProgress").empty(); }));
  EXPECT_EQ(events(), Lines({"Normal ResizeStarted Pod resize started",
                             "Warning ResizeError Pod resize error",
                             "Normal ResizeCompleted Pod resize completed"}));
}

TEST_F(ResizeTest, CarriesOutWhatWasAskedForWhileItWasAway) {
  put("web", spec_of(container("a", "200m", "2Mi")), 1);
  world.done();
  put_with_status("web", spec_of(container("a", "100m", "1Mi")), 2);
  world.restart_kubelet();
  world.work();
  EXPECT_EQ(world.done(),
            Lines({"update_resources a", "update_resources a", "lower_cgroup web-uid"}));
  EXPECT_EQ(events(), Lines({"Normal ResizeStarted Pod resize started",
                             "Normal ResizeCompleted Pod resize completed"}));
  EXPECT_EQ(text(of_container("web", "a")["resources"]["limits"]),
            R"({"cpu":"100m","memory":"1Mi"})");
}

TEST_F(ResizeTest, RemembersThroughTheApiWhatWasPutOff) {
  put("web", spec_of(container("a", "1", "1Mi")), 1);
  put("web", spec_of(container("a", "5", "1Mi")), 2);
  const std::string why = condition("web", "PodResizePending");
  EXPECT_THAT(why, StartsWith("Deferred 2: "));
  world.done();
  events();
  put_with_status("web", spec_of(container("a", "5", "1Mi")), 2);
  world.restart_kubelet();
  // Until all pods are known nobody is given anything.
  world.all_known = false;
  world.work();
  EXPECT_EQ(condition("web", "PodResizePending"), why);
  world.all_known = true;
  world.advance(2s);
  EXPECT_EQ(condition("web", "PodResizePending"), why);
  EXPECT_THAT(world.done(), IsEmpty());
  EXPECT_THAT(events(), IsEmpty());
  world.node.object = api::Object::make(
      R"({"metadata":{"name":"n1"},"status":{"allocatable":{"cpu":"8","memory":"8Gi","pods":"10"}}})");
  world.advance(3min);
  EXPECT_EQ(world.done(), Lines({"raise_cgroup web-uid", "update_resources a"}));
}

TEST_F(ResizeTest, LeavesWhatEndedToItsNextStart) {
  const std::string never = R"(,"restartPolicy":"Never")";
  put("web", spec_of(container("a", "1", "1Mi") + "," + container("b", "1", "1Mi"), never), 1);
  world.fake.finish(world.fake.newest("b"), 0);
  world.work();
  world.done();
  put("web", spec_of(container("a", "1", "1Mi") + "," + container("b", "500m", "1Mi"), never), 2);
  EXPECT_EQ(world.done(), Lines({"lower_cgroup web-uid"}));
  EXPECT_EQ(condition("web", "PodResizeInProgress"), "");
}

TEST_F(ResizeTest, EndsWithThePod) {
  put("web", spec_of(container("a", "1", "1Mi"), R"(,"restartPolicy":"Never")"), 1);
  put("web", spec_of(container("a", "5", "1Mi"), R"(,"restartPolicy":"Never")"), 2);
  EXPECT_NE(condition("web", "PodResizePending"), "");
  world.fake.finish(world.fake.newest("a"), 0);
  world.work();
  EXPECT_EQ(world.phase("web"), "Succeeded");
  EXPECT_EQ(condition("web", "PodResizePending"), "");
}

}  // namespace
}  // namespace proa::kubelet
