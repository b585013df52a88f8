#include "apiserver/access/admission/quota/resource_quota.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

#include "apiserver/access/admission/admission_metrics.h"
#include "apiserver/access/admission/policies/params.h"
#include "apiserver/access/authz/authorizer.h"
#include "apiserver/objects/keys.h"
#include "apiserver/resources/write/remove.h"
#include "apiserver/resources/write/update.h"
#include "json/patch/merge_patch.h"
#include "json/yaml.h"
#include "testkit/apiserver/test_cluster.h"

namespace proa::apiserver {
namespace {

class NobodyAuthorizer final : public Authorizer {
 public:
  Verdict authorize(const Attributes&) override { return {}; }
  void list_rules(const User&, std::string_view, RuleList&) override {}
};

// Two independent servers over one store, whose writes to the namespace "default" are subject to
// quotas.
class QuotaCluster {
 public:
  // `configuration`: limitedResources, if there are any.
  explicit QuotaCluster(const std::string& configuration = "null")
      : configuration_(*json::parse_yaml(configuration)) {
    EXPECT_TRUE(cluster_.start().ok());
    context_.hooks = hooks_;
    other_context_.hooks = other_hooks_;
  }

  Result<Written> create(std::string_view group, std::string_view resource,
                         const std::string& object, const WriteOptions& options = {},
                         bool at_other = false) {
    const Request request = cluster_.request(group, resource, "");
    api::Decoded body = TRY(decode_body("application/yaml", object, *request.resource->type,
                                        cluster_.schema, api::FieldValidation::kStrict));
    return create_object(at_other ? other_context_ : context_, request, {std::move(body.document)},
                         options);
  }

  Result<Written> create_quota(const std::string& name, const std::string& spec) {
    return create("", "resourcequotas",
                  "{apiVersion: v1, kind: ResourceQuota, metadata: {name: " + name +
                      "}, spec: " + spec + "}");
  }

  Result<Written> create_pod(const std::string& name, const std::string& cpu,
                             const WriteOptions& options = {}) {
    const std::string resources = cpu.empty() ? "" : ", resources: {requests: {cpu: " + cpu + "}}";
    return create("", "pods",
                  "{apiVersion: v1, kind: Pod, metadata: {name: " + name +
                      "}, spec: {containers: [{name: c, image: i" + resources + "}]}}",
                  options);
  }

  Result<Written> create_config_map(const std::string& name, bool at_other = false) {
    return create("", "configmaps",
                  "{apiVersion: v1, kind: ConfigMap, metadata: {name: " + name + "}}", {},
                  at_other);
  }

  Result<Written> patch(std::string_view resource, const std::string& name,
                        const std::string& change, std::string_view part = "") {
    Request request = cluster_.request("", resource, name);
    request.verb = api::Verb::kPatch;
    if (!part.empty()) request.subresource = request.resource->find_subresource(part);
    const json::Document patch = *json::parse_yaml(change);
    return change_object(context_, request, {}, update_rules(request),
                         [&](const json::Document& old) -> Result<Body> {
                           json::Document body = old.copy();
                           json::apply_merge_patch(body, patch.root());
                           return Body{std::move(body)};
                         });
  }

  Result<Removed> remove(std::string_view resource, const std::string& name) {
    Request request = cluster_.request("", resource, name);
    request.verb = api::Verb::kDelete;
    return remove_object(context_, request, {});
  }

  // "configmaps=1,pods=2" of status.used, or of another list.
  std::string used(const std::string& name, const char* list = "used") const {
    const auto entry = cluster_.store->get("/registry/resourcequotas/default/" + name);
    const json::Document quota = *object_of(*entry)->document();
    return kinds::quota::text_of(
        kinds::quota::read_amounts(api::View(quota.root())["status"][list]));
  }

  size_t count(const std::string& resource) const {
    return *cluster_.store->count(store::KeyRange::prefix("/registry/" + resource + "/default/"),
                                  {});
  }

  testkit::TestCluster& cluster() { return cluster_; }
  const ApiContext& context() const { return context_; }

