#include "kubelet/pod/status/pod_status.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/print.h"
#include "kubelet/model/status_fields.h"
#include "kubelet/pod/status/compute/conditions.h"
#include "kubelet/runtime/cri/labels.h"

namespace proa::kubelet {
namespace {

using api::View;

constexpr Time kNow{std::chrono::seconds(1767366245)};  // 2026-01-02T15:04:05Z
const std::string kNowText = "2026-01-02T15:04:05Z";

// Builds what compute_status() is asked with.
struct Bench {
  std::string spec = R"({"restartPolicy":"Always","containers":[{"name":"web","image":"web:1"}]})";
  std::string metadata = R"("generation":3)";
  std::string status = "{}";
  Pod::Source source = Pod::Source::kApi;
  cri::RuntimePod running = {};
  ProbeResults probes = {};
  PodFacts facts = {.node_name = api::NodeName("n1"), .host_addresses = {"10.0.0.7"}};
  std::map<std::string, WaitingReason, std::less<>> waiting = {};
  BoundsOfContainers bounds = {};
  ResizeConditions resize = {};
  std::optional<CgroupValues> enforced = {};
  std::string final_reason = {};
  bool stopped = false;
  Time kubelet_started = {};
  int messages_read = 0;

  Bench& sandbox(std::string address = "10.1.0.5") {
    running.sandboxes = {{.id = "box", .state = cri::SandboxState::kReady}};
    if (!address.empty()) running.sandboxes[0].addresses = {std::move(address)};
    return *this;
  }
  // The newest comes last here.
  cri::Container& container(std::string name, cri::ContainerState state, int exit_code = 0) {
    cri::Container made{.id = name + std::to_string(running.containers.size()),
                        .sandbox_id = "box",
                        .name = name,
                        .state = state,
                        .exit_code = exit_code,
                        .image = "docker.io/" + name + ":1",
                        .image_ref = "docker.io/" + name + "@sha256:1"};
    made.started = kNow - std::chrono::seconds(60);
    if (state == cri::ContainerState::kExited) {
      made.finished = kNow;
      made.reason = exit_code == 0 ? "Completed" : "Error";
    }
    return *running.containers.insert(running.containers.begin(), std::move(made));
  }
  json::Document compute(const json::Document* previous = nullptr) {
    const auto pod =
        Pod::read(api::Object::make(R"({"metadata":{"name":"a","namespace":"d",)" + metadata +
                                    R"(},"spec":)" + spec + R"(,"status":)" + status + "}"),
                  source);
    StatusInputs inputs{.pod = **pod,
                        .running = running,
                        .probes = probes,
                        .facts = facts,
                        .now = kNow,
                        .waiting = waiting,
                        .bounds = bounds,
                        .resize = resize,
                        .enforced = enforced,
                        .final_reason = final_reason,
                        .final_message = final_reason.empty() ? "" : "why",
                        .stopped = stopped,
                        .kubelet_started = kubelet_started};
    inputs.termination_message = [this](const cri::Container& ended) {
      ++messages_read;
      return "last words of " + ended.name;
    };
    if (previous != nullptr) inputs.previous = previous->root();
    return compute_status(inputs);
  }
};

constexpr auto kRunning = cri::ContainerState::kRunning;
constexpr auto kExited = cri::ContainerState::kExited;
constexpr auto kUnknown = cri::ContainerState::kUnknown;

std::string text(View view) { return view ? json::print(*view.value()) : "none"; }
View first(const json::Document& status, std::string_view list = "containerStatuses") {
  return View(status.root())[list].item(0);
}
// "False ContainersNotReady: containers with unready status: [web]"
std::string condition(const json::Document& status, std::string_view type) {
  for (const View one : View(status.root())["conditions"].items()) {
    if (one["type"].text() != type) continue;
    std::string said(one["status"].text());
    if (one["reason"]) said += " " + std::string(one["reason"].text());
    if (one["message"]) said += ": " + std::string(one["message"].text());
    return said;
  }
  return "none";
}

TEST(PodStatus, OfANewPodWaits) {
  Bench bench;
  const json::Document status = bench.compute();
  EXPECT_EQ(phase_of(status), "Pending");
  EXPECT_EQ(text(first(status)),
            R"({"name":"web","state":{"waiting":{"reason":"ContainerCreating"}},"lastState":{},)"
            R"("ready":false,"restartCount":0,"image":"web:1","imageID":"","started":false})");
  EXPECT_EQ(condition(status, "PodReadyToStartContainers"), "False");
  EXPECT_EQ(condition(status, "Initialized"), "True");
  EXPECT_EQ(condition(status, "Ready"),
            "False ContainersNotReady: containers with unready status: [web]");
  EXPECT_EQ(condition(status, "ContainersReady"), condition(status, "Ready"));
  EXPECT_EQ(condition(status, "PodScheduled"), "True");
  const View root(status.root());
  EXPECT_EQ(root["startTime"].text(), kNowText);
  EXPECT_EQ(root["observedGeneration"].integer(), 3);
  EXPECT_EQ(root["conditions"].item(0)["observedGeneration"].integer(), 3);
  EXPECT_EQ(root["qosClass"].text(), "BestEffort");
  EXPECT_EQ(root["hostIP"].text(), "10.0.0.7");
  EXPECT_FALSE(root["podIP"]);
}

TEST(PodStatus, OfARunningPodIsReady) {
  Bench bench;
  bench.sandbox().container("web", kRunning).user = cri::ContainerUser{.uid = 5, .gid = 6};
  const json::Document status = bench.compute();
  EXPECT_EQ(phase_of(status), "Running");
  const View web = first(status);
  EXPECT_EQ(text(web["state"]), R"({"running":{"startedAt":"2026-01-02T15:03:05Z"}})");
  EXPECT_TRUE(web["ready"].flag());
  EXPECT_TRUE(web["started"].flag());
  EXPECT_EQ(web["containerID"].text(), "containerd://web0");
  EXPECT_EQ(web["image"].text(), "docker.io/web:1");
  EXPECT_EQ(web["imageID"].text(), "docker.io/web@sha256:1");
  EXPECT_EQ(text(web["resources"]), "{}");
  EXPECT_EQ(text(web["user"]), R"({"linux":{"uid":5,"gid":6}})");
  EXPECT_EQ(condition(status, "Ready"), "True");
  EXPECT_EQ(condition(status, "PodReadyToStartContainers"), "True");
  EXPECT_EQ(text(View(status.root())["podIPs"]), R"([{"ip":"10.1.0.5"}])");
}

TEST(PodStatus, KeepsTimesOfConditionsThatStay) {
  Bench bench;
  bench.status =
      R"({"phase":"Pending","startTime":"2025-01-01T00:00:00Z","conditions":[)"
      R"({"type":"PodScheduled","status":"True","lastTransitionTime":"2025-01-01T00:00:01Z"},)"
      R"({"type":"Ready","status":"False","lastTransitionTime":"2025-01-01T00:00:02Z"},)"
      R"({"type":"example.com/lamp","status":"True"}]})";
  bench.sandbox().container("web", kRunning);
  const json::Document status = bench.compute();
  const View root(status.root());
  EXPECT_EQ(root["startTime"].text(), "2025-01-01T00:00:00Z");
  EXPECT_EQ(condition(status, "example.com/lamp"), "True");
  for (const View one : root["conditions"].items()) {
    const bool stays = one["type"].text() == "PodScheduled";
    if (!stays && one["type"].text() != "Ready") continue;
    EXPECT_EQ(one["lastTransitionTime"].text(), stays ? "2025-01-01T00:00:01Z" : kNowText);
  }
}

TEST(PodStatus, WaitsForReadinessGates) {
  Bench bench;
  bench.spec = R"({"containers":[{"name":"web"}],"readinessGates":[{"conditionType":"a/b"},)"
               R"({"conditionType":"c/d"}]})";
  bench.status = R"({"conditions":[{"type":"a/b","status":"False"}]})";
  bench.sandbox().container("web", kRunning);
  EXPECT_EQ(condition(bench.compute(), "Ready"),
            "False ReadinessGatesNotReady: the status of pod readiness gate \"a/b\" is not "
            "\"True\", but False, corresponding condition of pod readiness gate \"c/d\" does not "
            "exist.");
  EXPECT_EQ(condition(bench.compute(), "ContainersReady"), "True");
}

TEST(PodStatus, TellsWhatProbesFound) {
  const std::string probed = R"({"containers":[{"name":"web","readinessProbe":{},)"
                             R"("startupProbe":{}}]})";
  struct Case {
    const char* name;
    std::optional<bool> startup;
    std::optional<bool> readiness;
    bool started;
    bool ready;
  };
  const Case cases[] = {
      {"nothing yet", std::nullopt, std::nullopt, false, false},
      {"not started, though ready", false, true, false, false},
      {"started", true, std::nullopt, true, false},
      {"started, unready", true, false, true, false},
      {"both", true, true, true, true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Bench bench;
    bench.spec = probed;
    bench.sandbox().container("web", kRunning);
    if (c.startup) bench.probes.set("web0", ProbeKind::kStartup, *c.startup);
    if (c.readiness) bench.probes.set("web0", ProbeKind::kReadiness, *c.readiness);
    const json::Document status = bench.compute();
    EXPECT_EQ(first(status)["started"].flag(), c.started);
    EXPECT_EQ(first(status)["ready"].flag(), c.ready);
  }
}

TEST(PodStatus, StaysReadyWhenTheKubeletComesBack) {
  Bench bench;
  bench.spec = R"({"containers":[{"name":"web","readinessProbe":{}}]})";
  bench.status = R"({"conditions":[{"type":"Ready","status":"True"}]})";
  bench.sandbox().container("web", kRunning);
  EXPECT_FALSE(first(bench.compute())["ready"].flag());
  bench.kubelet_started = kNow - std::chrono::seconds(5);
  EXPECT_TRUE(first(bench.compute())["ready"].flag());
  bench.probes.set("web0", ProbeKind::kReadiness, false);
  EXPECT_FALSE(first(bench.compute())["ready"].flag());
}

TEST(PodStatus, TellsTheEndAndTheEndBefore) {
  Bench bench;
  bench.sandbox().container("web", kExited, 1);
  auto& newest = bench.container("web", kExited, 2);
  newest.attempt = 1;
  newest.annotations[std::string(cri::kRestartCount)] = "4";
  newest.message = "runtime says";
  bench.waiting["web"] = {"CrashLoopBackOff", "back-off 10s"};
  const json::Document status = bench.compute();
  const View web = first(status);
  EXPECT_EQ(text(web["state"]),
            R"({"waiting":{"reason":"CrashLoopBackOff","message":"back-off 10s"}})");
  EXPECT_EQ(
      text(web["lastState"]),
      R"({"terminated":{"exitCode":2,"reason":"Error","message":"runtime says: last words of web",)"
      R"("startedAt":"2026-01-02T15:03:05Z","finishedAt":"2026-01-02T15:04:05Z",)"
      R"("containerID":"containerd://web1"}})");
  EXPECT_EQ(web["restartCount"].integer(), 4);
  EXPECT_EQ(phase_of(status), "Running");

  // Without a reason to wait, both ends are told; messages were read before.
  bench.waiting.clear();
  const int read = bench.messages_read;
  const json::Document again = bench.compute(&status);
  EXPECT_EQ(first(again)["state"]["terminated"]["exitCode"].integer(), 2);
  EXPECT_EQ(first(again)["lastState"]["terminated"]["exitCode"].integer(), 1);
  EXPECT_EQ(bench.messages_read, read + 1);  // only of the one that was not told
}

TEST(PodStatus, CountsContainersThatAreLost) {
  const std::string ran = R"({"phase":"Running","containerStatuses":[{"name":"web",)"
                          R"("containerID":"containerd://x","restartCount":2,)"
                          R"("state":{"running":{}}}]})";
  Bench bench;
  bench.status = ran;
  json::Document status = bench.compute();
  EXPECT_EQ(first(status)["restartCount"].integer(), 3);
  EXPECT_EQ(first(status)["lastState"]["terminated"]["reason"].text(), "ContainerStatusUnknown");
  EXPECT_EQ(first(status)["lastState"]["terminated"]["exitCode"].integer(), 137);
  EXPECT_EQ(first(status)["state"]["waiting"]["reason"].text(), "ContainerCreating");
  EXPECT_EQ(phase_of(status), "Running");  // not back to Pending

  bench.container("web", kUnknown);
  status = bench.compute();
  EXPECT_EQ(first(status)["state"]["terminated"]["message"].text(),
            "The container could not be located when the pod was terminated");
  EXPECT_EQ(first(status)["restartCount"].integer(), 3);
}

TEST(PodStatus, KeepsTheLastEndWhenTheRuntimeForgotIt) {
  Bench bench;
  bench.status = R"({"containerStatuses":[{"name":"web","containerID":"containerd://old",)"
                 R"("restartCount":0,"state":{"terminated":{"exitCode":7}}}]})";
  bench.sandbox().container("web", kRunning).annotations[std::string(cri::kRestartCount)] = "1";
  const json::Document status = bench.compute();
  EXPECT_EQ(first(status)["lastState"]["terminated"]["exitCode"].integer(), 7);
  EXPECT_EQ(first(status)["restartCount"].integer(), 1);
}

TEST(PodStatus, ShowsInitContainersInTheirOrderAndOthersByName) {
  Bench bench;
  bench.spec = R"({"initContainers":[{"name":"z"},{"name":"b","restartPolicy":"Always"}],)"
               R"("containers":[{"name":"y"},{"name":"a"}]})";
  bench.sandbox().container("z", kExited, 0);
  const json::Document status = bench.compute();
  const View root(status.root());
  EXPECT_EQ(root["initContainerStatuses"].item(0)["name"].text(), "z");
  EXPECT_TRUE(root["initContainerStatuses"].item(0)["ready"].flag());
  EXPECT_EQ(root["initContainerStatuses"].item(1)["name"].text(), "b");
  EXPECT_EQ(root["containerStatuses"].item(0)["name"].text(), "a");
  EXPECT_EQ(root["containerStatuses"].item(0)["state"]["waiting"]["reason"].text(),
            "PodInitializing");
  EXPECT_EQ(condition(status, "Initialized"),
            "False ContainersNotInitialized: containers with incomplete status: [b]");
  EXPECT_EQ(condition(status, "Ready"),
            "False ContainersNotReady: containers with unready status: [b y a]");
}

TEST(PodStatus, TakesForgottenInitContainersForDone) {
  Bench bench;
  bench.spec = R"({"initContainers":[{"name":"first"}],"containers":[{"name":"web"}]})";
  bench.sandbox().container("web", kRunning);
  const json::Document status = bench.compute();
  EXPECT_EQ(first(status, "initContainerStatuses")["state"]["terminated"]["reason"].text(),
            "Completed");
  EXPECT_EQ(condition(status, "Initialized"), "True");
  EXPECT_EQ(phase_of(status), "Running");
}

TEST(PodStatus, EndsWithWhatHappened) {
  Bench bench;
  bench.spec = R"({"restartPolicy":"Never","containers":[{"name":"web"}]})";
  bench.container("web", kExited, 0);
  bench.stopped = true;
  json::Document status = bench.compute();
  EXPECT_EQ(phase_of(status), "Succeeded");
  EXPECT_EQ(condition(status, "Ready"), "False PodCompleted");
  EXPECT_EQ(condition(status, "Initialized"), "True PodCompleted");

  bench.final_reason = "DeadlineExceeded";
  status = bench.compute();
  EXPECT_EQ(phase_of(status), "Failed");
  EXPECT_EQ(View(status.root())["reason"].text(), "DeadlineExceeded");
  EXPECT_EQ(condition(status, "Ready"), "False PodFailed");

  // What is over stays so, with its reason.
  bench.final_reason.clear();
  const json::Document later = bench.compute(&status);
  EXPECT_EQ(phase_of(later), "Failed");
  EXPECT_EQ(View(later.root())["reason"].text(), "DeadlineExceeded");
  bench.status = R"({"phase":"Succeeded"})";
  EXPECT_EQ(phase_of(bench.compute(&status)), "Succeeded");
}

TEST(PodStatus, FailsPodsThatNeverStarted) {
  Bench bench;
  bench.stopped = true;
  json::Document status = bench.compute();
  EXPECT_EQ(phase_of(status), "Failed");
  EXPECT_EQ(first(status)["state"]["terminated"]["reason"].text(), "ContainerStatusUnknown");

  // Init containers that failed tell enough: regular ones stay as they are.
  bench.spec =
      R"({"initContainers":[{"name":"one"},{"name":"two"}],"containers":[{"name":"web"}]})";
  bench.container("one", kExited, 1);
  status = bench.compute();
  EXPECT_TRUE(first(status)["state"]["waiting"]);
  EXPECT_TRUE(View(status.root())["initContainerStatuses"].item(1)["state"]["waiting"]);
}

TEST(PodStatus, KeepsAddressesOfAStoppedPod) {
  Bench bench;
  bench.status = R"({"podIP":"10.1.0.9","podIPs":[{"ip":"10.1.0.9"},{"ip":"fd00::9"}]})";
  EXPECT_EQ(View(bench.compute().root())["podIP"].text(), "10.1.0.9");
  bench.facts.host_addresses = {"fd00::1"};
  const json::Document status = bench.compute();
  EXPECT_EQ(text(View(status.root())["podIPs"]), R"([{"ip":"fd00::9"},{"ip":"10.1.0.9"}])");

  Bench host;
  host.spec = R"({"hostNetwork":true,"containers":[{"name":"web"}]})";
  host.sandbox("");
  EXPECT_EQ(View(host.compute().root())["podIP"].text(), "10.0.0.7");
  EXPECT_EQ(condition(host.compute(), "PodReadyToStartContainers"), "True");
}

TEST(PodStatus, TellsResources) {
  Bench bench;
  bench.spec =
      R"({"containers":[{"name":"web","resources":{"requests":{"cpu":"100m","memory":"64Mi"},)"
      R"("limits":{"cpu":"1","memory":"128Mi"}}}]})";
  auto& web = bench.sandbox().container("web", kRunning);
  web.resources = cri::ContainerResources{.cpu_period = 100000,
                                          .cpu_quota = 50000,
                                          .cpu_shares = 102,
                                          .memory_limit = int64_t{256} << 20};
  const json::Document status = bench.compute();
  EXPECT_EQ(
      text(first(status)["resources"]),
      R"({"requests":{"cpu":"100m","memory":"64Mi"},"limits":{"cpu":"500m","memory":"256Mi"}})");
  EXPECT_EQ(text(first(status)["allocatedResources"]), R"({"cpu":"100m","memory":"64Mi"})");
  EXPECT_EQ(text(View(status.root())["allocatedResources"]), R"({"cpu":"100m","memory":"64Mi"})");
  EXPECT_EQ(View(status.root())["qosClass"].text(), "Burstable");
  const std::string all =
      R"({"requests":{"cpu":"100m","memory":"64Mi"},"limits":{"cpu":"1","memory":"128Mi"}})";
  EXPECT_EQ(text(View(status.root())["resources"]), all);
  bench.status = R"({"phase":"Running"})";
  EXPECT_EQ(text(View(bench.compute().root())["resources"]), all);
  bench.spec = R"({"containers":[{"name":"web"}]})";
  EXPECT_EQ(text(View(bench.compute().root())["resources"]), "{}");
}

// Where a resize is not carried out yet, what there is differs from what was given.
TEST(PodStatus, TellsHowFarAResizeIs) {
  Bench bench;
  bench.spec =
      R"({"containers":[{"name":"web","resources":{"requests":{"cpu":"100m","memory":"64Mi"},)"
      R"("limits":{"cpu":"1","memory":"128Mi"}}}]})";
  bench.status =
      R"({"phase":"Running","conditions":[{"type":"PodResizePending","status":"True"}]})";
  const std::string id = bench.sandbox().container("web", kRunning).id;
  bench.bounds[id] = {.cpu_request = 50,
                      .cpu_limit = 500,
                      .memory_request = int64_t{32} << 20,
                      .memory_limit = int64_t{256} << 20};
  bench.enforced = {.cpu_shares = 51, .cpu_quota = 50000, .memory = int64_t{256} << 20};
  bench.resize.in_progress = ResizeCondition{
      .reason = "Error", .message = "no", .generation = 2, .since = kNow, .told = kNow};
  const json::Document status = bench.compute();
  EXPECT_EQ(
      text(first(status)["resources"]),
      R"({"requests":{"cpu":"50m","memory":"32Mi"},"limits":{"cpu":"500m","memory":"256Mi"}})")
      << "the runtime does not tell, but it was told";
  EXPECT_EQ(text(first(status)["allocatedResources"]), R"({"cpu":"100m","memory":"64Mi"})");
  EXPECT_EQ(text(View(status.root())["resources"]["limits"]), R"({"cpu":"500m","memory":"256Mi"})");
  const View told = View(status.root())["conditions"].item(0);
  EXPECT_EQ(text(told), R"({"type":"PodResizeInProgress","observedGeneration":2,"status":"True",)"
                        R"("lastProbeTime":")" +
                            kNowText + R"(","lastTransitionTime":")" + kNowText +
                            R"(","reason":"Error","message":"no"})")
      << "and what was pending is not";
  bench.stopped = true;
  EXPECT_FALSE(find_condition(bench.compute().root(), "PodResizeInProgress"));
}

TEST(PodStatus, TellsMounts) {
  Bench bench;
  bench.spec =
      R"({"containers":[{"name":"web","volumeMounts":[{"name":"a","mountPath":"/a"},)"
      R"({"name":"b","mountPath":"/b","readOnly":true,"recursiveReadOnly":"IfPossible"}]}]})";
  EXPECT_EQ(text(first(bench.compute())["volumeMounts"]),
            R"([{"name":"a","mountPath":"/a"},{"name":"b","mountPath":"/b","readOnly":true,)"
            R"("recursiveReadOnly":"Disabled"}])");
}

TEST(PodStatus, SharesTheRoomForMessages) {
  Bench bench;
  bench.spec = R"({"containers":[{"name":"web"},{"name":"b"},{"name":"c"}]})";
  // 3 bytes a character, cut between characters.
  std::string words;
  for (int i = 0; i < 2000; ++i) words += "\xE2\x82\xAC";
  bench.container("web", kExited, 1).message = words;
  const json::Document status = bench.compute();
  const View web = View(status.root())["containerStatuses"].item(2);
  EXPECT_EQ(web["state"]["terminated"]["message"].text().size(), 4095u);
}

TEST(PodStatus, BeginsAllContainersAnew) {
  Bench bench;
  bench.spec = R"({"restartPolicy":"Never","containers":[{"name":"web","restartPolicy":"Never",)"
               R"("restartPolicyRules":[{"action":"RestartAllContainers","exitCodes":)"
               R"({"operator":"In","values":[42]}}]},{"name":"other"}]})";
  bench.sandbox().container("web", kExited, 42);
  bench.container("other", kRunning);
  json::Document status = bench.compute();
  EXPECT_EQ(phase_of(status), "Running");
  EXPECT_EQ(condition(status, "AllContainersRestarting"),
            "True RestartAllContainersStarted: container exited with restart policy rule");
  // They are taken away; what is said does not make the pod fail.
  bench.running.containers.clear();
  status = bench.compute(&status);
  EXPECT_EQ(first(status)["state"]["waiting"]["reason"].text(), "RestartingAllContainers");
  EXPECT_EQ(first(status)["restartCount"].integer(), 1);
  EXPECT_EQ(phase_of(status), "Running");
  EXPECT_EQ(condition(status, "AllContainersRestarting"), "False");
}

TEST(PodStatus, OfARefusedPodSaysWhy) {
  const auto pod = Pod::read(
      api::Object::make(R"({"metadata":{"name":"a"},"spec":{"containers":[{"name":"c"}]}})"),
      Pod::Source::kApi);
  EXPECT_EQ(json::print(refused_status(**pod, "OutOfcpu", "too much", kNow).root()),
            R"({"phase":"Failed","reason":"OutOfcpu","message":"Pod was rejected: too much",)"
            R"("startTime":"2026-01-02T15:04:05Z","qosClass":"BestEffort"})");
}

}  // namespace
}  // namespace proa::kubelet
