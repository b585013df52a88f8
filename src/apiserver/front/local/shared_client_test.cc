#include "client/shared/shared_client.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "apiserver/front/local/faulty_client.h"
#include "client/informer/informer.h"
#include "json/parse.h"
#include "testkit/apiserver/counting_client.h"
#include "testkit/apiserver/test_clients.h"

namespace proa::apiserver {
namespace {

using client::Event;
using client::EventType;
using client::Informer;
using client::Place;
using client::Selector;
using client::SharedClient;

// What a watch may leave unread, besides as many events as there are objects.
constexpr int kMostUnread = 1000;

Place secrets(const std::string& name = "", const std::string& name_space = "default") {
  return {.resource = find_resource("", "secrets"),
          .name_space = name_space,
          .name = name,
          .subresource = {}};
}

Selector all_secrets(std::string labels = "", std::string fields = "") {
  return {.place = secrets("", ""), .labels = std::move(labels), .fields = std::move(fields)};
}

void create(client::Client& client, const std::string& name, const std::string& color = "red",
            const std::string& name_space = "default") {
  const auto made =
      client.create(secrets("", name_space),
                    json::parse_literal(R"({"metadata":{"name":")" + name +
                                        R"(","labels":{"color":")" + color + R"("}}})"),
                    {}, {});
  ASSERT_TRUE(made.ok()) << made.status().message();
}

void paint(client::Client& client, const std::string& name, const std::string& color) {
  ASSERT_TRUE(
      client
          .patch(secrets(name), api::PatchType::kMerge,
                 json::parse_literal(R"({"metadata":{"labels":{"color":")" + color + R"("}}})"), {},
                 {})
          .ok());
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

std::string names(const Informer& informer) {
  std::string text;
  for (const api::ObjectPtr& object : informer.cache().list()) {
    text += std::string(object->metadata().name) + " ";
  }
  return text;
}

class SharedClientTest : public testing::Test {
 protected:
  void poll(std::initializer_list<Informer*> informers) {
    // Readers subscribe, are told, and read.
    for (int i = 0; i < 3; ++i) {
      shared_.poll();
      for (Informer* informer : informers) informer->poll();
    }
  }
  // As a reader that takes its time; empty if it has nothing to read.
  static std::vector<Event> read(client::Watch& watch) {
    return watch.next({.deadline = Steady::min(), .stop = {}}).value();
  }

  LocalTestClient kit_;
  client::Client& client_ = kit_.client();
  testkit::CountingClient counted_{client_};
  SharedClient shared_{counted_, kit_.clock(), kit_.random(), {all_secrets()}};
  Informer one_{shared_, kit_.clock(), kit_.random(), all_secrets()};
  Informer other_{shared_, kit_.clock(), kit_.random(), all_secrets()};
};

TEST_F(SharedClientTest, AsksTheServerOnceAndHoldsObjectsOnce) {
  create(client_, "a");
  poll({&one_, &other_});
  ASSERT_TRUE(one_.synced());
  ASSERT_TRUE(other_.synced());
  create(client_, "b");
  poll({&one_, &other_});
  EXPECT_EQ(names(one_), "a b ");
  for (const char* name : {"a", "b"}) {
    const client::Key key{"default", name};
    EXPECT_NE(one_.cache().get(key), nullptr);
    EXPECT_EQ(one_.cache().get(key), other_.cache().get(key));
  }
  EXPECT_EQ(counted_.watches("secrets"), 1);
  EXPECT_EQ(counted_.lists("secrets"), 0);
}

TEST_F(SharedClientTest, AsksForNothingThatNobodyWants) {
  shared_.poll();
  EXPECT_EQ(counted_.watches("secrets"), 0);
}

TEST_F(SharedClientTest, TellsALateReaderEverything) {
  create(client_, "a");
  poll({&one_});
  paint(client_, "a", "blue");
  create(client_, "b");
  poll({&one_});
  ASSERT_TRUE(client_.remove(secrets("b"), {}, {}).ok());
  poll({&one_, &other_});
  EXPECT_TRUE(other_.synced());
  EXPECT_EQ(names(other_), "a ");
  EXPECT_EQ(describe(other_.cache().list()), describe(one_.cache().list()));
  EXPECT_EQ(counted_.watches("secrets"), 1);
}

TEST_F(SharedClientTest, SyncsReadersOfAnEmptyCollection) {
  poll({&one_});
  EXPECT_TRUE(one_.synced());
}

TEST_F(SharedClientTest, SelectsAsTheServerDoes) {
  Informer red(shared_, kit_.clock(), kit_.random(), all_secrets("color=red"));
  Informer named(shared_, kit_.clock(), kit_.random(), all_secrets("", "metadata.name=a"));
  Informer placed(shared_, kit_.clock(), kit_.random(), {.place = secrets("", "kube-system")});
  create(client_, "a", "blue");
  create(client_, "b", "red");
  create(client_, "c", "red", "kube-system");
  const auto turn = [&] { poll({&red, &named, &placed}); };
  turn();
  EXPECT_EQ(names(red), "b c ");
  EXPECT_EQ(names(named), "a ");
  EXPECT_EQ(names(placed), "c ");
  // What comes into a selection is added to it, and what leaves it is removed.
  paint(client_, "a", "red");
  paint(client_, "b", "green");
  turn();
  EXPECT_EQ(names(red), "a c ");
  ASSERT_TRUE(client_.remove(secrets("a"), {}, {}).ok());
  turn();
  EXPECT_EQ(names(red), "c ");
  EXPECT_EQ(names(named), "");
  EXPECT_EQ(counted_.watches("secrets"), 1);
}

TEST_F(SharedClientTest, SelectsByFieldsOfItsKind) {
  const api::Resource* pods = find_resource("", "pods");
  SharedClient shared(counted_, kit_.clock(), kit_.random(), {{.place = {.resource = pods}}});
  Informer here(shared, kit_.clock(), kit_.random(),
                {.place = {.resource = pods}, .labels = {}, .fields = "spec.nodeName=here"});
  for (const std::string node : {"here", "there"}) {
    const auto made = client_.create(
        {.resource = pods, .name_space = "default", .name = {}, .subresource = {}},
        json::parse_literal(R"({"metadata":{"name":"on-)" + node + R"("},"spec":{"nodeName":")" +
                            node + R"(","containers":[{"name":"c","image":"i"}]}})"),
        {}, {});
    ASSERT_TRUE(made.ok()) << made.status().message();
  }
  for (int i = 0; i < 3; ++i) {
    shared.poll();
    here.poll();
  }
  EXPECT_EQ(names(here), "on-here ");
}