 private:
  testkit::TestCluster cluster_{{.advertise_address = "192.0.2.1"}};
  NobodyAuthorizer nobody_;
  AdmissionMetrics metrics_{cluster_.clock};
  PolicyParams params_{*cluster_.store, cluster_.schema};
  const json::Document configuration_;

  std::unique_ptr<AdmissionPlugin> make() {
    return *ResourceQuota::make({.store = *cluster_.store,
                                 .schema = cluster_.schema,
                                 .clock = cluster_.clock,
                                 .random = cluster_.random,
                                 .authorizer = nobody_,
                                 .metrics = metrics_,
                                 .params = params_,
                                 .configuration = configuration_.root()});
  }

  const std::unique_ptr<AdmissionPlugin> plugin_ = make();
  const std::unique_ptr<AdmissionPlugin> other_plugin_ = make();
  const std::array<WriteHook*, 3> hooks_{cluster_.hooks[0], cluster_.hooks[1], plugin_->hook()};
  const std::array<WriteHook*, 3> other_hooks_{cluster_.hooks[0], cluster_.hooks[1],
                                               other_plugin_->hook()};
  ApiContext context_ = cluster_.context;
  ApiContext other_context_ = cluster_.context;
};

std::string message_of(const Result<Written>& written) {
  return written ? "" : written.status().message();
}

TEST(ResourceQuota, ChargesWhatIsStored) {
  QuotaCluster cluster;
  ASSERT_TRUE(cluster.create_quota("q", "{hard: {pods: '2', cpu: '1'}}").ok());
  EXPECT_EQ(message_of(cluster.create_pod("a", "400m")), "");
  EXPECT_EQ(cluster.used("q"), "cpu=400m,pods=1");
  EXPECT_EQ(cluster.used("q", "hard"), "cpu=1,pods=2");
  EXPECT_EQ(message_of(cluster.create_pod("b", "700m")),
            "pods \"b\" is forbidden: exceeded quota: q, requested: cpu=700m, used: cpu=400m, "
            "limited: cpu=1");
  EXPECT_EQ(message_of(cluster.create_pod("b", "600m")), "");
  const auto third = cluster.create_pod("c", "0");
  EXPECT_EQ(message_of(third),
            "pods \"c\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, "
            "limited: pods=2");
  EXPECT_TRUE(third.is(Reason::kForbidden));
  EXPECT_EQ(third.status().details().kind, "pods");
  EXPECT_EQ(message_of(cluster.create_pod("d", "")),
            "pods \"d\" is forbidden: failed quota: q: must specify cpu for: c");
  EXPECT_EQ(cluster.used("q"), "cpu=1,pods=2");
  EXPECT_EQ(cluster.count("pods"), 2);
}

TEST(ResourceQuota, ChargesNothingThatIsNotStored) {
  QuotaCluster cluster;
  ASSERT_TRUE(cluster.create_quota("q", "{hard: {pods: '2'}}").ok());
  EXPECT_TRUE(cluster.create_pod("a", "").ok());
  EXPECT_TRUE(cluster.create_pod("b", "", {.dry_run = true}).ok());
  EXPECT_TRUE(cluster.create_pod("a", "").is(Reason::kAlreadyExists));
  EXPECT_EQ(cluster.used("q"), "pods=1");
  EXPECT_TRUE(cluster.create_pod("b", "").ok());
  EXPECT_TRUE(cluster.create_pod("c", "", {.dry_run = true}).is(Reason::kForbidden));
}

TEST(ResourceQuota, KnowsWhatWasThereBefore) {
  QuotaCluster cluster;
  ASSERT_TRUE(cluster.create_pod("old", "").ok());
  ASSERT_TRUE(cluster.create_config_map("old").ok());
  ASSERT_TRUE(
      cluster.create_quota("q", "{hard: {pods: '2', configmaps: '9', count/x.example.com: '1'}}")
          .ok());
  EXPECT_EQ(cluster.used("q"), "");
  EXPECT_TRUE(cluster.create_pod("a", "").ok());
  EXPECT_EQ(cluster.used("q"), "configmaps=1,pods=2");
  EXPECT_TRUE(cluster.create_pod("b", "").is(Reason::kForbidden));
}

TEST(ResourceQuota, FollowsItsSpec) {
  QuotaCluster cluster;
  ASSERT_TRUE(cluster.create_quota("q", "{hard: {pods: '1'}}").ok());
  ASSERT_TRUE(cluster.create_pod("a", "").ok());
  ASSERT_TRUE(cluster.create_pod("b", "").is(Reason::kForbidden));
  ASSERT_TRUE(
      cluster.patch("resourcequotas", "q", "{spec: {hard: {pods: '3', secrets: '0'}}}").ok());
  EXPECT_EQ(message_of(cluster.create_pod("b", "")), "");
  EXPECT_EQ(cluster.used("q"), "pods=2,secrets=0");
  EXPECT_EQ(cluster.used("q", "hard"), "pods=3,secrets=0");
}

TEST(ResourceQuota, ChargesEachQuotaThatLimits) {
  QuotaCluster cluster;
  ASSERT_TRUE(cluster.create_quota("all", "{hard: {pods: '9'}}").ok());
  ASSERT_TRUE(cluster.create_quota("poor", "{hard: {pods: '1'}, scopes: [BestEffort]}").ok());
  ASSERT_TRUE(cluster.create_quota("rich", "{hard: {pods: '1'}, scopes: [NotBestEffort]}").ok());
  EXPECT_TRUE(cluster.create_pod("a", "").ok());
  EXPECT_TRUE(cluster.create_pod("b", "1").ok());
  EXPECT_EQ(message_of(cluster.create_pod("c", "")),
            "pods \"c\" is forbidden: exceeded quota: poor, requested: pods=1, used: pods=1, "
            "limited: pods=1");
  EXPECT_EQ(cluster.used("all"), "pods=2");
  EXPECT_EQ(cluster.used("poor"), "pods=1");
  EXPECT_EQ(cluster.used("rich"), "pods=1");
}

TEST(ResourceQuota, ChargesUpdates) {
  QuotaCluster cluster;
  ASSERT_TRUE(cluster.create_quota("q", "{hard: {services: '5', services.nodeports: '1'}}").ok());
  ASSERT_TRUE(cluster
                  .create("", "services",
                          "{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {ports: "
                          "[{port: 1}]}}")
                  .ok());
  // The other one is the server's own.
  EXPECT_EQ(cluster.used("q"), "services=2,services.nodeports=0");
  EXPECT_EQ(message_of(cluster.patch("services", "s", "{spec: {type: NodePort}}")), "");
  EXPECT_EQ(cluster.used("q"), "services=2,services.nodeports=1");
  EXPECT_EQ(
      message_of(cluster.patch("services", "s",
                               "{spec: {ports: [{name: a, port: 1}, {name: b, port: 2}]}}")),
      "services \"s\" is forbidden: exceeded quota: q, requested: services.nodeports=1, used: "
      "services.nodeports=1, limited: services.nodeports=1");
  // Usage is released by the controller.
  EXPECT_TRUE(cluster.patch("services", "s", "{spec: {type: ClusterIP}}").ok());
  EXPECT_EQ(cluster.used("q"), "services=2,services.nodeports=1");
}

TEST(ResourceQuota, LeavesDeletionsToTheController) {
  QuotaCluster cluster;
  ASSERT_TRUE(cluster.create_quota("q", "{hard: {configmaps: '1'}}").ok());
  ASSERT_TRUE(cluster.create_config_map("a").ok());
  ASSERT_TRUE(cluster.remove("configmaps", "a").ok());
  EXPECT_EQ(cluster.used("q"), "configmaps=1");
  ASSERT_TRUE(
      cluster.patch("resourcequotas", "q", "{status: {used: {configmaps: '0'}}}", "status").ok());
  EXPECT_EQ(message_of(cluster.create_config_map("b")), "");
}

TEST(ResourceQuota, CountsQuotas) {
  QuotaCluster cluster;
  ASSERT_TRUE(cluster.create_quota("q", "{hard: {resourcequotas: '2'}}").ok());
  EXPECT_TRUE(cluster.create_quota("r", "{hard: {pods: '1'}}").ok());
  EXPECT_EQ(cluster.used("q"), "resourcequotas=2");
  EXPECT_TRUE(cluster.create_quota("s", "{hard: {pods: '1'}}").is(Reason::kForbidden));
}

// Several objects in one commit, as at the start of a server.
TEST(ResourceQuota, ChargesACommitOfSeveralObjects) {
  QuotaCluster cluster;
  ASSERT_TRUE(cluster.create_quota("q", "{hard: {configmaps: '2'}}").ok());
  const Request request = cluster.cluster().request("", "configmaps", "");
  store::Txn txn;
  const auto add = [&] {
    json::Document document = *json::parse_yaml("{apiVersion: v1, kind: ConfigMap, metadata: {}}");
    std::vector<std::shared_ptr<void>> held;
    return run_write_hooks(cluster.context(), api::Edit(document),
                           {.request = request, .old = {}, .txn = txn, .held = held});
  };
  EXPECT_TRUE(add().ok());
  EXPECT_TRUE(add().ok());
  EXPECT_TRUE(add().is(Reason::kForbidden));
  EXPECT_EQ(txn.operations.size(), 1);
  EXPECT_EQ(txn.compares.size(), 1);
  ASSERT_TRUE(cluster.context().store.commit(std::move(txn), store::Durability::kLazy)->succeeded);
  EXPECT_EQ(cluster.used("q"), "configmaps=2");
}

constexpr size_t kThreads = 64;

// Calls `create` several times on each of several threads; returns how many succeeded. The others
// must be rejected.
template <typename Create>
size_t race(size_t times, Create create) {
  std::atomic<size_t> succeeded = 0;
  {
    std::vector<std::jthread> threads;
    for (size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (size_t i = 0; i < times; ++i) {
          const Result<Written> written = create("o" + std::to_string(t) + "-" + std::to_string(i));
          if (written) {
            ++succeeded;
          } else {
            EXPECT_TRUE(written.is(Reason::kForbidden)) << written.status().message();
          }
        }
      });
    }
  }
  return succeeded;
}

