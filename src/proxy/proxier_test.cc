#include "proxy/proxier.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "api/schema/builtin.h"
#include "base/log.h"
#include "testkit/controllers/test_world.h"
#include "testkit/proxy/service_script.h"

namespace proa::proxy {
namespace {

// Remembers what it was told, and fails on request.
class NotedRules final : public Rules {
 public:
  Result<void> replace(const NodeFacts& node, std::span<const ServicePortPtr> all) override {
    zone = node.zone;
    service_ranges = node.service_ranges;
    note("replace");
    for (const ServicePortPtr& port : all) notes += testkit::describe(*port) + "\n";
    return outcome();
  }
  Result<void> apply(std::span<const Change> changes) override {
    note("apply");
    for (const Change& change : changes) {
      notes += change.after == nullptr ? "-" + change.before->name.str() + "\n"
                                       : testkit::describe(*change.after) + "\n";
    }
    return outcome();
  }
  Result<void> remove() override { return {}; }
  Duration check_period() const override { return std::chrono::seconds(30); }
  int descriptor() const override { return file; }
  bool disturbed() override { return std::exchange(disturb, false); }

  std::string take() { return std::exchange(notes, {}); }

  std::string zone;
  std::vector<IpPrefix> service_ranges;
  std::string notes;
  int failures = 0;
  std::function<void()> fail = [] {};
  bool disturb = false;  // until it is read
  int file = -1;

 private:
  void note(std::string_view what) { notes += fmt::format("{}:\n", what); }
  Result<void> outcome() {
    if (failures == 0) return {};
    --failures;
    fail();
    return Status(Reason::kInternalError, "the kernel is tired");
  }
};

class NotedFlows final : public FlowTable {
 public:
  Result<size_t> remove(Family family, const StaleFlows&) override {
    notes += fmt::format("{} ", name_of(family));
    return size_t{1};
  }
  std::string notes;
};

constexpr std::string_view kNone[] = {"none"};
constexpr std::string_view kFirst = "all are written\n";

class ProxierTest : public ::testing::Test {
 protected:
  ProxierTest() {
    world_.create("", "nodes", "",
                  R"({"metadata":{"name":"here","labels":{"topology.kubernetes.io/zone":"a"}},)"
                  R"("status":{"addresses":[{"type":"InternalIP","address":"192.0.2.1"}]}})");
    world_.create("", "services", "default",
                  R"({"metadata":{"name":"web"},"spec":{"clusterIP":"10.96.0.50",)"
                  R"("ports":[{"name":"http","port":80}]}})");
  }

  void create_slice(std::string_view name, std::string_view service, std::string_view port,
                    std::string_view endpoints, std::string_view more_labels = "") {
    world_.create("discovery.k8s.io", "endpointslices", "default",
                  fmt::format(R"({{"metadata":{{"name":"{}","labels":{{)"
                              R"("kubernetes.io/service-name":"{}"{}}}}},"addressType":"IPv4",)"
                              R"("ports":[{}],"endpoints":[{}]}})",
                              name, service, more_labels, port, endpoints));
  }

  void create_web_slice() {
    create_slice("web-1", "web", R"({"name":"http","port":8080})",
                 R"({"addresses":["10.1.0.1"],"nodeName":"here"})");
  }

  // What the rules were told since the last time, without the Service of the API itself.
  std::string step() {
    proxier_.poll();
    proxier_.step();
    std::string notes = rules_.take();
    const size_t own = notes.find("default/kubernetes");
    if (own != std::string::npos) notes.erase(own, notes.find('\n', own) + 1 - own);
    const size_t first = notes.find(kFirst);
    if (first != std::string::npos) notes.erase(first, kFirst.size());
    return notes;
  }

  class NotFound final : public http::Handler {
   public:
    void handle(http::ExchangePtr exchange) override {
      exchange->respond({.status = 404, .headers = {}, .body = {}, .trailers = {}});
    }
  };