TEST_F(SharedClientTest, RefusesASelectorThatTheServerWouldRefuse) {
  const auto watch =
      shared_.watch(secrets(), {.field_selector = "data.a=b", .send_initial_events = true}, {});
  EXPECT_TRUE(watch.is(Reason::kBadRequest));
}

TEST_F(SharedClientTest, LeavesOtherWatchesToTheServer) {
  create(client_, "a");
  const std::string revision(client_.get(secrets("a"), {}).value()->metadata().resource_version);
  const auto watch = shared_.watch(secrets(), {.resource_version = revision}, {});
  ASSERT_TRUE(watch.ok());
  EXPECT_EQ(counted_.watches("secrets"), 1);
  create(client_, "b");
  const std::vector<Event> events = read(**watch);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].object->metadata().name, "b");
  // Objects that are not older than a revision: ours may be.
  (void)shared_.watch(secrets(), {.resource_version = revision, .send_initial_events = true}, {});
  EXPECT_EQ(counted_.watches("secrets"), 2);
}

TEST_F(SharedClientTest, DoesNotWaitForASlowReader) {
  const auto slow = shared_.watch(secrets(), {.send_initial_events = true}, {}).value();
  create(client_, "a");
  poll({&one_});
  for (int i = 0; i <= kMostUnread; ++i) {
    paint(client_, "a", "c" + std::to_string(i));
    if (i % 100 == 0) poll({&one_});
  }
  poll({&one_});
  EXPECT_EQ(describe(one_.cache().list()), describe(client_.list(secrets(), {}, {})->items));
  // It begins again instead of holding all that it has not read.
  EXPECT_TRUE(slow->next({.deadline = Steady::min(), .stop = {}}).is(Reason::kExpired));
  const auto again = shared_.watch(secrets(), {.send_initial_events = true}, {}).value();
  shared_.poll();
  const std::vector<Event> events = read(*again);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].object, one_.cache().get({"default", "a"}));
  EXPECT_EQ(events[1].type, EventType::kBookmark);
}

