#include "cli/node/join/leave.h"

#include <gtest/gtest.h>

#include "api/object/view.h"
#include "api/schema/builtin.h"
#include "apiserver/server.h"
#include "base/random.h"
#include "crypto/authority.h"
#include "json/parse.h"
#include "store/memory/memory_store.h"
#include "testkit/fake_clock.h"

namespace proa::cli {
namespace {

class Silent final : public Terminal {
 public:
  void out(std::string_view) override {}
  void error(std::string_view) override {}
};

// A cluster with node n1, whose kubelet ends pods between two looks of the drain.
class LeaveTest : public testing::Test {
 protected:
  LeaveTest() {
    crypto::CertificateTemplate authority;
    authority.common_name = "authority";
    authority.not_before = clock_.now();
    authority.not_after = clock_.now() + std::chrono::hours(1);
    apiserver::ApiServerOptions options;
    options.access.authentication.client_authorities_pem =
        crypto::make_authority(authority).value().certificate_pem;
    options.access.plugins.disabled = {"ServiceAccount"};
    options.version_document = "{}";
    options.advertise_address = "192.0.2.1";
    api_ = apiserver::ApiServer::start(*store_, clock_, random_, options).value();
    admin_ = api_->client({"admin", "", {"system:masters"}, {}});
    node_ = api_->client({"system:node:n1", "", {"system:nodes", "system:authenticated"}, {}});
    put("nodes", "", R"({"metadata":{"name":"n1"}})");
  }

  static client::Place place(std::string_view resource, const std::string& name_space,
                             const std::string& name, std::string_view group = "") {
    return {.resource = api::builtin_schema().find_resource(group, "v1", resource),
            .name_space = name_space,
            .name = name,
            .subresource = {}};
  }
  void put(std::string_view resource, const std::string& name_space, const std::string& json,
           std::string_view group = "") {
    const auto made =
        admin().create(place(resource, name_space, "", group), json::parse_literal(json), {});
    ASSERT_TRUE(made.ok()) << made.status().message();
  }
  void put_pod(const std::string& name, const std::string& metadata = "") {
    put("pods", "default",
        R"({"metadata":{"name":")" + name + R"(","labels":{"app":"a"})" + metadata +
            R"(},"spec":{"nodeName":"n1","containers":[{"name":"c","image":"i"}]}})");
  }
  client::BoundedClient admin() { return {*admin_, clock_}; }
  client::BoundedClient node() { return {*node_, clock_}; }
  bool has(std::string_view resource, const std::string& name_space, const std::string& name) {
    return admin().get(place(resource, name_space, name)).ok();
  }
  Result<void> drain() {
    Silent terminal;
    return drain_node(node(), clock_,
                      {.node = "n1",
                       .timeout = std::chrono::seconds(30),
                       .pause =
                           [this](Duration time) {
                             clock_.advance(time);
                             end_pods();
                           }},
                      terminal);
  }
  void end_pods() {
    const auto pods = admin().list(place("pods", "", ""), {});
    for (const api::ObjectPtr& pod : pods->items) {
      if (!pod->metadata().being_deleted) continue;
      ASSERT_TRUE(admin()
                      .remove(place("pods", std::string(pod->metadata().name_space),
                                    std::string(pod->metadata().name)),
                              {.grace_seconds = 0})
                      .ok());
    }
  }

  testkit::FakeClock clock_;
  SeededRandom random_{1};
  std::unique_ptr<store::Store> store_ = store::make_memory_store(clock_);
  std::unique_ptr<apiserver::ApiServer> api_;
  std::unique_ptr<client::Client> admin_;
  std::unique_ptr<client::Client> node_;
};

constexpr const char* kOfDaemonSet =
    R"(,"ownerReferences":[{"apiVersion":"apps/v1","kind":"DaemonSet","name":"d","uid":"u",)"
    R"("controller":true}])";

TEST_F(LeaveTest, EvictsPodsAndDeletesTheNodeWithTheNodesOwnRights) {
  put_pod("a");
  put_pod("b");
  put_pod("agent", kOfDaemonSet);
  const Result<void> drained = drain();
  ASSERT_TRUE(drained.ok()) << drained.status().message();
  EXPECT_FALSE(has("pods", "default", "a"));
  EXPECT_FALSE(has("pods", "default", "b"));
  EXPECT_TRUE(has("pods", "default", "agent"));
  const auto found = admin().get(place("nodes", "", "n1")).value()->document();
  EXPECT_TRUE(api::View(found->root())["spec"]["unschedulable"].flag());
  const Result<void> removed = delete_node(node(), "n1");
  ASSERT_TRUE(removed.ok()) << removed.status().message();
  EXPECT_FALSE(has("nodes", "", "n1"));
  // All of it may be done twice.
  EXPECT_TRUE(drain().ok());
  EXPECT_TRUE(delete_node(node(), "n1").ok());
}

TEST_F(LeaveTest, RespectsDisruptionBudgets) {
  put_pod("a");
  const auto ready = admin().patch(
      {.resource = place("pods", "", "").resource,
       .name_space = "default",
       .name = "a",
       .subresource = "status"},
      api::PatchType::kMerge,
      json::parse_literal(R"({"status":{"phase":"Running","conditions":[{"type":"Ready",)"
                          R"("status":"True"}]}})"),
      {});
  ASSERT_TRUE(ready.ok()) << ready.status().message();
  put("poddisruptionbudgets", "default",
      R"({"metadata":{"name":"all"},"spec":{"maxUnavailable":0,)"
      R"("selector":{"matchLabels":{"app":"a"}}}})",
      "policy");
  const Result<void> drained = drain();
  ASSERT_TRUE(drained.is(Reason::kTimeout)) << drained.ok();
  EXPECT_NE(drained.status().message().find("default/a"), std::string::npos);
  EXPECT_TRUE(has("pods", "default", "a"));
}

TEST_F(LeaveTest, LeavesTheDeletionOfATaintedNodeToAdministrators) {
  const auto tainted = admin().patch(
      place("nodes", "", "n1"), api::PatchType::kMerge,
      json::parse_literal(R"({"spec":{"taints":[{"key":"team","effect":"NoSchedule"}]}})"), {});
  ASSERT_TRUE(tainted.ok());
  EXPECT_TRUE(delete_node(node(), "n1").is(Reason::kForbidden));
  EXPECT_TRUE(delete_node(node(), "n2").is(Reason::kForbidden));
  EXPECT_TRUE(delete_node(admin(), "n1").ok());
}

TEST_F(LeaveTest, KnowsItsRightsBeforeAnythingChanges) {
  EXPECT_TRUE(check_leave_rights(node(), "n1").ok());
  const auto tainted = admin().patch(
      place("nodes", "", "n1"), api::PatchType::kMerge,
      json::parse_literal(R"({"spec":{"taints":[{"key":"team","effect":"NoSchedule"}]}})"), {});
  ASSERT_TRUE(tainted.ok());
  EXPECT_TRUE(check_leave_rights(node(), "n1").is(Reason::kForbidden));
  EXPECT_TRUE(check_leave_rights(admin(), "n1").ok());
  const auto found = admin().get(place("nodes", "", "n1")).value()->document();
  EXPECT_FALSE(api::View(found->root())["spec"]["unschedulable"].flag());
  ASSERT_TRUE(delete_node(admin(), "n1").ok());
  EXPECT_TRUE(check_leave_rights(node(), "n1").ok()) << "there is nothing to do";
}

}  // namespace
}  // namespace proa::cli