TEST(ResourceQuota, IsExactWhenManyRaceForPods) {
  QuotaCluster cluster;
  ASSERT_TRUE(cluster.create_quota("q", "{hard: {pods: '50'}}").ok());
  EXPECT_EQ(race(2, [&](const std::string& name) { return cluster.create_pod(name, ""); }), 50);
  EXPECT_EQ(cluster.count("pods"), 50);
  EXPECT_EQ(cluster.used("q"), "pods=50");
}

TEST(ResourceQuota, IsExactWhenManyRaceForObjects) {
  QuotaCluster cluster;
  ASSERT_TRUE(cluster.create_quota("q", "{hard: {count/configmaps: '70'}}").ok());
  // A second quota that never rejects doubles what can be lost.
  ASSERT_TRUE(cluster.create_quota("r", "{hard: {configmaps: '1000'}}").ok());
  const size_t before = cluster.count("configmaps");
  EXPECT_EQ(race(2, [&](const std::string& name) { return cluster.create_config_map(name); }),
            70 - before);
  EXPECT_EQ(cluster.count("configmaps"), 70);
  EXPECT_EQ(cluster.used("q"), "count/configmaps=70");
  EXPECT_EQ(cluster.used("r"), "configmaps=70");
}

TEST(ResourceQuota, IsExactWhenManyRaceForCpu) {
  QuotaCluster cluster;
  ASSERT_TRUE(cluster.create_quota("q", "{hard: {cpu: '4', requests.cpu: '5'}}").ok());
  EXPECT_EQ(race(1, [&](const std::string& name) { return cluster.create_pod(name, "100m"); }), 40);
  EXPECT_EQ(cluster.used("q"), "cpu=4,requests.cpu=4");
}

