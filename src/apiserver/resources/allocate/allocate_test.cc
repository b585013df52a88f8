#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "apiserver/objects/keys.h"
#include "apiserver/resources/allocate/cidr_removal.h"
#include "apiserver/resources/allocate/service_ranges.h"
#include "apiserver/resources/write/remove.h"
#include "apiserver/resources/write/update.h"
#include "base/strings.h"
#include "json/patch/merge_patch.h"
#include "json/print.h"
#include "json/yaml.h"
#include "testkit/apiserver/test_cluster.h"
#include "testkit/golden.h"

namespace proa::apiserver {
namespace {

using testkit::TestCluster;

// Runs testdata/services.txt: creates, changes and deletes Services, and prints their allocations.
class Script {
 public:
  std::string run(std::string_view text) {
    const auto lines = split_once(text, '\n');
    const std::string_view rest = lines ? lines->after : "";
    const std::vector<std::string_view> words = split(lines ? lines->before : text, ' ');
    const std::string name = words.size() > 1 ? std::string(words[1]) : "";
    if (cluster_ != nullptr) cluster_->random.begin_case(text);
    if (words[0] == "cluster") return begin(name, std::string(words.at(2)));
    if (words[0] == "create") return create(name, rest, false);
    if (words[0] == "try") return create(name, rest, true);
    if (words[0] == "patch") return patch("", "services", name, rest);
    if (words[0] == "delete") return remove("", "services", name);
    if (words[0] == "taken") return taken();
    if (words[0] == "cidr") return create_cidr(name, words.at(2));
    if (words[0] == "delete-cidr") return remove("networking.k8s.io", "servicecidrs", name);
    if (words[0] == "delete-address") return remove("networking.k8s.io", "ipaddresses", name);
    if (words[0] == "tidy") return tidy();
    if (words[0] == "cidrs") return cidrs();
    return "no such command\n";
  }

 private:
  std::string begin(const std::string& cidrs, const std::string& ports) {
    cluster_ = std::make_unique<TestCluster>(ApiServerOptions{
        .advertise_address = "192.0.2.1", .service_cidr = cidrs, .node_port_range = ports});
    const Result<void> started = cluster_->start();
    return started ? "" : started.status().message() + "\n";
  }

  static std::string shown(const Result<Written>& written) {
    if (!written) return describe(written.status());
    const json::Document document = *written->object->document();
    const api::View spec = api::View(document.root())["spec"];
    std::string text;
    for (const char* field :
         {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "healthCheckNodePort"}) {
      if (!spec[field]) continue;
      text += std::string(field) + ": " + json::print(*spec[field].value()) + "\n";
    }
    for (const api::View port : spec["ports"].items()) {
      if (!port["nodePort"]) continue;
      text += std::to_string(port["port"].integer()) + "/" + std::string(port["protocol"].text()) +
              " at " + std::to_string(port["nodePort"].integer()) + "\n";
    }
    return text.empty() ? "nothing\n" : text;
  }

  static std::string describe(const Status& status) {
    return std::to_string(status.code()) + " " + status.message() + "\n";
  }

  std::string create(const std::string& name, std::string_view spec, bool dry_run) {
    const std::string text = "apiVersion: v1\nkind: Service\nmetadata: {name: " + name +
                             "}\nspec: " + std::string(spec) + "\n";
    return shown(
        cluster_->create(cluster_->request("", "services", ""), text, {.dry_run = dry_run}));
  }

  std::string create_cidr(const std::string& name, std::string_view cidr) {
    const auto request = cluster_->request("networking.k8s.io", "servicecidrs", "");
    const auto written = cluster_->create(
        request, "apiVersion: networking.k8s.io/v1\nkind: ServiceCIDR\nmetadata: {name: " + name +
                     "}\nspec: {cidrs: ['" + std::string(cidr) + "']}\n");
    return written ? "" : describe(written.status());
  }

  std::string patch(std::string_view group, std::string_view resource, const std::string& name,
                    std::string_view spec) {
    Request request = cluster_->request(group, resource, name);
    request.verb = api::Verb::kPatch;
    const json::Document change = *json::parse_yaml("spec: " + std::string(spec));
    return shown(change_object(cluster_->context, request, {}, update_rules(request),
                               [&](const json::Document& old) -> Result<Body> {
                                 json::Document body = old.copy();
                                 json::apply_merge_patch(body, change.root());
                                 return Body{std::move(body)};
                               }));
  }

  std::string remove(std::string_view group, std::string_view resource, const std::string& name) {
    Request request = cluster_->request(group, resource, name);
    request.verb = api::Verb::kDelete;
    const Result<Removed> removed = remove_object(cluster_->context, request, {});
    if (!removed) return describe(removed.status());
    return removed->gone ? "gone\n" : "waits\n";
  }

