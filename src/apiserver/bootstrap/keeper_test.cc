#include "apiserver/bootstrap/keeper.h"

#include <gtest/gtest.h>

#include <atomic>

#include "json/parse.h"
#include "store/memory/memory_store.h"
#include "testkit/apiserver/running_api.h"
#include "testkit/fake_clock.h"

namespace proa::apiserver {
namespace {

using testkit::FakeClock;
using testkit::RunningApi;

// Waits, in real time, until the key exists again.
bool comes_back(store::Store& store, const std::string& key) {
  SystemClock clock;
  const Until until = Until::after(clock, std::chrono::seconds(30));
  const auto watch = store.watch({.prefix = key, .exact = true, .from = {}, .wake = {}});
  for (;;) {
    if (*store.get(key) != nullptr) return true;
    (void)(*watch)->next(64);
    if (*store.get(key) != nullptr) return true;
    if (!(*watch)->wait(until)) return false;
  }
}

struct Gone {
  const char* path;
  const char* key;
};

class KeptObject : public testing::TestWithParam<Gone> {};

TEST_P(KeptObject, ComesBackWhileTheServerRuns) {
  RunningApi api;
  const auto [path, key] = GetParam();
  const auto before = json::parse(api.ask("GET", path).body);
  ASSERT_EQ(api.ask("DELETE", path).code, 200) << path;
  ASSERT_TRUE(comes_back(api.store(), key));
  const RunningApi::Answer after = api.ask("GET", path);
  EXPECT_EQ(after.code, 200);
  const auto object = json::parse(after.body);
  for (const char* part : {"spec", "rules", "subjects", "subsets", "endpoints", "data"}) {
    EXPECT_EQ(api::View(object->root())[part], api::View(before->root())[part]) << part;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Keeper, KeptObject,
    testing::Values(
        Gone{"/api/v1/namespaces/default/services/kubernetes",
             "/registry/services/specs/default/kubernetes"},
        Gone{"/api/v1/namespaces/default/endpoints/kubernetes",
             "/registry/services/endpoints/default/kubernetes"},
        Gone{"/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes",
             "/registry/endpointslices/default/kubernetes"},
        Gone{"/apis/rbac.authorization.k8s.io/v1/clusterroles/edit", "/registry/clusterroles/edit"},
        Gone{"/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/cluster-admin",
             "/registry/clusterrolebindings/cluster-admin"},
        Gone{"/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/roles/"
             "extension-apiserver-authentication-reader",
             "/registry/roles/kube-system/extension-apiserver-authentication-reader"},
        Gone{"/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/catch-all",
             "/registry/flowschemas/catch-all"},
        Gone{"/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/workload-low",
             "/registry/prioritylevelconfigurations/workload-low"},
        Gone{"/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication",
             "/registry/configmaps/kube-system/extension-apiserver-authentication"},
        Gone{"/api/v1/namespaces/kube-system/configmaps/"
             "kube-apiserver-legacy-service-account-token-tracking",
             "/registry/configmaps/kube-system/"
             "kube-apiserver-legacy-service-account-token-tracking"}));

TEST(Keeper, RestoresNamespacesAndPriorityClassesThatAreGone) {
  RunningApi api;
  for (const char* key :
       {"/registry/namespaces/kube-node-lease", "/registry/priorityclasses/system-node-critical"}) {
    ASSERT_TRUE(api.store()
                    .commit({.compares = {}, .operations = {store::Delete{key}}},
                            store::Durability::kSynced)
                    .ok());
    EXPECT_TRUE(comes_back(api.store(), key)) << key;
  }
}

TEST(Keeper, ResetsFlowControlThatUpdatesItself) {
  RunningApi api;
  const std::string path = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/global-default";
  const http::Headers merge = {{"content-type", "application/merge-patch+json"}};
  const std::string change = R"({"spec":{"matchingPrecedence":777}})";
  ASSERT_EQ(api.ask("PATCH", path, change, merge).code, 200);
  const auto precedence = [&] {
    return api::View(json::parse(api.ask("GET", path).body)->root())["spec"]["matchingPrecedence"]
        .integer();
  };
  SystemClock clock;
  const Steady deadline = clock.steady() + std::chrono::seconds(30);
  while (precedence() != 9900 && clock.steady() < deadline) std::this_thread::yield();
  EXPECT_EQ(precedence(), 9900);
  ASSERT_EQ(api.ask("PATCH", path,
                    R"({"metadata":{"annotations":{"apf.kubernetes.io/autoupdate-spec":"false"}},)"
                    R"("spec":{"matchingPrecedence":777}})",
                    merge)
                .code,
            200);
  // A later round shows that this one is left alone.
  const char* other = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/probes";
  ASSERT_EQ(api.ask("DELETE", other).code, 200);
  ASSERT_TRUE(comes_back(api.store(), "/registry/flowschemas/probes"));
  EXPECT_EQ(precedence(), 777);
}

TEST(Keeper, LeavesRolesThatUsersChanged) {
  RunningApi api;
  const std::string roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles/";
  const http::Headers merge = {{"content-type", "application/merge-patch+json"}};
  ASSERT_EQ(api.ask("PATCH", roles + "system:public-info-viewer", R"({"rules":[]})", merge).code,
            200);
  ASSERT_EQ(api.ask("DELETE", roles + "system:discovery").code, 200);
  ASSERT_TRUE(comes_back(api.store(), "/registry/clusterroles/system:discovery"));
  const auto kept = json::parse(api.ask("GET", roles + "system:public-info-viewer").body);
  EXPECT_TRUE(api::View(kept->root())["rules"].empty());
}

class KeeperAlone : public testing::Test {
 protected:
  void put(const char* key) {
    ASSERT_TRUE(store_
                    ->commit({.compares = {}, .operations = {store::Put{key, Bytes("{}")}}},
                             store::Durability::kSynced)
                    .ok());
  }
  std::vector<Kept> counting() {
    return {{.keys = {"/registry/a"}, .restore = [this]() -> Result<void> {
               MutexLock lock(mutex_);
               ++restored_;
               changed_.notify_all();
               if (fails_) return Status(Reason::kServiceUnavailable, "no space");
               return {};
             }}};
  }
  void await_restored(int count) {
    MutexLock lock(mutex_);
    while (restored_ < count) changed_.wait(mutex_);
  }

  FakeClock clock_;
  // Without a thread of its own: only the keeper waits for the clock.
  const std::shared_ptr<store::Store> store_ =
      store::make_memory_store(clock_, {.own_thread = false});
  Mutex mutex_;
  CondVar changed_;
  int restored_ GUARDED_BY(mutex_) = 0;
  std::atomic<bool> fails_{false};
};

TEST_F(KeeperAlone, TriesAgainWhenTheStoreCannotWrite) {
  fails_ = true;
  Keeper keeper(*store_, clock_, counting(), store_->revision().next());
  put("/registry/a");
  await_restored(1);
  clock_.await_waiters(1);
  fails_ = false;
  clock_.advance(std::chrono::seconds(11));
  await_restored(2);
}

TEST_F(KeeperAlone, IsSlowWithObjectsThatChangeAllTheTime) {
  Keeper keeper(*store_, clock_, counting(), store_->revision().next());
  for (int i = 1; i <= 20; ++i) {
    put("/registry/a");
    await_restored(i);
  }
  put("/registry/a");
  clock_.await_waiters(1);  // out of credit
  clock_.advance(std::chrono::seconds(1));
  await_restored(21);
}

TEST_F(KeeperAlone, RestoresWhatHasItsTime) {
  std::vector<Kept> kept = counting();
  kept[0].every = std::chrono::seconds(10);
  Keeper keeper(*store_, clock_, std::move(kept), store_->revision().next());
  for (int i = 1; i <= 3; ++i) {
    clock_.await_waiters(1);
    clock_.advance(std::chrono::seconds(10));
    await_restored(i);
  }
  fails_ = true;
  clock_.await_waiters(1);
  clock_.advance(std::chrono::seconds(10));
  await_restored(4);
  clock_.await_waiters(1);
  clock_.advance(std::chrono::seconds(1));
  await_restored(5);
}

TEST_F(KeeperAlone, LooksAtAllKeysOfAFolder) {
  std::vector<Kept> kept = counting();
  kept[0].keys = {"/registry/folder/"};
  kept[0].when = Kept::When::kCreatedOrDeleted;
  Keeper keeper(*store_, clock_, std::move(kept), store_->revision().next());
  put("/registry/folder/a");
  await_restored(1);
  put("/registry/folder/a");  // no reason
  put("/registry/folder/b");
  await_restored(2);
  ASSERT_TRUE(store_
                  ->commit({.compares = {}, .operations = {store::Delete{"/registry/folder/a"}}},
                           store::Durability::kSynced)
                  .ok());
  await_restored(3);
  MutexLock lock(mutex_);
  EXPECT_EQ(restored_, 3);
}

TEST_F(KeeperAlone, StopsWhileItWaits) {
  fails_ = true;
  {
    Keeper keeper(*store_, clock_, counting(), store_->revision().next());
    put("/registry/a");
    clock_.await_waiters(1);
  }
  clock_.advance(std::chrono::seconds(11));
  MutexLock lock(mutex_);
  EXPECT_EQ(restored_, 1) << "not tried again";
}

}  // namespace
}  // namespace proa::apiserver
