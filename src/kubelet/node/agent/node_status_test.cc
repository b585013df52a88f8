#include "kubelet/node/agent/node_status.h"

#include <gtest/gtest.h>

#include <memory>

#include "json/parse.h"
#include "json/print.h"
#include "testkit/fake_clock.h"

namespace proa::kubelet {
namespace node_status_test {

json::Document document(std::string_view text) { return json::parse(text).value(); }

std::string text_of(api::View view) { return view.exists() ? json::print(*view.value()) : "none"; }

struct Bench {
  Bench() {
    options.node_name = api::NodeName("n1");
    machine.cpus = 4;
    machine.memory_bytes = 8LL * 1024 * 1024 * 1024;
    machine.boot_id = "boot-1";
    runtime.ever_ready = true;
    cri::RuntimeReadiness readiness;
    readiness.runtime_ready = true;
    readiness.network_ready = true;
    runtime.readiness = readiness;
    runtime.version = cri::RuntimeVersion{.name = "containerd", .version = "1.6.20"};
  }
  NodeFacts facts() const {
    return {.options = options,
            .machine = machine,
            .runtime = runtime,
            .network = network,
            .addresses = {"10.0.0.5"},
            .disk_capacity = disk,
            .pressures = pressures,
            .images = images,
            .kubelet_version = "v1.36.4+proa",
            .now = now};
  }
  json::Document make(api::View before = {}) {
    news.clear();
    return make_node_status(before, facts(), news);
  }
  std::string reasons() const {
    std::string text;
    for (const NodeNews& one : news) text += one.reason + " ";
    return text;
  }