  std::string taken() {
    std::string text;
    for (const char* prefix : {"/registry/ipaddresses/", "/registry/ranges/servicenodeports/"}) {
      const auto found = cluster_->store->range({.keys = store::KeyRange::prefix(prefix)});
      for (const store::EntryPtr& entry : found->entries) {
        text += std::string(entry->key().substr(std::string_view(prefix).size())) + " ";
        const json::Document document = *api::Object(entry->value()).document();
        const api::View root = document.root();
        const api::View owner = root["spec"] ? root["spec"]["parentRef"] : root;
        text +=
            std::string(owner["namespace"].text()) + "/" + std::string(owner["name"].text()) + "\n";
      }
    }
    return text;
  }

  std::string tidy() {
    const Result<bool> waiting = remove_unused_cidrs(cluster_->context);
    if (!waiting) return describe(waiting.status());
    return *waiting ? "some wait\n" : "";
  }

  std::string cidrs() {
    std::string text;
    const auto found =
        cluster_->store->range({.keys = store::KeyRange::prefix("/registry/servicecidrs/")});
    for (const store::EntryPtr& entry : found->entries) {
      const json::Document document = *object_of(entry)->document();
      const api::View object = document.root();
      text += std::string(object["metadata"]["name"].text()) + " " +
              json::print(*object["spec"]["cidrs"].value());
      for (const api::View finalizer : object["metadata"]["finalizers"].items()) {
        text += " " + std::string(finalizer.text());
      }
      const api::View condition = object["status"]["conditions"].item(0);
      text += "\n  " + std::string(condition["type"].text()) + "=" +
              std::string(condition["status"].text()) + " " +
              std::string(condition["reason"].text()) + ": " +
              std::string(condition["message"].text()) + "\n";
    }
    return text;
  }

  std::unique_ptr<TestCluster> cluster_;
};

void run_script(const char* name) {
  Script script;
  testkit::run_golden(std::filesystem::path(__FILE__).parent_path() / "testdata" / name,
                      [&](std::string_view command) { return script.run(command); });
}

TEST(ServiceAllocation, FollowsTheScript) { run_script("services.txt"); }
TEST(ServiceAllocation, KnowsTwoFamilies) { run_script("dual_stack.txt"); }
TEST(ServiceCidrs, FollowTheScript) { run_script("service_cidrs.txt"); }

// The allocations of Services, checked for uniqueness.
class Census {
 public:
  void count(const TestCluster& cluster) {
    const auto found =
        cluster.store->range({.keys = store::KeyRange::prefix("/registry/services/specs/")});
    for (const store::EntryPtr& entry : found->entries) {
      const json::Document document = *object_of(entry)->document();
      const api::View spec = api::View(document.root())["spec"];
      EXPECT_TRUE(addresses_.insert(std::string(spec["clusterIP"].text())).second);
      for (const api::View port : spec["ports"].items()) {
        if (!port["nodePort"]) continue;
        EXPECT_TRUE(ports_.insert(port["nodePort"].integer()).second);
      }
    }
  }
  size_t addresses() const { return addresses_.size(); }
  size_t ports() const { return ports_.size(); }

 private:
  std::set<std::string> addresses_;
  std::set<int64_t> ports_;
};

TEST(ServiceAllocation, GivesNothingTwice) {
  constexpr size_t kThreads = 8;
  constexpr size_t kEach = 200;
  // As narrow as possible: the last Services find few free addresses.
  TestCluster cluster({.advertise_address = "192.0.2.1",
                       .service_cidr = "10.0.0.0/21",
                       .node_port_range = "30000-31599"});
  ASSERT_TRUE(cluster.start().ok());
  {
    std::vector<std::jthread> threads;
    for (size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&cluster, t] {
        for (size_t i = 0; i < kEach; ++i) {
          const auto written = cluster.create(
              cluster.request("", "services", ""),
              "{apiVersion: v1, kind: Service, metadata: {name: s" + std::to_string(t) + "-" +
                  std::to_string(i) + "}, spec: {type: NodePort, ports: [{port: 80}]}}");
          ASSERT_TRUE(written.ok()) << written.status().message();
        }
      });
    }
  }
  Census census;
  census.count(cluster);
  EXPECT_EQ(census.addresses(), kThreads * kEach + 1);
  EXPECT_EQ(census.ports(), kThreads * kEach);
  EXPECT_EQ(*cluster.store->count(store::KeyRange::prefix("/registry/ipaddresses/"), {}),
            kThreads * kEach + 1);
  EXPECT_EQ(*cluster.store->count(store::KeyRange::prefix("/registry/ranges/"), {}),
            kThreads * kEach);
  const auto full = cluster.create(cluster.request("", "services", ""),
                                   "{apiVersion: v1, kind: Service, metadata: {name: last}, "
                                   "spec: {type: NodePort, ports: [{port: 80}]}}");
  EXPECT_TRUE(full.is(Reason::kInternalError));
}