TEST(ResourceQuota, IsExactBetweenServers) {
  QuotaCluster cluster;
  ASSERT_TRUE(cluster.create_quota("q", "{hard: {configmaps: '100'}}").ok());
  const size_t before = cluster.count("configmaps");
  EXPECT_EQ(race(2,
                 [&](const std::string& name) {
                   return cluster.create_config_map(name, name.back() == '1');
                 }),
            100 - before);
  EXPECT_EQ(cluster.count("configmaps"), 100);
  EXPECT_EQ(cluster.used("q"), "configmaps=100");
}

// A quota created during concurrent writes has counted all objects at its first charge.
TEST(ResourceQuota, IsExactFromTheFirstObjectOn) {
  QuotaCluster cluster;
  std::atomic<bool> made = false;
  std::jthread maker([&] {
    while (cluster.count("configmaps") < 100) std::this_thread::yield();
    EXPECT_TRUE(cluster.create_quota("q", "{hard: {configmaps: '1000000'}}").ok());
    made = true;
  });
  race(20, [&](const std::string& name) { return cluster.create_config_map(name); });
  maker.join();
  ASSERT_TRUE(made);
  ASSERT_TRUE(cluster.create_config_map("last").ok());
  EXPECT_EQ(cluster.used("q"), "configmaps=" + std::to_string(cluster.count("configmaps")));
}