  KubeletOptions options;
  Machine machine;
  RuntimeSeen runtime;
  PodNetworkSeen network;
  Pressures pressures;
  std::optional<int64_t> disk = 103865303040;
  std::vector<cri::Image> images;
  Time now = testkit::FakeClock::kStart;
  std::vector<NodeNews> news;
};

api::View condition(const json::Document& status, std::string_view type) {
  for (const api::View one : api::View(status.root())["conditions"].items()) {
    if (one["type"].text() == type) return one;
  }
  return {};
}

}  // namespace node_status_test

using node_status_test::Bench;
using node_status_test::condition;
using node_status_test::document;
using node_status_test::text_of;

TEST(MakeNodeStatus, HasTheConditionsOfAHealthyNode) {
  Bench bench;
  const json::Document status = bench.make();
  EXPECT_EQ(text_of(api::View(status.root())["conditions"].item(0)),
            R"({"type":"MemoryPressure","lastHeartbeatTime":"2026-01-02T15:04:05Z",)"
            R"("status":"False","reason":"KubeletHasSufficientMemory",)"
            R"("message":"kubelet has sufficient memory available",)"
            R"("lastTransitionTime":"2026-01-02T15:04:05Z"})");
  EXPECT_EQ(condition(status, "DiskPressure")["reason"].text(), "KubeletHasNoDiskPressure");
  EXPECT_EQ(condition(status, "PIDPressure")["reason"].text(), "KubeletHasSufficientPID");
  // It must come last: old controllers rely on that.
  const api::View ready = api::View(status.root())["conditions"].item(3);
  EXPECT_EQ(ready["type"].text(), "Ready");
  EXPECT_EQ(ready["status"].text(), "True");
  EXPECT_EQ(ready["reason"].text(), "KubeletReady");
  EXPECT_EQ(ready["message"].text(), "kubelet is posting ready status");
  EXPECT_EQ(bench.reasons(), "NodeHasSufficientMemory NodeHasNoDiskPressure NodeHasSufficientPID ");
  EXPECT_EQ(bench.news.front().message, "Node n1 status is now: NodeHasSufficientMemory");
}

TEST(MakeNodeStatus, TellsTransitionsAndKeepsTheirTimes) {
  Bench bench;
  const json::Document first = bench.make();
  bench.now += std::chrono::minutes(1);
  const json::Document same = bench.make(first.root());
  EXPECT_EQ(condition(same, "Ready")["lastTransitionTime"].text(), "2026-01-02T15:04:05Z");
  EXPECT_EQ(condition(same, "Ready")["lastHeartbeatTime"].text(), "2026-01-02T15:05:05Z");
  EXPECT_EQ(bench.reasons(), "");
  EXPECT_FALSE(node_status_differs(first.root(), same.root()));

  bench.pressures.memory = true;
  bench.runtime.down = true;
  const json::Document worse = bench.make(same.root());
  EXPECT_EQ(condition(worse, "MemoryPressure")["message"].text(),
            "kubelet has insufficient memory available");
  EXPECT_EQ(condition(worse, "MemoryPressure")["lastTransitionTime"].text(),
            "2026-01-02T15:05:05Z");
  EXPECT_EQ(condition(worse, "Ready")["reason"].text(), "KubeletNotReady");
  EXPECT_EQ(bench.reasons(), "NodeHasInsufficientMemory NodeNotReady ");
  EXPECT_TRUE(node_status_differs(same.root(), worse.root()));

  bench.runtime.down = false;
  static_cast<void>(bench.make(worse.root()));
  EXPECT_EQ(bench.reasons(), "NodeReady ");
}

TEST(MakeNodeStatus, LeavesWhatOthersWrote) {
  Bench bench;
  const json::Document before =
      document(R"({"capacity":{"example.com/gpu":"2","hugepages-1Gi":"1Gi"},"volumesInUse":["v"],)"
               R"("conditions":[{"type":"Other","status":"True"}]})");
  const json::Document after = bench.make(before.root());
  EXPECT_EQ(condition(after, "Other")["status"].text(), "True");
  const api::View status(after.root());
  EXPECT_EQ(text_of(status["volumesInUse"]), R"(["v"])");
  EXPECT_EQ(status["allocatable"]["example.com/gpu"].text(), "2");
  EXPECT_FALSE(status["capacity"]["hugepages-1Gi"].exists());
}

TEST(MakeNodeStatus, TakesOffWhatIsReserved) {
  Bench bench;
  bench.options.system_reserved = {{"cpu", "100m"}, {"memory", "1Gi"}};
  bench.options.kube_reserved = {{"cpu", "200m"}};
  bench.machine.huge_pages = {{"hugepages-2Mi", 1LL << 30}};
  const json::Document made = bench.make();
  const api::View status(made.root());
  EXPECT_EQ(text_of(status["capacity"]),
            R"({"cpu":"4","ephemeral-storage":"101430960Ki","hugepages-2Mi":"1Gi",)"
            R"("memory":"8Gi","pods":"110"})");
  // Storage: as a node of that size says it elsewhere, to the byte.
  EXPECT_EQ(text_of(status["allocatable"]),
            R"({"cpu":"3700m","ephemeral-storage":"93478772582","hugepages-2Mi":"1Gi",)"
            R"("memory":"6044Mi","pods":"110"})");
}

TEST(MakeNodeStatus, NeverAllowsLessThanNothing) {
  Bench bench;
  bench.options.system_reserved = {{"cpu", "100"}, {"memory", "1Ti"}};
  const json::Document made = bench.make();
  const api::View status(made.root());
  EXPECT_EQ(status["allocatable"]["cpu"].text(), "0");
  EXPECT_EQ(status["allocatable"]["memory"].text(), "0");
}

TEST(MakeNodeStatus, SaysWhatRunsWhere) {
  Bench bench;
  bench.machine.swap_bytes = 4096;
  const json::Document made = bench.make();
  const api::View status(made.root());
  EXPECT_EQ(text_of(status["addresses"]),
            R"([{"type":"InternalIP","address":"10.0.0.5"},{"type":"Hostname","address":"n1"}])");
  EXPECT_EQ(text_of(status["daemonEndpoints"]), R"({"kubeletEndpoint":{"Port":10250}})");
  const api::View info = status["nodeInfo"];
  EXPECT_EQ(info["containerRuntimeVersion"].text(), "containerd://1.6.20");
  EXPECT_EQ(info["kubeletVersion"].text(), "v1.36.4+proa");
  EXPECT_EQ(info["operatingSystem"].text(), "linux");
  EXPECT_EQ(info["swap"]["capacity"].integer(), 4096);
}

TEST(MakeNodeStatus, TellsThatTheMachineWasRebooted) {
  Bench bench;
  const json::Document before = document(R"({"nodeInfo":{"bootID":"boot-0"}})");
  static_cast<void>(bench.make(before.root()));
  ASSERT_FALSE(bench.news.empty());
  EXPECT_TRUE(bench.news.front().warning);
  EXPECT_EQ(bench.news.front().reason, "Rebooted");
  EXPECT_EQ(bench.news.front().message, "Node n1 has been rebooted, boot id: boot-1");
}

TEST(MakeNodeStatus, ListsTheLargestImages) {
  Bench bench;
  for (int i = 0; i < 60; ++i) {
    cri::Image image;
    image.id = std::to_string(i);
    image.tags = {"image:" + std::to_string(i)};
    image.size = i + 1;
    bench.images.push_back(image);
  }
  bench.images[59].digests = {"a", "b", "c", "d", "e"};
  const json::Document made = bench.make();
  const api::View images = api::View(made.root())["images"];
  EXPECT_EQ(images.size(), 50U);
  EXPECT_EQ(text_of(images.item(0)), R"({"names":["a","b","c","d","e"],"sizeBytes":60})");
  EXPECT_EQ(text_of(images.item(1)), R"({"names":["image:58"],"sizeBytes":59})");
}

TEST(MakeNodeStatus, ListsRuntimeHandlersByName) {
  Bench bench;
  bench.runtime.readiness->handlers = {{.name = "runc", .user_namespaces = true}, {.name = ""}};
  bench.runtime.readiness->supplemental_groups_policy = true;
  const json::Document made = bench.make();
  const api::View status(made.root());
  EXPECT_EQ(
      text_of(status["runtimeHandlers"]),
      R"([{"name":"","features":{"recursiveReadOnlyMounts":false,"userNamespaces":false}},)"
      R"({"name":"runc","features":{"recursiveReadOnlyMounts":false,"userNamespaces":true}}])");
  EXPECT_EQ(text_of(status["features"]), R"({"supplementalGroupsPolicy":true})");
}

TEST(ReadinessProblems, AreThoseOfUpstream) {
  struct Case {
    const char* name;
    bool ever_ready, down, answered, runtime_ready, network_ready;
    std::string expected;
  };
  const std::string network =
      "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady "
      "message:cni plugin not initialized";
  const Case cases[] = {
      {"ready", true, false, true, true, true, "kubelet is posting ready status"},
      {"never asked", false, false, false, false, false,
       "[container runtime status check may not have completed yet, network state unknown]"},
      {"no network", true, false, true, true, false, network},
      {"down", true, true, true, true, true, "container runtime is down"},
      {"down and no network", true, true, true, true, false,
       "[container runtime is down, " + network + "]"},
      {"not ready", true, false, true, false, true,
       "container runtime not ready: RuntimeReady=false reason:Why message:because"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Bench bench;
    bench.runtime.ever_ready = c.ever_ready;
    bench.runtime.down = c.down;
    cri::RuntimeReadiness readiness;
    readiness.runtime_ready = c.runtime_ready;
    readiness.runtime_reason = "Why";
    readiness.runtime_message = "because";
    readiness.network_ready = c.network_ready;
    readiness.network_reason = "NetworkPluginNotReady";
    readiness.network_message = "cni plugin not initialized";
    bench.runtime.readiness = c.answered ? std::optional(readiness) : std::nullopt;
    const json::Document status = bench.make();
    EXPECT_EQ(condition(status, "Ready")["message"].text(), c.expected);
  }
}

TEST(ReadinessProblems, SayWhatThePodNetworkLacks) {
  Bench bench;
  bench.network = {.failure = "CNI plugins are missing", .warnings = {"ranges overlap"}};
  const json::Document ready = bench.make();
  EXPECT_EQ(condition(ready, "Ready")["message"].text(),
            "kubelet is posting ready status. WARNING: pod network: CNI plugins are missing. "
            "WARNING: ranges overlap");
  bench.runtime.readiness->network_ready = false;
  const json::Document waiting = bench.make();
  EXPECT_EQ(condition(waiting, "Ready")["message"].text(),
            "[container runtime network not ready: NetworkReady=false reason: message:, pod "
            "network: CNI plugins are missing]");
}

TEST(ReadinessProblems, NameResourcesThatAreMissing) {
  Bench bench;
  bench.disk.reset();
  const json::Document status = bench.make();
  EXPECT_EQ(condition(status, "Ready")["message"].text(),
            "missing node capacity for resources: ephemeral-storage");
}

}  // namespace proa::kubelet
