#include "kubelet/node/agent/node_agent.h"
#include "json/parse.h"

#include <gtest/gtest.h>

#include <atomic>

#include "base/log.h"
#include "base/threads/mutex.h"
#include "testkit/apiserver/test_clients.h"
#include "testkit/kubelet/stub_runtime.h"
#include "testkit/kubelet/test_machine.h"
#include "testkit/patience.h"

namespace proa::kubelet {
namespace node_agent_test {

using std::chrono::seconds;

// An agent beside an API server, whose clock is the test's.
struct Bench {
  Bench() {
    options.node_name = api::NodeName("n1");
    options.addresses = {"10.0.0.5"};
    options.root = machine.path() + "/kubelet";
    options.resolv_conf = machine.path() + "/etc/resolv.conf";
    machine.write("/etc/resolv.conf", "nameserver 10.0.0.2\n");
  }
  ~Bench() {
    if (agent != nullptr) agent->stop();
  }

  void start() {
    as_node = api.client_as({"system:node:n1", "", {"system:nodes", "system:authenticated"}, {}});
    agent = make_node_agent({.client = *as_node,
                             .schema = api::builtin_schema(),
                             .clock = api.clock(),
                             .random = api.random(),
                             .files = machine.files,
                             .runtime = runtime,
                             .events = events,
                             .options = options,
                             .version = "v1.36.4+proa",
                             .system_root = machine.path(),
                             .became_ready = [this] { ++opened; }});
    agent->start();
  }

  client::Place place(std::string_view group, std::string_view resource,
                      std::string_view name_space, std::string_view subresource = {}) const {
    return {.resource = apiserver::find_resource(group, resource),
            .name_space = std::string(name_space),
            .name = "n1",
            .subresource = std::string(subresource)};
  }
  Result<api::ObjectPtr> node() { return api.client().get(place("", "nodes", ""), {}); }
  Result<api::ObjectPtr> lease() {
    return api.client().get(place("coordination.k8s.io", "leases", "kube-node-lease"), {});
  }
  std::string ready_message() {
    const Result<api::ObjectPtr> found = node();
    if (!found) return "no node";
    const json::Document document = (*found)->document().value();
    for (const api::View one : api::View(document.root())["status"]["conditions"].items()) {
      if (one["type"].text() == "Ready") return std::string(one["message"].text());
    }
    return "no condition";
  }
  // Another node, which has these addresses.
  void put_other(const std::string& range) {
    client::Place nodes = place("", "nodes", "");
    nodes.name = "other";
    ASSERT_TRUE(
        api.client()
            .create(nodes,
                    json::parse_literal(R"({"metadata":{"name":"other"},"spec":{"podCIDR":")" +
                                        range + R"(","podCIDRs":[")" + range + R"("]}})"),
                    {}, {})
            .ok());
  }
  std::string pod_cidr() {
    const Result<api::ObjectPtr> found = node();
    if (!found) return "no node";
    const json::Document document = (*found)->document().value();
    return std::string(api::View(document.root())["spec"]["podCIDR"].text());
  }
  // The UID of the object that an Event with that reason is about.
  std::string told(std::string_view reason) {
    client::Place folder = place("", "events", "default");
    folder.name = {};
    const auto list = api.client().list(folder, {}, {});
    if (!list) return "no list";
    for (const api::ObjectPtr& event : list->items) {
      const json::Document document = event->document().value();
      const api::View root(document.root());
      if (root["reason"].text() != reason) continue;
      return std::string(root["involvedObject"]["uid"].text());
    }
    return "no event";
  }
  // The agent works on threads of its own: what it is about to do is awaited.
  template <typename Condition>
  bool eventually(Condition condition) {
    return testkit::holds_within(seconds(5), condition);
  }

  TestMachine machine;
  apiserver::LocalTestClient api;
  WorkerPool pool{{.max_threads = 1}};
  client::EventRecorder events{
      api.client(), api.clock(), pool, *apiserver::find_resource("", "events"), {"kubelet", "n1"}};
  KubeletOptions options;
  StubRuntime runtime;
  std::atomic<int> opened = 0;
  std::unique_ptr<client::Client> as_node;
  std::unique_ptr<NodeAgent> agent;
};

// What the agent's thread logs.
struct Logged {
  static void add(std::string_view line) {
    MutexLock lock(mutex);
    lines += line;
  }
  static bool has(std::string_view text) {
    MutexLock lock(mutex);
    return lines.find(text) != std::string::npos;
  }
  static inline Mutex mutex;
  static inline std::string lines;
};

std::string renew_time(const api::Object& lease) {
  const json::Document document = lease.document().value();
  return std::string(api::View(document.root())["spec"]["renewTime"].text());
}

}  // namespace node_agent_test

using node_agent_test::Bench;
using node_agent_test::seconds;

