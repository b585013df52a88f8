#include <gtest/gtest.h>

#include <climits>

#include "controllers/storage/binder/binder.h"
#include "controllers/storage/protection.h"
#include "testkit/controllers/storage_world.h"

// The binder dies at each of its writes, before or after it was done; another one takes over.

namespace proa::controllers {
namespace {

using storage::TestClaim;
using storage::TestVolume;

struct Death {
  int writes_left = INT_MAX;
  bool after_writing = false;  // the last write is done, but nobody hears of it
};
Death death;

class DyingClient final : public client::Client {
 public:
  explicit DyingClient(client::Client& client) : client_(client) {}

  Result<api::ObjectPtr> get(const client::Place& place, const Until& until) override {
    if (death.writes_left <= 0) return gone();
    return client_.get(place, until);
  }
  Result<client::ObjectList> list(const client::Place& place, const client::ListQuery& query,
                                  const Until& until) override {
    return client_.list(place, query, until);
  }
  Result<std::unique_ptr<client::Watch>> watch(const client::Place& place,
                                               const client::WatchQuery& query,
                                               const Until& until) override {
    return client_.watch(place, query, until);
  }
  Result<api::ObjectPtr> create(const client::Place& place, json::Document object,
                                const client::WriteChoices& choices, const Until& until) override {
    return dying<api::ObjectPtr>(
        [&] { return client_.create(place, std::move(object), choices, until); });
  }
  Result<api::ObjectPtr> update(const client::Place& place, json::Document object,
                                const client::WriteChoices& choices, const Until& until) override {
    return dying<api::ObjectPtr>(
        [&] { return client_.update(place, std::move(object), choices, until); });
  }
  Result<api::ObjectPtr> patch(const client::Place& place, api::PatchType type,
                               json::Document patch, const client::WriteChoices& choices,
                               const Until& until) override {
    return dying<api::ObjectPtr>(
        [&] { return client_.patch(place, type, std::move(patch), choices, until); });
  }
  Result<void> remove(const client::Place& place, const client::RemoveChoices& choices,
                      const Until& until) override {
    return dying<void>([&] { return client_.remove(place, choices, until); });
  }
  Result<void> remove_collection(const client::Place& place, const client::ListQuery& query,
                                 const client::RemoveChoices& choices,
                                 const Until& until) override {
    return dying<void>([&] { return client_.remove_collection(place, query, choices, until); });
  }

 private:
  static Status gone() { return {Reason::kServiceUnavailable, "the process is dead"}; }

  template <typename T, typename Write>
  Result<T> dying(Write write) {
    if (death.writes_left <= 0) return gone();
    if (--death.writes_left > 0) return write();
    if (death.after_writing) (void)write();
    return gone();
  }

  client::Client& client_;
};

class DyingBinder final : public Controller {
 public:
  explicit DyingBinder(const ControllerContext& context)
      : client_(context.client.unbounded()),
        binder_(make_volume_binder({.client = {client_, context.clock},
                                    .informers = context.informers,
                                    .events = context.events,
                                    .schema = context.schema,
                                    .clock = context.clock,
                                    .random = context.random,
                                    .pool = context.pool,
                                    .options = context.options})) {}

  void listen(client::WorkQueue& queue) override { binder_->listen(queue); }
  Result<client::Again> reconcile(const client::Key& key) override {
    return binder_->reconcile(key);
  }

 private:
  DyingClient client_;
  const std::unique_ptr<Controller> binder_;
};

std::unique_ptr<Controller> make_dying_binder(const ControllerContext& context) {
  return std::make_unique<DyingBinder>(context);
}

class BinderCrashTest : public testing::TestWithParam<bool> {
 protected:
  void TearDown() override { death = {}; }

  void die_and_recover(int writes) {
    death = {.writes_left = writes, .after_writing = GetParam()};
    world_.settle();
    expect_no_volume_of_two();
    death = {};
    world_.restart();
    world_.settle();
    expect_no_volume_of_two();
  }

  // Whatever the moment, a volume is one claim's only.
  void expect_no_volume_of_two() {
    std::map<std::string, std::string> owners;
    for (const api::ObjectPtr& claim : world_.list("", "persistentvolumeclaims", "default")) {
      const std::string name(claim->metadata().name);
      const std::string volume = world_.claim(name, "spec.volumeName");
      if (volume.empty()) continue;
      EXPECT_TRUE(owners.emplace(volume, name).second) << volume;
      EXPECT_EQ(world_.volume(volume, "spec.claimRef.uid"), world_.claim(name, "metadata.uid"));
    }
  }

  storage::StorageWorld world_{std::vector<ControllerEntry>{
      {"persistentvolume-binder", "persistent-volume-binder", make_dying_binder},
      {"persistentvolumeclaim-protection", "pvc-protection-controller", make_claim_protection}}};
};

TEST_P(BinderCrashTest, NothingIsBoundTwiceOrLost) {
  // Two volumes become available and are bound: ten writes.
  for (int writes = 1; writes <= 11; ++writes) {
    const std::string id = std::to_string(writes);
    SCOPED_TRACE("dies at write " + id);
    for (const char* name : {"a", "b"}) {
      world_.create(TestVolume{.name = name + id, .storage_class = "class" + id});
    }
    for (const char* name : {"x", "y", "z"}) {
      world_.create(TestClaim{.name = name + id, .storage_class = "class" + id});
    }
    die_and_recover(writes);
    int bound = 0;
    for (const char* name : {"x", "y", "z"}) {
      if (world_.claim(name + id, "status.phase") == "Bound") ++bound;
    }
    EXPECT_EQ(bound, 2);
    EXPECT_EQ(world_.volume("a" + id, "status.phase"), "Bound");
    EXPECT_EQ(world_.volume("b" + id, "status.phase"), "Bound");
  }
}

TEST_P(BinderCrashTest, AReleasedVolumeIsReclaimed) {
  for (int writes = 1; writes <= 3; ++writes) {
    const std::string id = std::to_string(writes);
    SCOPED_TRACE("dies at write " + id);
    world_.create(TestVolume{.name = "v" + id, .policy = "Delete", .path = "/tmp/v"});
    world_.create(TestClaim{.name = "c" + id});
    world_.settle();
    ASSERT_EQ(world_.claim("c" + id, "status.phase"), "Bound");
    world_.remove("", "persistentvolumeclaims", "default", "c" + id);
    die_and_recover(writes);
    EXPECT_NE(world_.volume("v" + id, "metadata.deletionTimestamp"), "");
  }
}

INSTANTIATE_TEST_SUITE_P(BeforeAndAfterTheWrite, BinderCrashTest, testing::Bool());

}  // namespace
}  // namespace proa::controllers