// A concurrent writer of the quota that does not take the lock costs a retry.
TEST(ResourceQuota, StandsOthersWhoWriteTheQuota) {
  QuotaCluster cluster;
  ASSERT_TRUE(cluster.create_quota("q", "{hard: {pods: '20'}}").ok());
  std::jthread meddler([&](const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested(); ++i) {
      static_cast<void>(cluster.patch("resourcequotas", "q",
                                      "{metadata: {labels: {a: x" + std::to_string(i) + "}}}"));
    }
  });
  EXPECT_EQ(race(1, [&](const std::string& name) { return cluster.create_pod(name, ""); }), 20);
  meddler.request_stop();
  meddler.join();
  EXPECT_EQ(cluster.used("q"), "pods=20");
}

TEST(ResourceQuota, WantsAQuotaForWhatIsLimited) {
  QuotaCluster cluster(
      "{apiVersion: apiserver.config.k8s.io/v1, kind: ResourceQuotaConfiguration, "
      "limitedResources: [{resource: configmaps, matchContains: [count/]}, "
      "{resource: pods, matchScopes: [{scopeName: BestEffort, operator: Exists}]}]}");
  const auto refused = cluster.create_config_map("a");
  EXPECT_TRUE(refused.is(Reason::kForbidden));
  EXPECT_EQ(message_of(refused),
            "configmaps \"a\" is forbidden: insufficient quota to consume: count/configmaps");
  const auto unmatched = cluster.create_pod("a", "");
  EXPECT_EQ(message_of(unmatched),
            "insufficient quota to match these scopes: [{BestEffort Exists []}]");
  EXPECT_EQ(unmatched.status().code(), 500);
  EXPECT_TRUE(cluster.create_pod("a", "1").ok());
  ASSERT_TRUE(cluster.create_quota("q", "{hard: {count/configmaps: '9'}}").ok());
  EXPECT_EQ(message_of(cluster.create_config_map("a")), "");
}

TEST(ResourceQuota, RefusesAConfigurationThatIsNone) {
  testkit::TestCluster cluster{{.advertise_address = "192.0.2.1"}};
  NobodyAuthorizer nobody;
  AdmissionMetrics metrics(cluster.clock);
  PolicyParams params(*cluster.store, cluster.schema);
  const json::Document configuration = *json::parse_yaml("{apiVersion: v1, kind: Pod}");
  EXPECT_FALSE(ResourceQuota::make({.store = *cluster.store,
                                    .schema = cluster.schema,
                                    .clock = cluster.clock,
                                    .random = cluster.random,
                                    .authorizer = nobody,
                                    .metrics = metrics,
                                    .params = params,
                                    .configuration = configuration.root()})
                   .ok());
}

}  // namespace
}  // namespace proa::apiserver