TEST_F(SharedClientTest, AReaderThatFellBehindCatchesUp) {
  poll({&one_, &other_});
  for (int i = 0; i <= kMostUnread; ++i) create(client_, "m" + std::to_string(i));
  for (int i = 0; i <= kMostUnread; ++i) {
    ASSERT_TRUE(client_.remove(secrets("m" + std::to_string(i)), {}, {}).ok());
  }
  create(client_, "last");
  poll({&one_});
  EXPECT_EQ(names(one_), "last ");
  poll({&other_});
  EXPECT_EQ(names(other_), "last ");
  EXPECT_EQ(counted_.watches("secrets"), 1);
}

TEST_F(SharedClientTest, TellsReadersNothingAboutThoseThatAreGone) {
  auto gone = shared_.watch(secrets(), {.send_initial_events = true}, {}).value();
  auto unadmitted = shared_.watch(secrets(), {.send_initial_events = true}, {}).value();
  bool woken = false;
  gone->on_ready([&] { woken = true; });
  unadmitted.reset();
  shared_.poll();
  EXPECT_TRUE(woken);
  woken = false;
  gone.reset();
  create(client_, "a");
  poll({&one_});
  EXPECT_FALSE(woken);
  EXPECT_EQ(names(one_), "a ");
}

TEST_F(SharedClientTest, KeepsWhatIsLeftOfObjects) {
  const api::Resource* resource = find_resource("", "secrets");
  SharedClient slim(counted_, kit_.clock(), kit_.random(),
                    {{.place = {.resource = resource},
                      .labels = {},
                      .fields = {},
                      .slim = [](const api::ObjectPtr& object) {
                        return api::Object::make(
                            R"({"metadata":{"name":")" + std::string(object->metadata().name) +
                            R"(","namespace":"default","resourceVersion":")" +
                            std::string(object->metadata().resource_version) + R"("}})");
                      }}});
  Informer informer(slim, kit_.clock(), kit_.random(), all_secrets());
  create(client_, "a");
  for (const char* name : {"b", "c"}) {
    slim.poll();
    informer.poll();
    create(client_, name);
  }
  slim.poll();
  informer.poll();
  EXPECT_EQ(names(informer), "a b c ");
  for (const api::ObjectPtr& object : informer.cache().list()) {
    EXPECT_TRUE(object->metadata().labels.empty());
  }
  // Those of get are complete.
  EXPECT_EQ(slim.get(secrets("a"), {}).value()->metadata().labels.size(), 1U);
}

TEST_F(SharedClientTest, PassesOtherRequestsOn) {
  create(shared_, "a");
  paint(shared_, "a", "blue");
  EXPECT_EQ(shared_.list(secrets(), {}, {})->items.size(), 1U);
  EXPECT_TRUE(
      shared_
          .update(secrets("a"), shared_.get(secrets("a"), {}).value()->document().value(), {}, {})
          .ok());
  EXPECT_TRUE(shared_.remove(secrets("a"), {}, {}).ok());
  EXPECT_TRUE(shared_.get(secrets("a"), {}).is(Reason::kNotFound));
  create(shared_, "b");
  EXPECT_TRUE(shared_.remove_collection(secrets(), {}, {}, {}).ok());
  EXPECT_TRUE(shared_.list(secrets(), {}, {})->items.empty());
}