// Threads create and delete the same few: the remaining Services have exactly the allocated
// addresses.
TEST(ServiceAllocation, LosesNothing) {
  TestCluster cluster({.advertise_address = "192.0.2.1",
                       .service_cidr = "10.0.0.0/24",
                       .node_port_range = "30000-30040"});
  ASSERT_TRUE(cluster.start().ok());
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&cluster, t] {
        SeededRandom random(static_cast<uint64_t>(t) + 100);
        for (int i = 0; i < 200; ++i) {
          const std::string name = "s" + std::to_string(random.below(8));
          Request request = cluster.request("", "services", name);
          if (random.below(2) == 0) {
            static_cast<void>(remove_object(cluster.context, request, {}));
            continue;
          }
          static_cast<void>(cluster.create(
              request, "{apiVersion: v1, kind: Service, metadata: {name: " + name +
                           "}, spec: {type: LoadBalancer, externalTrafficPolicy: Local, ports: "
                           "[{port: 80}]}}"));
        }
      });
    }
  }
  Census census;
  census.count(cluster);
  EXPECT_EQ(*cluster.store->count(store::KeyRange::prefix("/registry/ipaddresses/"), {}),
            census.addresses());
  // One for the port and one for the health check; the kubernetes Service has none.
  EXPECT_EQ(*cluster.store->count(store::KeyRange::prefix("/registry/ranges/"), {}),
            2 * (census.addresses() - 1));
}

TEST(CidrRemoval, ActsOnEvents) {
  TestCluster cluster({.advertise_address = "192.0.2.1", .service_cidr = "10.0.0.0/24"});
  ASSERT_TRUE(cluster.start().ok());
  WorkerPool pool;
  const CidrRemoval removal(cluster.context, pool);
  const Request more = cluster.request("networking.k8s.io", "servicecidrs", "more");
  ASSERT_TRUE(cluster
                  .create(more,
                          "{apiVersion: networking.k8s.io/v1, kind: ServiceCIDR, metadata: {name: "
                          "more}, spec: {cidrs: [10.9.0.0/24]}}")
                  .ok());
  const Request service = cluster.request("", "services", "a");
  ASSERT_TRUE(cluster
                  .create(service,
                          "{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {clusterIP: "
                          "10.9.0.1, ports: [{port: 80}]}}")
                  .ok());
  const auto watch = cluster.store->watch({.prefix = "/registry/servicecidrs/", .from = {}});
  const auto wait_for = [&](auto is_it) {
    while (true) {
      const auto batch = (*watch)->next(100);
      for (const store::Event& event : batch->events) {
        if (is_it(event)) return;
      }
      if (batch->events.empty()) static_cast<void>((*watch)->wait({}));
    }
  };
  ASSERT_TRUE(remove_object(cluster.context, more, {}).ok());
  wait_for([](const store::Event& event) {
    return event.entry->value().find("Terminating") != std::string_view::npos;
  });
  ASSERT_TRUE(remove_object(cluster.context, service, {}).ok());
  wait_for([](const store::Event& event) { return event.entry->deleted(); });
  EXPECT_EQ(*cluster.store->get("/registry/servicecidrs/more"), nullptr);
}

TEST(Allocation, IsCounted) {
  TestCluster cluster({.advertise_address = "192.0.2.1",
                       .service_cidr = "10.0.0.0/28",
                       .node_port_range = "30000-30002"});
  ASSERT_TRUE(cluster.start().ok());
  const auto create = [&](const std::string& name, const std::string& spec, bool dry_run = false) {
    return cluster
        .create(
            cluster.request("", "services", ""),
            "{apiVersion: v1, kind: Service, metadata: {name: " + name + "}, spec: " + spec + "}",
            {.dry_run = dry_run})
        .ok();
  };
  EXPECT_TRUE(create("a", "{type: NodePort, ports: [{port: 80}]}"));
  EXPECT_TRUE(create("b", "{clusterIP: 10.0.0.9, ports: [{port: 80}]}"));
  EXPECT_FALSE(create("c", "{clusterIP: 10.0.0.9, ports: [{port: 80}]}"));
  EXPECT_FALSE(create("d", "{type: NodePort, ports: [{port: 80, nodePort: 31000}]}"));
  EXPECT_TRUE(create("e", "{type: NodePort, ports: [{port: 80}]}", true));
  cluster.cluster_ips.measure();
  cluster.node_ports.measure();
  MetricsText metrics;
  cluster.cluster_ips.write_metrics(metrics);
  cluster.node_ports.write_metrics(metrics);
  const std::string text = metrics.take();
  const std::string cidr = R"({cidr="10.0.0.0/28")";
  for (const std::string& line :
       {"clusterip_allocator_allocated_ips" + cidr + "} 3",
        "clusterip_allocator_available_ips" + cidr + "} 11",
        "clusterip_allocator_allocation_total" + cidr + R"(,scope="static"} 2)",
        "clusterip_allocator_allocation_errors_total" + cidr + R"(,scope="static"} 1)",
        "clusterip_allocator_allocation_duration_seconds_bucket" + cidr + R"(,le="0.005"} 4)",
        std::string("nodeport_allocator_allocated_ports 1"),
        std::string("nodeport_allocator_available_ports 2"),
        std::string(R"(nodeport_allocator_allocation_total{scope="dynamic"} 1)"),
        std::string(R"(nodeport_allocator_allocation_errors_total{scope="static"} 1)")}) {
    EXPECT_NE(text.find("\nkube_apiserver_" + line + "\n"), std::string::npos) << line << text;
  }
}

}  // namespace
}  // namespace proa::apiserver