  testkit::TestWorld world_{kNone};
  SeededRandom random_{1};
  http::LoopGroup loops_{1};
  WorkerPool pool_{{.max_threads = 0}};
  NotedRules rules_;
  NotedFlows flows_;
  NotFound not_found_;
  bool former_may_go_ = true;
  Proxier proxier_{
      {.client = world_.client(),
       .schema = api::builtin_schema(),
       .clock = world_.clock(),
       .random = random_,
       .loops = loops_,
       .pool = pool_,
       .rules = rules_,
       .flows = flows_,
       .remove_former =
           [this](bool holds_ports) {
             rules_.notes += kFirst;
             return holds_ports && former_may_go_;
           },
       .options = {
           .mode = Mode::kNftables, .node_name = "here", .healthz_port = 0, .metrics_port = 0}}};
};

constexpr const char* kWeb = "default/web:http TCP 10.96.0.50:80 cluster=10.1.0.1:8080\n";

TEST_F(ProxierTest, RemovesWhatOthersLeftWhenItMay) {
  former_may_go_ = false;
  create_web_slice();
  proxier_.poll();
  proxier_.step();
  EXPECT_TRUE(rules_.take().ends_with(kFirst));
  proxier_.step();
  EXPECT_EQ(rules_.take(), "");
  former_may_go_ = true;
  for (const std::string_view notes : {kFirst, std::string_view()}) {
    world_.clock().advance(std::chrono::seconds(30));
    proxier_.step();
    EXPECT_EQ(rules_.take(), notes);
  }
}

TEST_F(ProxierTest, WritesEverythingOnceThenOnlyWhatChanged) {
  // Nothing is known yet: rules of the former process go on.
  proxier_.step();
  EXPECT_EQ(rules_.take(), "");
  create_web_slice();
  EXPECT_EQ(step(), std::string("replace:\n") + kWeb);
  EXPECT_EQ(step(), "");
  world_.patch("discovery.k8s.io", "endpointslices", "default", "web-1",
               R"({"endpoints":[{"addresses":["10.1.0.1"]},{"addresses":["10.1.0.2"]}]})");
  EXPECT_EQ(step(),
            "apply:\ndefault/web:http TCP 10.96.0.50:80 cluster=10.1.0.1:8080,10.1.0.2:8080\n");
  world_.remove("", "services", "default", "web");
  EXPECT_EQ(step(), "apply:\n-default/web:http\n");
}

TEST_F(ProxierTest, TellsWhenAllAreWrittenTheFirstTime) {
  rules_.failures = 1;
  proxier_.poll();
  proxier_.step();
  EXPECT_FALSE(rules_.take().ends_with(kFirst));
  world_.clock().advance(std::chrono::seconds(1));
  proxier_.step();
  EXPECT_TRUE(rules_.take().ends_with(kFirst));
  rules_.disturb = true;
  world_.clock().advance(std::chrono::seconds(31));
  proxier_.step();
  const std::string again = rules_.take();
  EXPECT_TRUE(again.starts_with("replace:")) << again;
  EXPECT_FALSE(again.ends_with(kFirst));
}

TEST_F(ProxierTest, WritesNothingWhenNoPortDiffers) {
  create_web_slice();
  step();
  world_.patch("", "services", "default", "web", R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_EQ(step(), "");
}

TEST_F(ProxierTest, WritesEverythingAfterAFailureWithBackOff) {
  step();
  create_web_slice();
  rules_.failures = 2;
  EXPECT_EQ(step(), std::string("apply:\n") + kWeb);
  EXPECT_EQ(step(), "");
  world_.clock().advance(std::chrono::milliseconds(150));
  EXPECT_EQ(step(), std::string("replace:\n") + kWeb);
  world_.clock().advance(std::chrono::milliseconds(150));
  EXPECT_EQ(step(), "");
  world_.clock().advance(std::chrono::milliseconds(150));
  EXPECT_EQ(step(), std::string("replace:\n") + kWeb);
  world_.clock().advance(std::chrono::minutes(1));
  EXPECT_EQ(step(), "");
  EXPECT_EQ(proxier_.metrics().of(Family::kV4).failures.value(), 2U);
}

TEST_F(ProxierTest, RestsForAsLongAsAFailureTook) {
  create_web_slice();
  rules_.failures = 1;
  rules_.fail = [this] { world_.clock().advance(std::chrono::minutes(5)); };
  EXPECT_EQ(step(), std::string("replace:\n") + kWeb);
  world_.clock().advance(std::chrono::minutes(4));
  EXPECT_EQ(step(), "");
  world_.clock().advance(std::chrono::minutes(2));
  EXPECT_EQ(step(), std::string("replace:\n") + kWeb);
}

TEST_F(ProxierTest, WritesEverythingWhenOthersChangedRules) {
  create_web_slice();
  step();
  rules_.disturb = true;
  world_.clock().advance(std::chrono::seconds(31));
  EXPECT_EQ(step(), std::string("replace:\n") + kWeb);
}

TEST_F(ProxierTest, ReadsReportsOfTheKernelAlsoWhileItWritesNothing) {
  rules_.file = 0;
  rules_.disturb = true;
  proxier_.step();  // the API has not answered yet
  EXPECT_FALSE(rules_.disturb);
  create_web_slice();
  EXPECT_EQ(step(), std::string("replace:\n") + kWeb);
  rules_.failures = 1;
  world_.remove("", "services", "default", "web");
  EXPECT_EQ(step(), "apply:\n-default/web:http\n");
  rules_.disturb = true;
  EXPECT_EQ(step(), "");  // the next try is not due
  EXPECT_FALSE(rules_.disturb);
}

std::string logged;  // NOLINT: filled by a function without context

TEST_F(ProxierTest, BacksOffWhereOthersRemoveRulesInALoop) {
  create_web_slice();
  rules_.file = 0;
  step();
  logged.clear();
  set_log_sink([](std::string_view line) { logged += line; });
  int written = 0;
  for (int tenth = 0; tenth < 600; ++tenth) {
    rules_.disturb = true;
    if (!step().empty()) ++written;
    world_.clock().advance(std::chrono::milliseconds(100));
  }
  set_log_sink(nullptr);
  EXPECT_GE(written, 12);
  EXPECT_LE(written, 20);
  EXPECT_LE(std::count(logged.begin(), logged.end(), '\n'), 7) << logged;
  // At rest again, the next change is repaired at once.
  step();
  world_.clock().advance(std::chrono::seconds(11));
  step();
  rules_.disturb = true;
  EXPECT_EQ(step(), std::string("replace:\n") + kWeb);
}

TEST_F(ProxierTest, SaysOnceThatAHealthCheckPortIsBusy) {
  http::Server other(loops_, not_found_, {});
  int port = 31000;
  while (!other.listen({.address = "0.0.0.0", .port = port}).ok()) ++port;
  world_.create("", "services", "default",
                fmt::format(R"({{"metadata":{{"name":"lb"}},"spec":{{"clusterIP":"10.96.0.70",)"
                            R"("type":"LoadBalancer","externalTrafficPolicy":"Local",)"
                            R"("healthCheckNodePort":{},"ports":[{{"name":"http","port":80}}]}}}})",
                            port));
  logged.clear();
  set_log_sink([](std::string_view line) { logged += line; });
  step();
  create_web_slice();
  step();
  set_log_sink(nullptr);
  const std::string_view message = "listening for health checks of a Service failed";
  const size_t first = logged.find(message);
  ASSERT_NE(first, std::string::npos) << logged;
  EXPECT_NE(logged.find(fmt::format("port={}", port)), std::string::npos) << logged;
  EXPECT_EQ(logged.find(message, first + 1), std::string::npos) << logged;
}

TEST_F(ProxierTest, TriesBusyPortsOfItsOwnEveryFiveSeconds) {
  http::Server other(loops_, not_found_, {});
  const int port = other.listen({.address = "127.0.0.1", .port = 0}).value().port;
  Proxier second({.client = world_.client(),
                  .schema = api::builtin_schema(),
                  .clock = world_.clock(),
                  .random = random_,
                  .loops = loops_,
                  .pool = pool_,
                  .rules = rules_,
                  .flows = flows_,
                  .options = {.node_name = "here",
                              .healthz_address = "127.0.0.1",
                              .healthz_port = port,
                              .metrics_port = 0}});
  EXPECT_EQ(second.step(), world_.clock().steady() + std::chrono::seconds(5));
}

TEST_F(ProxierTest, ChoosesAgainWhenTheNodeMoves) {
  create_slice("web-1", "web", R"({"name":"http","port":8080})",
               R"({"addresses":["10.1.0.1"],"hints":{"forZones":[{"name":"a"}]}},)"
               R"({"addresses":["10.1.0.2"],"hints":{"forZones":[{"name":"b"}]}})");
  EXPECT_EQ(step(), std::string("replace:\n") + kWeb);
  world_.patch("", "nodes", "", "here",
               R"({"metadata":{"labels":{"topology.kubernetes.io/zone":"b"}}})");
  EXPECT_EQ(step(), "replace:\ndefault/web:http TCP 10.96.0.50:80 cluster=10.1.0.2:8080\n");
  EXPECT_EQ(rules_.zone, "b");
}

TEST_F(ProxierTest, LeavesFormerRulesWhileItsNodeIsMissing) {
  create_web_slice();
  world_.remove("", "nodes", "", "here");
  EXPECT_EQ(step(), "");
  world_.create("", "nodes", "", R"({"metadata":{"name":"here"}})");
  world_.clock().advance(std::chrono::seconds(10));
  EXPECT_EQ(step(), "");
  world_.patch("", "nodes", "", "here",
               R"({"status":{"addresses":[{"type":"InternalIP","address":"192.0.2.1"}]}})",
               "status");
  EXPECT_EQ(step(), std::string("replace:\n") + kWeb);
}

TEST_F(ProxierTest, WaitsForItsNodeThirtySeconds) {
  create_web_slice();
  world_.remove("", "nodes", "", "here");
  const Steady begin = world_.clock().steady();
  EXPECT_EQ(step(), "");
  EXPECT_LE(proxier_.step(), begin + std::chrono::seconds(30));
  world_.clock().advance(std::chrono::seconds(30));
  EXPECT_EQ(step(), std::string("replace:\n") + kWeb);
}

TEST_F(ProxierTest, GoesOnWhileItsNodeIsGone) {
  create_web_slice();
  step();
  world_.remove("", "nodes", "", "here");
  EXPECT_EQ(step(), "");
}

TEST_F(ProxierTest, KnowsTheRangesOfClusterIps) {
  step();
  const std::vector<IpPrefix> first = rules_.service_ranges;
  EXPECT_FALSE(first.empty());
  world_.create("networking.k8s.io", "servicecidrs", "",
                R"({"metadata":{"name":"more"},"spec":{"cidrs":["10.112.0.0/16"]}})");
  EXPECT_EQ(step().substr(0, 8), "replace:");
  EXPECT_EQ(rules_.service_ranges.size(), first.size() + 1);
}

TEST_F(ProxierTest, LeavesAloneWhatIsForOthers) {
  step();
  world_.create("", "services", "default",
                R"({"metadata":{"name":"theirs","labels":{)"
                R"("service.kubernetes.io/service-proxy-name":"other"}},)"
                R"("spec":{"ports":[{"port":80}]}})");
  create_slice("web-1", "web", R"({"name":"http","port":8080})", R"({"addresses":["10.1.0.1"]})",
               R"(,"service.kubernetes.io/headless":"")");
  EXPECT_EQ(step(), "");
}

TEST_F(ProxierTest, GivesAClusterIpToNobodyElse) {
  create_web_slice();
  world_.create("", "services", "default",
                R"({"metadata":{"name":"a"},"spec":{"clusterIP":"10.96.0.60",)"
                R"("type":"LoadBalancer","allocateLoadBalancerNodePorts":false,)"
                R"("ports":[{"name":"http","port":80}]}})");
  world_.patch("", "services", "default", "a",
               R"({"status":{"loadBalancer":{"ingress":[{"ip":"10.96.0.50"}]}}})", "status");
  const std::string expected = "default/a:http TCP 10.96.0.60:80 cluster=- none\n";
  EXPECT_EQ(step(), "replace:\n" + expected + kWeb);
  world_.remove("", "services", "default", "web");
  EXPECT_EQ(step(),
            "apply:\n-default/web:http\n"
            "default/a:http TCP 10.96.0.60:80 balancer=10.96.0.50 cluster=- none\n");
}

TEST_F(ProxierTest, RemovesFlowsOfUdpWhoseEndpointsChanged) {
  create_web_slice();
  step();
  EXPECT_EQ(flows_.notes, "");
  world_.create("", "services", "default",
                R"({"metadata":{"name":"dns"},"spec":{"clusterIP":"10.96.0.51",)"
                R"("ports":[{"name":"dns","port":53,"protocol":"UDP"}]}})");
  create_slice("dns-1", "dns", R"({"name":"dns","port":53,"protocol":"UDP"})",
               R"({"addresses":["10.1.0.3"]})");
  step();
  EXPECT_EQ(flows_.notes, "IPv4 ");
  EXPECT_EQ(proxier_.metrics().of(Family::kV4).flows_removed.value(), 1U);
}

TEST_F(ProxierTest, CountsServicesWithoutLocalEndpoints) {
  step();
  world_.patch("", "services", "default", "web", R"({"spec":{"internalTrafficPolicy":"Local"}})");
  create_slice("web-1", "web", R"({"name":"http","port":8080})",
               R"({"addresses":["10.1.0.1"],"nodeName":"there"})");
  step();
  EXPECT_EQ(proxier_.metrics().of(Family::kV4).no_local_internal.value(), 1);
  world_.remove("discovery.k8s.io", "endpointslices", "default", "web-1");
  step();
  EXPECT_EQ(proxier_.metrics().of(Family::kV4).no_local_internal.value(), 0);
}

}  // namespace
}  // namespace proa::proxy
