#include "cli/node/join/shared_objects.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "client/shared/shared_client.h"
#include "dns/node/follower.h"
#include "json/parse.h"
#include "policy/sources.h"
#include "proxy/changes/sources.h"
#include "proxy/objects/service_state.h"
#include "testkit/apiserver/counting_client.h"
#include "testkit/apiserver/test_clients.h"

namespace proa::cli {
namespace {

using client::Client;
using client::Informer;

constexpr const char* kWeb =
    R"({"metadata":{"name":"web","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}",)"
    R"("kept":"yes"}},"spec":{"clusterIP":"10.96.7.7","selector":{"app":"web"},)"
    R"("ports":[{"name":"http","port":80,"targetPort":8080}]}})";
constexpr const char* kWebSlice =
    R"({"metadata":{"name":"web-1","labels":{"kubernetes.io/service-name":"web"},)"
    R"("ownerReferences":[{"apiVersion":"v1","kind":"Service","name":"web","uid":"1"}]},)"
    R"("addressType":"IPv4","ports":[{"name":"http","port":8080,"protocol":"TCP"}],"endpoints":[)"
    R"({"addresses":["10.244.1.2"],"conditions":{"ready":true},"nodeName":"node","hostname":"web-0",)"
    R"("targetRef":{"kind":"Pod","name":"web-0","namespace":"default"}}]})";

// What is followed as a whole by the components of a node.
struct Components {
  Components(Client& client, Clock& clock, Random& random)
      : services(client, clock, random, kubelets_services()),
        names({.client = client,
               .schema = api::builtin_schema(),
               .clock = clock,
               .random = random,
               .metrics = metrics,
               .cluster = cluster,
               .node = "node"}),
        proxied({.client = client,
                 .schema = api::builtin_schema(),
                 .clock = clock,
                 .random = random,
                 .metrics = proxy_metrics,
                 .node_name = "node",
                 .wake = [] {}}),
        policies({.client = client,
                  .schema = api::builtin_schema(),
                  .clock = clock,
                  .random = random,
                  .wake = [] {}}),
        poller(clock) {
    poller.add(services);
    names.join(poller);
    proxied.join(poller);
    policies.join(poller);
    poller.start();
  }
  static client::Selector kubelets_services() {
    client::Selector all;
    all.place.resource = api::builtin_schema().find_resource("", "v1", "services");
    return all;
  }
  bool synced() const {
    return services.synced() && names.synced() && proxied.synced() && policies.synced();
  }

  Metrics metrics;
  proxy::ProxyMetrics proxy_metrics{proxy::Mode::kNftables};
  dns::ClusterState cluster{dns::Zone::make({.servers = {parse_ip("10.96.0.10").value()}}).value()};
  Informer services;
  dns::Follower names;
  proxy::Sources proxied;
  policy::Sources policies;
  Poller poller;  // last: its thread ends first
};

class ObjectsToShareTest : public testing::Test {
 protected:
  void create(std::string_view group, std::string_view resource, const char* text) {
    const auto made = kit_.client().create(
        {.resource = api::builtin_schema().find_resource(group, "v1", resource),
         .name_space = "default",
         .name = {},
         .subresource = {}},
        json::parse_literal(text), {}, {});
    ASSERT_TRUE(made.ok()) << made.status().message();
  }

  // As the server has it.
  api::ObjectPtr get(std::string_view group, std::string_view resource, std::string name) {
    return kit_.client()
        .get({.resource = api::builtin_schema().find_resource(group, "v1", resource),
              .name_space = "default",
              .name = std::move(name),
              .subresource = {}},
             {})
        .value();
  }

  apiserver::LocalTestClient kit_;
  testkit::CountingClient counted_{kit_.client()};
  client::SharedClient shared_{counted_, kit_.clock(), kit_.random(),
                               objects_to_share(api::builtin_schema())};
  const client::Key web_{"default", "web"};
};

TEST_F(ObjectsToShareTest, AreRequestedAndHeldOncePerNode) {
  create("", "services", kWeb);
  create("discovery.k8s.io", "endpointslices", kWebSlice);
  shared_.start();
  Components node(shared_, kit_.clock(), kit_.random());
  while (!node.synced()) kit_.clock().advance(std::chrono::milliseconds(1));
  for (const char* resource : {"services", "endpointslices", "namespaces"}) {
    EXPECT_EQ(counted_.watches(resource), 1) << resource;
    EXPECT_EQ(counted_.lists(resource), 0) << resource;
  }
  ASSERT_NE(node.services.cache().get(web_), nullptr);
  EXPECT_EQ(node.services.cache().get(web_), node.proxied.service(web_));
  node.poller.stop();
  shared_.stop();
}

TEST_F(ObjectsToShareTest, HaveAllThatTheComponentsRead) {
  create("", "services", kWeb);
  create("discovery.k8s.io", "endpointslices", kWebSlice);
  shared_.start();
  Components node(shared_, kit_.clock(), kit_.random());
  while (!node.synced()) kit_.clock().advance(std::chrono::milliseconds(1));
  const auto slices = node.proxied.slices_of(web_);
  ASSERT_EQ(slices.size(), 1U);
  const proxy::NodeFacts here{.name = "node"};
  const auto read = proxy::read_service(*node.proxied.service(web_), slices, here);
  const auto whole =
      proxy::read_service(*get("", "services", "web"),
                          std::vector{get("discovery.k8s.io", "endpointslices", "web-1")}, here);
  EXPECT_EQ(read.ports, whole.ports);
  ASSERT_EQ(read.ports.size(), 1U);
  EXPECT_EQ(read.local_ready[0], 1U);
  {
    ReaderLock lock(node.cluster.mutex);
    const dns::ServiceEntry* entry = node.cluster.index.find("default", "web");
    ASSERT_NE(entry, nullptr);
    ASSERT_EQ(entry->slices.size(), 1U);
    EXPECT_EQ(entry->slices[0].facts.endpoints[0].hostname, "web-0");
  }
  node.poller.stop();
  shared_.stop();
}

TEST_F(ObjectsToShareTest, LackWhatNobodyReads) {
  create("", "services", kWeb);
  create("discovery.k8s.io", "endpointslices", kWebSlice);
  for (const client::Selector& selector : objects_to_share(api::builtin_schema())) {
    const client::ObjectList listed = kit_.client().list(selector.place, {}, {}).value();
    for (const api::ObjectPtr& whole : listed.items) {
      SCOPED_TRACE(whole->json());
      const api::ObjectPtr slim = selector.slim(whole);
      EXPECT_EQ(slim->metadata().uid, whole->metadata().uid);
      EXPECT_EQ(slim->metadata().resource_version, whole->metadata().resource_version);
      EXPECT_EQ(slim->metadata().labels, whole->metadata().labels);
      for (const char* unread :
           {"managedFields", "ownerReferences", "last-applied-configuration", "targetRef"}) {
        EXPECT_EQ(slim->json().find(unread), std::string::npos) << slim->json();
      }
      EXPECT_EQ(slim->json().find("kept") == std::string::npos,
                whole->json().find("kept") == std::string::npos);
    }
  }
}

}  // namespace
}  // namespace proa::cli