TEST(NodeAgent, RegistersAtOnceAndTellsWhenTheRuntimeIsReady) {
  Bench bench;
  bench.start();
  ASSERT_TRUE(bench.eventually([&] { return bench.agent->node() != nullptr; }));
  EXPECT_EQ(bench.ready_message(),
            "[container runtime status check may not have completed yet, network state unknown]");
  EXPECT_FALSE(bench.agent->network_ready());

  cri::RuntimeReadiness ready = StubRuntime::ready();
  ready.handlers = {{.name = "", .recursive_read_only_mounts = true}, {.name = "other"}};
  bench.runtime.set_readiness(ready);
  bench.agent->refresh();
  EXPECT_TRUE(
      bench.eventually([&] { return bench.ready_message() == "kubelet is posting ready status"; }));
  EXPECT_TRUE(bench.eventually([&] { return bench.agent->network_ready(); }));
  EXPECT_TRUE(bench.agent->mounts_recursively(""));
  EXPECT_FALSE(bench.agent->mounts_recursively("other"));
  EXPECT_FALSE(bench.agent->mounts_recursively("none"));
  const PodFacts facts = bench.agent->facts();
  EXPECT_EQ(facts.node_name, "n1");
  EXPECT_EQ(facts.host_addresses, std::vector<std::string>{"10.0.0.5"});
  EXPECT_EQ(facts.allocatable_cpu.str(), "5");
}

TEST(NodeAgent, TellsWhoWaitsForTheNodeAndForItsNetwork) {
  Bench bench;
  bench.start();
  ASSERT_TRUE(bench.eventually([&] { return bench.opened == 1; }));
  EXPECT_NE(bench.agent->node(), nullptr);
  ASSERT_TRUE(bench.eventually([&] { return bench.lease().ok(); }));
  // Nobody else tells it.
  bench.runtime.set_readiness(StubRuntime::ready());
  EXPECT_TRUE(bench.eventually([&] {
    bench.api.clock().advance(seconds(1));
    return bench.opened == 2;
  }));
  EXPECT_TRUE(bench.agent->network_ready());
}

TEST(NodeAgent, WarnsOfAResolverFileThatPodsCannotHave) {
  Bench bench;
  bench.machine.write("/etc/resolv.conf", "search " + std::string(254, 'a') + "\n");
  bench.start();
  const client::Place events{.resource = apiserver::find_resource("", "events"),
                             .name_space = "default"};
  EXPECT_TRUE(bench.eventually([&] {
    const auto listed = bench.api.client().list(events, {}, {});
    if (!listed) return false;
    for (const api::ObjectPtr& one : listed->items) {
      const json::Document document = one->document().value();
      const api::View event(document.root());
      if (event["reason"].text() == "CheckLimitsForResolvConf" &&
          event["type"].text() == "Warning" && event["involvedObject"]["name"].text() == "n1") {
        return true;
      }
    }
    return false;
  }));
}

TEST(NodeAgent, AdoptsANodeThatIsThere) {
  Bench bench;
  bench.runtime.set_readiness(StubRuntime::ready());
  client::Place nodes = bench.place("", "nodes", "");
  ASSERT_TRUE(bench.api.client()
                  .create(nodes,
                          json::parse_literal(
                              R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1",)"
                              R"("labels":{"mine":"1","kubernetes.io/hostname":"other"}},)"
                              R"("spec":{"podCIDR":"10.1.0.0/24","podCIDRs":["10.1.0.0/24"],)"
                              R"("providerID":"p"}})"),
                          {}, {})
                  .ok());
  bench.options.taints = {"a=b:NoSchedule"};
  bench.start();
  ASSERT_TRUE(bench.eventually([&] { return bench.agent->node() != nullptr; }));
  const json::Document document = bench.node().value()->document().value();
  const api::View node(document.root());
  EXPECT_EQ(node["metadata"]["labels"]["mine"].text(), "1");
  EXPECT_EQ(node["metadata"]["labels"]["kubernetes.io/hostname"].text(), "n1");
  EXPECT_EQ(node["spec"]["providerID"].text(), "p");
  for (const api::View taint : node["spec"]["taints"].items()) EXPECT_NE(taint["key"].text(), "a");
  EXPECT_EQ(bench.ready_message(), "kubelet is posting ready status");
  bench.agent->refresh();
  EXPECT_TRUE(bench.eventually([&] { return bench.runtime.pod_cidr() == "10.1.0.0/24"; }));
}

TEST(NodeAgent, TellsTheRuntimeOfAddressesAsSoonAsTheNodeHasThem) {
  Bench bench;
  bench.start();
  ASSERT_TRUE(bench.eventually([&] { return bench.agent->node() != nullptr; }));
  ASSERT_TRUE(bench.api.client()
                  .patch(bench.place("", "nodes", ""), api::PatchType::kMerge,
                         json::parse_literal(
                             R"({"spec":{"podCIDR":"10.2.0.0/24","podCIDRs":["10.2.0.0/24"]}})"),
                         {}, {})
                  .ok());
  EXPECT_TRUE(bench.eventually([&] { return bench.runtime.pod_cidr() == "10.2.0.0/24"; }));
}

