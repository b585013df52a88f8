#include "client/informer/informer.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "apiserver/front/local/faulty_client.h"
#include "json/parse.h"
#include "testkit/apiserver/test_clients.h"

namespace proa::apiserver {
namespace {

using client::Change;
using client::Key;
using client::Place;

Place maps(const std::string& name = "") {
  return {.resource = find_resource("", "configmaps"), .name_space = "default", .name = name};
}

std::string config_map(const std::string& name) {
  return R"({"metadata":{"name":")" + name + R"("}})";
}

// "name@revision" of all objects.
std::string describe(const std::vector<api::ObjectPtr>& objects) {
  std::string text;
  for (const api::ObjectPtr& object : objects) {
    text += std::string(object->metadata().name) + "@" +
            std::string(object->metadata().resource_version) + " ";
  }
  return text;
}

// Creates, changes and deletes objects of a few names, concurrently with others.
void write_at_random(client::Client& client, uint64_t seed, int writes) {
  SeededRandom random(seed);
  for (int i = 0; i < writes; ++i) {
    const std::string name = "m" + std::to_string(random.below(20));
    const std::string patch = R"({"data":{"v":")" + std::to_string(i) + R"("}})";
    // May fail depending on the others; both results are fine.
    switch (random.below(3)) {
      case 0:
        (void)client.create(maps(), json::parse_literal(config_map(name)), {}, {});
        break;
      case 1:
        (void)client.patch(maps(name), api::PatchType::kMerge, json::parse_literal(patch), {}, {});
        break;
      default:
        (void)client.remove(maps(name), {}, {});
    }
  }
}

struct Storm {
  std::string name;
  uint64_t one_of;
  bool refuses_streams;
  bool compacts;
};

class InformerStorm : public testing::TestWithParam<Storm> {};

TEST_P(InformerStorm, MissesNothing) {
  LocalTestClient kit;
  SeededRandom random(7);
  FaultyClient faulty(kit.client(), random);
  faulty.refuses_streams = GetParam().refuses_streams;
  faulty.fail_one_of(GetParam().one_of);
  client::Informer informer(faulty, kit.clock(), random, {.place = maps()});
  std::map<Key, api::ObjectPtr> mirror;
  informer.add_handler([&](const Change& change) {
    EXPECT_EQ(informer.cache().get(change.key), change.after) << change.key.str();
    if (change.after == nullptr) {
      mirror.erase(change.key);
    } else {
      mirror[change.key] = change.after;
    }
  });
  std::atomic<int> writing = 3;
  std::vector<std::jthread> writers;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    writers.emplace_back([&, seed] {
      write_at_random(kit.client(), seed, 400);
      --writing;
    });
  }
  const auto turn = [&] {
    informer.poll();
    kit.clock().advance(std::chrono::seconds(1));
    if (GetParam().compacts && random.below(10) == 0) {
      ASSERT_TRUE(kit.store().compact(kit.store().revision()).ok());
    }
  };
  while (writing > 0) turn();
  const std::string expected = describe(kit.client().list(maps(), {}, {})->items);
  for (int i = 0; i < 1000 && describe(informer.cache().list()) != expected; ++i) turn();
  EXPECT_EQ(describe(informer.cache().list()), expected);
  std::vector<api::ObjectPtr> mirrored;
  for (const auto& [key, object] : mirror) mirrored.push_back(object);
  EXPECT_EQ(describe(mirrored), expected);
  EXPECT_TRUE(informer.synced());
  EXPECT_EQ(faulty.faults() > 0, GetParam().one_of > 0);
}

INSTANTIATE_TEST_SUITE_P(Weather, InformerStorm,
                         testing::Values(Storm{"Fine", 0, false, false},
                                         Storm{"Breaks", 5, false, false},
                                         Storm{"BreaksWithoutStreams", 5, true, false},
                                         Storm{"Compacts", 0, false, true},
                                         Storm{"BreaksAndCompacts", 5, false, true}),
                         [](const auto& chosen) { return chosen.param.name; });

TEST(Informer, FollowsOnAThreadOfItsOwn) {
  LocalTestClient kit;
  client::Informer informer(kit.client(), kit.clock(), kit.random(), {.place = maps()});
  Mutex mutex;
  CondVar changed;
  std::vector<std::string> told;
  informer.add_handler([&](const Change& change) {
    MutexLock lock(mutex);
    told.push_back(change.key.name + (change.after == nullptr ? " went" : ""));
    changed.notify_all();
  });
  ASSERT_TRUE(kit.client().create(maps(), json::parse_literal(config_map("a")), {}, {}).ok());
  EXPECT_FALSE(informer.synced());
  informer.start();
  EXPECT_TRUE(informer.wait_synced({}));
  EXPECT_NE(informer.cache().get({"default", "a"}), nullptr);
  ASSERT_TRUE(kit.client().create(maps(), json::parse_literal(config_map("b")), {}, {}).ok());
  ASSERT_TRUE(kit.client().remove(maps("a"), {}, {}).ok());
  {
    MutexLock lock(mutex);
    while (told.size() < 3) changed.wait(mutex);
    EXPECT_EQ(told, (std::vector<std::string>{"a", "b", "a went"}));
  }
  informer.stop();
}

TEST(Informer, TriesUntilTheServerIsThere) {
  LocalTestClient kit;
  SeededRandom random(1);
  FaultyClient faulty(kit.client(), random);
  faulty.fail_one_of(1);
  client::Informer informer(faulty, kit.clock(), random, {.place = maps()});
  informer.start();
  while (faulty.faults() == 0) std::this_thread::yield();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(informer.wait_synced({.stop = stop.get_token()}));
  faulty.fail_one_of(0);
  while (!informer.synced()) kit.clock().advance(std::chrono::seconds(1));
  informer.stop();
}

TEST(Informer, StopsWhileTheServerIsAway) {
  LocalTestClient kit;
  SeededRandom random(1);
  FaultyClient faulty(kit.client(), random);
  faulty.fail_one_of(1);
  client::Informer informer(faulty, kit.clock(), random, {.place = maps()});
  informer.start();
  while (faulty.faults() == 0) std::this_thread::yield();
  informer.stop();
  EXPECT_FALSE(informer.synced());
}

TEST(Informer, SharesTheObjectsOfTheStore) {
  LocalTestClient kit;
  client::Informer informer(kit.client(), kit.clock(), kit.random(), {.place = maps()});
  ASSERT_TRUE(kit.client().create(maps(), json::parse_literal(config_map("a")), {}, {}).ok());
  informer.poll();
  EXPECT_EQ(informer.cache().get({"default", "a"}), kit.client().get(maps("a"), {}).value());
}

}  // namespace
}  // namespace proa::apiserver
