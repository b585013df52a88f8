#include "kubelet/pod/plan/pod_plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kubelet/pod/container/container_config.h"
#include "kubelet/pod/plan/restart_policy.h"
#include "kubelet/runtime/cri/labels.h"

namespace proa::kubelet {
namespace {

PodPtr pod(std::string_view spec) {
  return *Pod::read(
      api::Object::make(fmt::format(
          R"({{"metadata":{{"name":"web","namespace":"default","uid":"u"}},"spec":{}}})", spec)),
      Pod::Source::kApi);
}

// What the runtime has: the newest first, as inspect_pod gives it.
class Running {
 public:
  Running& sandbox(std::string id, bool ready = true, uint32_t attempt = 0) {
    pod_.sandboxes.insert(pod_.sandboxes.begin(), {.id = std::move(id),
                                                   .attempt = attempt,
                                                   .state = ready ? cri::SandboxState::kReady
                                                                  : cri::SandboxState::kNotReady,
                                                   .addresses = {"10.0.0.2"}});
    return *this;
  }
  Running& container(std::string name, cri::ContainerState state, int exit_code = 0) {
    const std::string id = fmt::format("{}-{}", name, pod_.containers.size());
    pod_.containers.insert(pod_.containers.begin(), {.id = id,
                                                     .sandbox_id = pod_.sandboxes.front().id,
                                                     .name = std::move(name),
                                                     .state = state,
                                                     .exit_code = exit_code});
    return *this;
  }
  Running& running(std::string name) {
    return container(std::move(name), cri::ContainerState::kRunning);
  }
  Running& exited(std::string name, int code) {
    return container(std::move(name), cri::ContainerState::kExited, code);
  }
  const cri::RuntimePod& get() const { return pod_; }
  cri::RuntimePod& edit() { return pod_; }