TEST(NodeAgent, RenewsTheLeaseOfItsNode) {
  Bench bench;
  bench.start();
  ASSERT_TRUE(bench.eventually([&] { return bench.lease().ok(); }));
  const api::ObjectPtr first = bench.lease().value();
  ASSERT_EQ(first->metadata().owners.size(), 1U);
  EXPECT_EQ(first->metadata().owners[0].uid, bench.node().value()->metadata().uid);
  const json::Document document = first->document().value();
  EXPECT_EQ(api::View(document.root())["spec"]["holderIdentity"].text(), "n1");
  EXPECT_EQ(api::View(document.root())["spec"]["leaseDurationSeconds"].integer(), 40);
  EXPECT_TRUE(bench.eventually([&] {
    bench.api.clock().advance(seconds(1));
    const Result<api::ObjectPtr> lease = bench.lease();
    return lease.ok() &&
           node_agent_test::renew_time(**lease) != node_agent_test::renew_time(*first);
  }));
}

TEST(NodeAgent, WritesAnUnchangedStatusOnlyNowAndThen) {
  Bench bench;
  bench.runtime.set_readiness(StubRuntime::ready());
  bench.start();
  ASSERT_TRUE(bench.eventually([&] { return bench.lease().ok(); }));
  const std::string first(bench.node().value()->metadata().resource_version);
  // When a look begins, whatever the one before it had to write is written.
  for (int i = 0; i < 9; ++i) {
    const int looks = bench.runtime.looks();
    ASSERT_TRUE(bench.eventually([&] {
      bench.api.clock().advance(seconds(1));
      return bench.runtime.looks() > looks;
    }));
  }
  EXPECT_EQ(bench.node().value()->metadata().resource_version, first);
  EXPECT_TRUE(bench.eventually([&] {
    bench.api.clock().advance(seconds(10));
    return bench.node().value()->metadata().resource_version != first;
  }));
}

TEST(NodeAgent, IsNotReadyWhenTheRuntimeStaysAway) {
  Bench bench;
  bench.runtime.set_readiness(StubRuntime::ready());
  bench.start();
  ASSERT_TRUE(bench.eventually([&] { return bench.lease().ok(); }));
  bench.runtime.set_readiness(Status(Reason::kServiceUnavailable, "gone"));
  EXPECT_TRUE(bench.eventually([&] {
    bench.api.clock().advance(seconds(1));
    return bench.ready_message() == "container runtime is down";
  }));
}

TEST(NodeAgent, ItsEventsAreThoseOfItsNode) {
  Bench bench;
  bench.start();
  EXPECT_TRUE(bench.eventually([&] { return bench.told("Starting") == "n1"; }))
      << bench.told("Starting");
}

TEST(NodeAgent, TheRefusalOfItsRangesIsTheCauseAndTheyCanBecomeFree) {
  Bench bench;
  bench.put_other("10.1.0.0/24");
  bench.options.pod_cidrs = {"10.1.0.0/24"};
  set_log_sink([](std::string_view line) { node_agent_test::Logged::add(line); });
  bench.start();
  EXPECT_TRUE(
      bench.eventually([] { return node_agent_test::Logged::has("overlaps that of node"); }));
  EXPECT_FALSE(node_agent_test::Logged::has("not found"));
  client::Place other = bench.place("", "nodes", "");
  other.name = "other";
  EXPECT_TRUE(bench.api.client().remove(other, {}, {}).ok());
  EXPECT_TRUE(bench.eventually([&] {
    bench.api.clock().advance(seconds(1));
    return bench.agent->node() != nullptr;
  }));
  bench.agent->stop();
  set_log_sink(nullptr);
  EXPECT_EQ(bench.pod_cidr(), "10.1.0.0/24");
}

TEST(NodeAgent, ANewNodeAsksForTheRangesThatItsPodsHave) {
  Bench bench;
  bench.options.former_pod_cidrs = {"10.1.7.0/24"};
  bench.start();
  ASSERT_TRUE(bench.eventually([&] { return bench.agent->node() != nullptr; }));
  EXPECT_EQ(bench.pod_cidr(), "10.1.7.0/24");
}

TEST(NodeAgent, FormerRangesThatAnotherNodeHasAreGivenUpWithAWarning) {
  Bench bench;
  bench.put_other("10.1.7.0/24");
  bench.options.former_pod_cidrs = {"10.1.7.0/24"};
  bench.start();
  ASSERT_TRUE(bench.eventually([&] { return bench.agent->node() != nullptr; }));
  EXPECT_EQ(bench.pod_cidr(), "");
  ASSERT_TRUE(bench.api.client()
                  .patch(bench.place("", "nodes", ""), api::PatchType::kMerge,
                         json::parse_literal(
                             R"({"spec":{"podCIDR":"10.2.0.0/24","podCIDRs":["10.2.0.0/24"]}})"),
                         {}, {})
                  .ok());
  EXPECT_TRUE(bench.eventually([&] { return bench.told("PodRangeChanged") == "n1"; }));
}

}  // namespace proa::kubelet
