#include "controllers/framework/manager.h"

#include <gtest/gtest.h>

#include "api/object/view.h"
#include "api/schema/builtin.h"
#include "controllers/lifecycle/service_accounts.h"
#include "testkit/controllers/test_world.h"
#include "testkit/patience.h"

namespace proa::controllers {
namespace {

// Two servers over one store: threads and time are real here, since it is about them.
class ManagerTest : public testing::Test {
 protected:
  std::unique_ptr<Manager> make(const std::string& identity) {
    return std::make_unique<Manager>(
        std::vector<ControllerEntry>{
            {"serviceaccount", "service-account-controller", make_service_account_controller}},
        SharedContext{
            .client_for = [this](std::string_view account) { return world_.client_for(account); },
            .schema = api::builtin_schema(),
            .clock = clock_,
            .random = random_,
            .pool = pool_,
            .options = {}},
        client::Candidate{identity});
  }

  std::string leader() {
    const api::ObjectPtr lease =
        world_.get("coordination.k8s.io", "leases", "kube-system", "kube-controller-manager");
    if (lease == nullptr) return "";
    const json::Document document = lease->document().value();
    return std::string(api::View(document.root()).at("spec.holderIdentity").text());
  }

  template <typename Holds>
  static bool comes(const Holds& holds) {
    return testkit::holds_within(std::chrono::seconds(30), holds);
  }
  // The deleted account is created again.
  bool is_looked_after() {
    world_.remove("", "serviceaccounts", "default", "default");
    return comes(
        [&] { return world_.get("", "serviceaccounts", "default", "default") != nullptr; });
  }

  testkit::TestWorld world_{std::vector<ControllerEntry>{}};
  SystemClock clock_;
  SeededRandom random_{1};
  WorkerPool pool_;
};

TEST_F(ManagerTest, OneLeadsUntilTheOtherTakesOver) {
  const std::unique_ptr<Manager> first = make("first");
  const std::unique_ptr<Manager> second = make("second");
  first->start();
  ASSERT_TRUE(comes([&] { return leader() == "first"; }));
  second->start();
  EXPECT_TRUE(is_looked_after());
  EXPECT_EQ(leader(), "first");
  EXPECT_TRUE(first->health().ok());
  EXPECT_TRUE(second->health().ok()) << "the first one leads";
  first->stop();
  ASSERT_TRUE(comes([&] { return leader() == "second"; }));
  EXPECT_TRUE(is_looked_after());
  // Whoever comes back waits.
  first->start();
  EXPECT_TRUE(is_looked_after());
  EXPECT_EQ(leader(), "second");
}

TEST_F(ManagerTest, WithoutControllersItDoesNotWantTheLead) {
  Manager none(
      {},
      SharedContext{
          .client_for = [this](std::string_view account) { return world_.client_for(account); },
          .schema = api::builtin_schema(),
          .clock = clock_,
          .random = random_,
          .pool = pool_,
          .options = {}},
      client::Candidate{"none"});
  none.start();
  const std::unique_ptr<Manager> other = make("other");
  other->start();
  EXPECT_TRUE(comes([&] { return leader() == "other"; }));
}

}  // namespace
}  // namespace proa::controllers