 private:
  cri::RuntimePod pod_;
};

// "sandbox 1; stop all; stop a; start a b": a plan in words.
std::string text(const PodPlan& plan) {
  std::string words;
  const auto add = [&words](const std::string& word) {
    if (!words.empty()) words += "; ";
    words += word;
  };
  if (plan.stop_all) add("stop all");
  if (plan.new_sandbox) add(fmt::format("sandbox {}", plan.attempt));
  for (const ContainerStop& stop : plan.stop) add("stop " + stop.name);
  for (const ContainerSpec& start : plan.start) add("start " + std::string(start.name()));
  return words;
}

std::string plan(std::string_view spec, const Running& running, const ProbeResults& probes = {}) {
  const PodPtr wanted = pod(spec);
  return text(plan_pod(*wanted, running.get(), probes));
}

constexpr std::string_view kTwo = R"({"containers":[{"name":"a"},{"name":"b"}]})";
constexpr std::string_view kNever =
    R"({"restartPolicy":"Never","containers":[{"name":"a"},{"name":"b"}]})";
constexpr std::string_view kOnFailure =
    R"({"restartPolicy":"OnFailure","containers":[{"name":"a"},{"name":"b"}]})";
constexpr std::string_view kInit =
    R"({"initContainers":[{"name":"i"},{"name":"j"}],"containers":[{"name":"a"}]})";
constexpr std::string_view kSidecar =
    R"({"initContainers":[{"name":"s","restartPolicy":"Always"},{"name":"i"}],"containers":[{"name":"a"}]})";

TEST(PlanPod, BeginsWithASandbox) {
  EXPECT_EQ(plan(kTwo, Running()), "sandbox 0; start a; start b");
  EXPECT_EQ(plan(kInit, Running()), "sandbox 0; start i");
  EXPECT_EQ(plan(kSidecar, Running()), "sandbox 0; start s");
}

TEST(PlanPod, StartsWhatIsMissing) {
  EXPECT_EQ(plan(kTwo, Running().sandbox("x")), "start a; start b");
  EXPECT_EQ(plan(kTwo, Running().sandbox("x").running("a")), "start b");
  EXPECT_EQ(plan(kTwo, Running().sandbox("x").running("a").running("b")), "");
}

TEST(PlanPod, RestartsByPolicy) {
  EXPECT_EQ(plan(kTwo, Running().sandbox("x").running("a").exited("b", 0)), "start b");
  EXPECT_EQ(plan(kOnFailure, Running().sandbox("x").running("a").exited("b", 0)), "");
  EXPECT_EQ(plan(kOnFailure, Running().sandbox("x").running("a").exited("b", 3)), "start b");
  EXPECT_EQ(plan(kNever, Running().sandbox("x").running("a").exited("b", 3)), "");
}

TEST(PlanPod, EndsWhenNothingIsLeftToDo) {
  EXPECT_EQ(plan(kNever, Running().sandbox("x").exited("a", 0).exited("b", 1)), "stop all");
  EXPECT_EQ(plan(kOnFailure, Running().sandbox("x").exited("a", 0).exited("b", 0)), "stop all");
}

TEST(PlanPod, MakesANewSandboxWhenTheOldOneIsOfNoUse) {
  EXPECT_EQ(plan(kTwo, Running().sandbox("x", false).exited("a", 1)),
            "stop all; sandbox 1; start a; start b");
  EXPECT_EQ(plan(kNever, Running().sandbox("x", false).exited("a", 1)), "stop all");
  EXPECT_EQ(plan(kNever, Running().sandbox("x", false)), "stop all; sandbox 1; start a; start b")
      << "none of its containers ever began";
  EXPECT_EQ(plan(kOnFailure, Running().sandbox("x", false).exited("a", 0).exited("b", 1)),
            "stop all; sandbox 1; start b");
  Running without_address;
  without_address.sandbox("x");
  without_address.edit().sandboxes.front().addresses.clear();
  EXPECT_EQ(plan(kTwo, without_address), "stop all; sandbox 1; start a; start b");
  EXPECT_EQ(plan(kTwo, Running().sandbox("x").sandbox("y", true, 1).running("a")),
            "stop all; sandbox 2; start a; start b")
      << "of two that are ready, nobody knows which one is the pod's";
}

TEST(PlanPod, RunsInitContainersOneAfterTheOther) {
  EXPECT_EQ(plan(kInit, Running().sandbox("x")), "start i");
  EXPECT_EQ(plan(kInit, Running().sandbox("x").running("i")), "");
  EXPECT_EQ(plan(kInit, Running().sandbox("x").exited("i", 0)), "start j");
  EXPECT_EQ(plan(kInit, Running().sandbox("x").exited("i", 0).exited("j", 0)), "start a");
  EXPECT_EQ(plan(kInit, Running().sandbox("x").exited("i", 1)), "start i");
  EXPECT_EQ(
      plan(
          R"({"restartPolicy":"Never","initContainers":[{"name":"i"}],"containers":[{"name":"a"}]})",
          Running().sandbox("x").exited("i", 1)),
      "stop all");
}

TEST(PlanPod, RunsInitContainersAgainInANewSandbox) {
  EXPECT_EQ(plan(kInit, Running()
                            .sandbox("x", false)
                            .exited("i", 0)
                            .exited("j", 0)
                            .exited("a", 137)
                            .sandbox("y", true, 1)),
            "start i");
}

TEST(PlanPod, DoesNotRunInitContainersAgainThatTheRuntimeForgot) {
  EXPECT_EQ(plan(kInit, Running().sandbox("x").running("a")), "");
}

TEST(PlanPod, KeepsSidecars) {
  EXPECT_EQ(plan(kSidecar, Running().sandbox("x").running("s")), "start i");
  EXPECT_EQ(plan(kSidecar, Running().sandbox("x").running("s").exited("i", 0)), "start a");
  EXPECT_EQ(plan(kSidecar, Running().sandbox("x").exited("s", 0).exited("i", 0).running("a")),
            "start s");
  EXPECT_EQ(plan(kSidecar, Running().sandbox("x").exited("s", 1).running("i")), "start s");
  const std::string never =
      R"({"restartPolicy":"Never","initContainers":[{"name":"s","restartPolicy":"Always"}],"containers":[{"name":"a"}]})";
  EXPECT_EQ(plan(never, Running().sandbox("x").running("s").exited("a", 0)), "stop all");
}

TEST(PlanPod, LetsTheNextBeginOnceASidecarHasStarted) {
  const std::string spec =
      R"({"initContainers":[{"name":"s","restartPolicy":"Always","startupProbe":{}}],"containers":[{"name":"a"}]})";
  const Running running = Running().sandbox("x").running("s");
  ProbeResults probes;
  EXPECT_EQ(plan(spec, running, probes), "");
  probes.set("s-0", ProbeKind::kStartup, true);
  EXPECT_EQ(plan(spec, running, probes), "start a");
  probes.set("s-0", ProbeKind::kStartup, false);
  EXPECT_EQ(plan(spec, running, probes), "stop s; start s");
}

TEST(PlanPod, StopsWhatIsNotWell) {
  ProbeResults probes;
  probes.set("a-0", ProbeKind::kLiveness, false);
  const Running running = Running().sandbox("x").running("a").running("b");
  EXPECT_EQ(plan(kTwo, running, probes), "stop a; start a");
  EXPECT_EQ(plan(kNever, running, probes), "stop a");
  const PodPtr wanted = pod(kTwo);
  const PodPlan found = plan_pod(*wanted, running.get(), probes);
  EXPECT_EQ(found.stop.front().message, "Container a failed liveness probe, will be restarted");
  EXPECT_EQ(found.stop.front().reason, StopReason::kLiveness);
}

TEST(PlanPod, BeginsAnewWhatAResizeRequires) {
  const auto resized = [](std::string_view spec, const Running& running, const std::string& id) {
    return text(plan_pod(*pod(spec), running.get(), {}, {id}));
  };
  EXPECT_EQ(resized(kTwo, Running().sandbox("x").running("a").running("b"), "a-0"),
            "stop a; start a");
  // Whatever it ended with, it was stopped for that.
  EXPECT_EQ(resized(kOnFailure, Running().sandbox("x").exited("a", 0).running("b"), "a-0"),
            "start a");
  EXPECT_EQ(resized(kNever, Running().sandbox("x").exited("a", 137).running("b"), "a-0"),
            "start a");
  EXPECT_EQ(
      resized(kSidecar, Running().sandbox("x").running("s").exited("i", 0).running("a"), "s-0"),
      "stop s; start s");
  const PodPlan plan =
      plan_pod(*pod(kTwo), Running().sandbox("x").running("a").running("b").get(), {}, {"a-0"});
  EXPECT_EQ(plan.stop.at(0).message, "Container a resize requires restart");
}

TEST(PlanPod, BeginsAnewAfterAStopHoweverThatEnded) {
  ProbeResults probes;
  probes.set("a-0", ProbeKind::kLiveness, false);
  const PodPtr wanted = pod(kOnFailure);
  const Running running = Running().sandbox("x").running("a").running("b");
  EXPECT_TRUE(plan_pod(*wanted, running.get(), probes).stop.front().again);
  EXPECT_FALSE(plan_pod(*pod(kNever), running.get(), probes).stop.front().again);
  const Running ended = Running().sandbox("x").exited("a", 0).running("b");
  EXPECT_EQ(text(plan_pod(*wanted, ended.get(), {}, {}, {"a"})), "start a");
  EXPECT_EQ(text(plan_pod(*wanted, ended.get(), {}, {}, {"b"})), "");
}

TEST(PlanPod, StopsWhatWasMadeFromAnotherImage) {
  Running running = Running().sandbox("x").running("a").running("b");
  running.edit().containers.front().annotations[std::string(cri::kContainerHash)] = "00000000";
  EXPECT_EQ(plan(kNever, running), "stop b; start b");
}

TEST(PlanPod, StartsWhatWasMadeAndNeverBegan) {
  EXPECT_EQ(plan(kNever,
                 Running().sandbox("x").running("a").container("b", cri::ContainerState::kCreated)),
            "start b");
  EXPECT_EQ(plan(kNever,
                 Running().sandbox("x").running("a").container("b", cri::ContainerState::kUnknown)),
            "stop b; start b");
}

TEST(PlanPod, StartsEphemeralContainersOnce) {
  const std::string spec = R"({"containers":[{"name":"a"}],"ephemeralContainers":[{"name":"e"}]})";
  EXPECT_EQ(plan(spec, Running().sandbox("x").running("a")), "start e");
  EXPECT_EQ(plan(spec, Running().sandbox("x").running("a").exited("e", 0)), "");
}

TEST(RestartPolicy, HasRulesOfContainersFirst) {
  const PodPtr wanted = pod(
      R"({"restartPolicy":"Never","containers":[{"name":"a","restartPolicy":"Never","restartPolicyRules":)"
      R"([{"action":"Restart","exitCodes":{"operator":"In","values":[42]}}]},{"name":"b","restartPolicy":"OnFailure"}]})");
  const std::vector<ContainerSpec> containers = containers_of(*wanted);
  EXPECT_TRUE(restarts_after_exit(*wanted, containers[0], 42));
  EXPECT_FALSE(restarts_after_exit(*wanted, containers[0], 1));
  EXPECT_TRUE(restarts_after_exit(*wanted, containers[1], 1));
  EXPECT_FALSE(restarts_after_exit(*wanted, containers[1], 0));
  EXPECT_FALSE(restarts_when_killed(*wanted, containers[0]));
  EXPECT_TRUE(restarts_when_killed(*wanted, containers[1]));
}

}  // namespace
}  // namespace proa::kubelet