// Creates, changes and deletes objects of a few names, concurrently with others.
void write_at_random(client::Client& client, uint64_t seed, int writes) {
  SeededRandom random(seed);
  for (int i = 0; i < writes; ++i) {
    const std::string name = "m" + std::to_string(random.below(20));
    const std::string color = random.below(2) == 0 ? "red" : "blue";
    const std::string labels = R"("labels":{"color":")" + color + R"("})";
    // May fail depending on the others; both results are fine.
    switch (random.below(3)) {
      case 0:
        (void)client.create(
            secrets(),
            json::parse_literal(R"({"metadata":{"name":")" + name + "\"," + labels + "}}"), {}, {});
        break;
      case 1:
        (void)client.patch(secrets(name), api::PatchType::kMerge,
                           json::parse_literal(R"({"metadata":{)" + labels + "}}"), {}, {});
        break;
      default:
        (void)client.remove(secrets(name), {}, {});
    }
  }
}

struct Storm {
  std::string name;
  uint64_t one_of;
  bool refuses_streams;
  bool compacts;
};

class SharedStorm : public testing::TestWithParam<Storm> {};

// Readers on threads of their own, one of which comes later, and a server that fails.
TEST_P(SharedStorm, NoReaderMissesAnything) {
  LocalTestClient kit;
  SeededRandom faults(7);
  SystemRandom random;
  FaultyClient faulty(kit.client(), faults);
  faulty.refuses_streams = GetParam().refuses_streams;
  faulty.fail_one_of(GetParam().one_of);
  SharedClient shared(faulty, kit.clock(), random, {all_secrets()});
  Informer all(shared, kit.clock(), random, all_secrets());
  Informer red(shared, kit.clock(), random, all_secrets("color=red"));
  Informer late(shared, kit.clock(), random, all_secrets("color!=red"));
  shared.start();
  all.start();
  red.start();
  std::atomic<int> writing = 3;
  std::vector<std::jthread> writers;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    writers.emplace_back([&, seed] {
      write_at_random(kit.client(), seed, 400);
      --writing;
    });
  }
  SeededRandom chance(3);
  SystemClock real;
  Mutex pause;
  CondVar nobody;
  const auto turn = [&] {
    kit.clock().advance(std::chrono::seconds(1));
    if (GetParam().compacts && chance.below(10) == 0) {
      ASSERT_TRUE(kit.store().compact(kit.store().revision()).ok());
    }
    // Without a pause, watches would time out by this clock before their readers get to run.
    MutexLock lock(pause);
    real.wait_until(nobody, pause, real.steady() + std::chrono::microseconds(200));
  };
  while (writing > 2) turn();
  late.start();
  while (writing > 0) turn();
  const auto expected = [&](const std::string& labels) {
    return describe(kit.client().list(secrets(), {.label_selector = labels}, {})->items);
  };
  for (const auto& [informer, labels] :
       {std::pair(&all, ""), {&red, "color=red"}, {&late, "color!=red"}}) {
    const std::string wanted = expected(labels);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (describe(informer->cache().list()) != wanted && std::chrono::steady_clock::now() < end) {
      turn();
    }
    EXPECT_EQ(describe(informer->cache().list()), wanted) << labels;
    EXPECT_TRUE(informer->synced());
  }
  EXPECT_EQ(faulty.faults() > 0, GetParam().one_of > 0);
  // In any order.
  red.stop();
  shared.stop();
}

INSTANTIATE_TEST_SUITE_P(Weather, SharedStorm,
                         testing::Values(Storm{"Fine", 0, false, false},
                                         Storm{"Breaks", 5, false, false},
                                         Storm{"BreaksWithoutStreams", 5, true, false},
                                         Storm{"BreaksAndCompacts", 5, false, true}),
                         [](const auto& chosen) { return chosen.param.name; });

TEST(SharedClient, StopsWhileTheServerIsAway) {
  LocalTestClient kit;
  SeededRandom random(1);
  FaultyClient faulty(kit.client(), random);
  faulty.fail_one_of(1);
  SharedClient shared(faulty, kit.clock(), random, {all_secrets()});
  Informer informer(shared, kit.clock(), random, all_secrets());
  shared.start();
  informer.start();
  while (faulty.faults() == 0) std::this_thread::yield();
  shared.stop();
  EXPECT_FALSE(informer.synced());
  informer.stop();
}

}  // namespace
}  // namespace proa::apiserver
