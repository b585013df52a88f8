#include "client/informer/reflector.h"

#include <gtest/gtest.h>

#include <deque>

#include "api/schema/builtin.h"
#include "base/log.h"
#include "testkit/fake_clock.h"

namespace proa::client {
namespace {

using Events = Result<std::vector<Event>>;

api::ObjectPtr make(const std::string& name, int version, const std::string& more = "") {
  return api::Object::make("{\"metadata\":{\"name\":\"" + name + "\",\"resourceVersion\":\"" +
                           std::to_string(version) + "\"" + more + "}}");
}

Event added(const std::string& name, int version) {
  return {EventType::kAdded, make(name, version)};
}

Event end_of_initial(int version) {
  return {EventType::kBookmark,
          make("", version, ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}")};
}

// A client with scripted responses, which records requests.
class ScriptedClient final : public Client {
 public:
  std::deque<Result<ObjectList>> lists;
  std::deque<Result<std::deque<Events>>> watches;
  std::string asked;

  Result<ObjectList> list(const Place&, const ListQuery& query, const Until&) override {
    asked += "list limit=" + std::to_string(query.limit) + " " + query.continue_token + "\n";
    return pop(lists);
  }
  Result<std::unique_ptr<Watch>> watch(const Place&, const WatchQuery& query,
                                       const Until&) override {
    asked +=
        "watch from=" + query.resource_version + (query.send_initial_events ? " all" : "") + "\n";
    Result<std::deque<Events>> script = pop(watches);
    if (!script) return script.status();
    return std::unique_ptr<Watch>(std::make_unique<ScriptedWatch>(std::move(*script)));
  }
  Result<api::ObjectPtr> get(const Place&, const Until&) override { return unused(); }
  Result<api::ObjectPtr> create(const Place&, json::Document, const WriteChoices&,
                                const Until&) override {
    return unused();
  }
  Result<api::ObjectPtr> update(const Place&, json::Document, const WriteChoices&,
                                const Until&) override {
    return unused();
  }
  Result<api::ObjectPtr> patch(const Place&, api::PatchType, json::Document, const WriteChoices&,
                               const Until&) override {
    return unused();
  }
  Result<void> remove(const Place&, const RemoveChoices&, const Until&) override {
    return unused();
  }
  Result<void> remove_collection(const Place&, const ListQuery&, const RemoveChoices&,
                                 const Until&) override {
    return unused();
  }

 private:
  class ScriptedWatch final : public Watch {
   public:
    explicit ScriptedWatch(std::deque<Events> script) : script_(std::move(script)) {}
    Events next(const Until&) override { return pop(script_); }

   private:
    std::deque<Events> script_;
  };

  template <typename T>
  static T pop(std::deque<T>& from) {
    if (from.empty()) return Status(Reason::kServiceUnavailable, "end of the script");
    T first = std::move(from.front());
    from.pop_front();
    return first;
  }
  static Status unused() { return {Reason::kInternalError, "unused"}; }
};

class ReflectorTest : public testing::Test {
 protected:
  void steps(int count) {
    for (int i = 0; i < count; ++i) reflector_.step({});
  }
  std::string told() { return std::exchange(told_, ""); }

  testkit::FakeClock clock_;
  SeededRandom random_{1};
  ScriptedClient client_;
  Cache cache_;
  std::string told_;
  Reflector reflector_{
      client_,
      clock_,
      random_,
      {.place = {.resource = api::builtin_schema().find_resource("", "v1", "nodes")}},
      cache_,
      [this](const Change& change) {
        told_ +=
            change.key.str() + (change.before ? " had" : "") + (change.after ? " has" : "") + "\n";
      }};
};

TEST_F(ReflectorTest, StreamsEverythingBeforeItTells) {
  client_.watches.emplace_back(
      std::deque<Events>{std::vector<Event>{added("a", 3), added("b", 4)},
                         std::vector<Event>{end_of_initial(9), added("c", 10)},
                         Status(Reason::kServiceUnavailable, "over")});
  steps(2);
  EXPECT_FALSE(reflector_.synced());
  EXPECT_EQ(told(), "");
  steps(1);
  EXPECT_TRUE(reflector_.synced());
  EXPECT_EQ(told(), "a has\nb has\nc has\n");
  client_.watches.emplace_back(std::deque<Events>{});
  steps(2);
  EXPECT_EQ(client_.asked, "watch from= all\nwatch from=10\n");
}

TEST_F(ReflectorTest, ListsWhereStreamsAreRefused) {
  client_.watches.emplace_back(Status(Reason::kInvalid, "sendInitialEvents is forbidden"));
  client_.lists.emplace_back(ObjectList{{make("a", 1)}, "5", "more"});
  client_.lists.emplace_back(ObjectList{{make("b", 2)}, "5", ""});
  client_.watches.emplace_back(
      std::deque<Events>{std::vector<Event>{{EventType::kDeleted, make("a", 6)}},
                         std::vector<Event>{{EventType::kBookmark, make("", 8)}},
                         Status(Reason::kServiceUnavailable, "over")});
  client_.watches.emplace_back(std::deque<Events>{});
  steps(6);
  EXPECT_TRUE(reflector_.synced());
  EXPECT_EQ(told(), "a has\nb has\na had\n");
  EXPECT_EQ(client_.asked,
            "watch from= all\nlist limit=500 \nlist limit=500 more\nwatch from=5\nwatch from=8\n");
}

TEST_F(ReflectorTest, TakesALackOfRightsForWhatItIs) {
  static std::string logged;
  set_log_sink([](std::string_view line) { logged += line; });
  for (const auto& [reason, said] :
       {std::pair(Reason::kUnauthorized, "does not accept our credentials"),
        std::pair(Reason::kForbidden, "does not permit us to watch")}) {
    logged.clear();
    client_.asked.clear();
    client_.watches.emplace_back(Status(reason, "no"));
    steps(3);
    // It is no question of how it is asked.
    EXPECT_EQ(client_.asked, "watch from= all\n");
    EXPECT_NE(logged.find(said), std::string::npos) << logged;
    EXPECT_EQ(logged.find("streaming"), std::string::npos) << logged;
    clock_.advance(reflector_.not_before() - clock_.steady());
  }
  set_log_sink(nullptr);
}

TEST_F(ReflectorTest, ListsAllAtOnceWhenPagesGrowOld) {
  client_.watches.emplace_back(Status(Reason::kBadRequest, "no"));
  client_.lists.emplace_back(ObjectList{{make("a", 1)}, "5", "more"});
  client_.lists.emplace_back(Status(Reason::kExpired, "too old"));
  client_.lists.emplace_back(ObjectList{{make("b", 2)}, "7", ""});
  client_.watches.emplace_back(std::deque<Events>{});
  steps(2);
  EXPECT_EQ(told(), "b has\n");
  EXPECT_EQ(client_.asked,
            "watch from= all\nlist limit=500 \nlist limit=500 more\nlist limit=0 \nwatch from=7\n");
}

TEST_F(ReflectorTest, AsksForEverythingAgainWhenItFellBehind) {
  client_.watches.emplace_back(
      std::deque<Events>{std::vector<Event>{added("a", 1), added("b", 2), end_of_initial(2)},
                         Status(Reason::kExpired, "too old")});
  client_.watches.emplace_back(
      std::deque<Events>{std::vector<Event>{added("b", 2), added("c", 8), end_of_initial(9)}});
  steps(2);
  EXPECT_EQ(told(), "a has\nb has\n");
  steps(3);
  EXPECT_EQ(told(), "a had\nc has\n");
  EXPECT_EQ(client_.asked, "watch from= all\nwatch from= all\n");
}

TEST_F(ReflectorTest, TakesTheEndOfALongQuietWatchForNoFailure) {
  client_.watches.emplace_back(std::deque<Events>{std::vector<Event>{end_of_initial(2)}});
  for (int i = 0; i < 5; ++i) client_.watches.emplace_back(std::deque<Events>{});
  steps(3);
  client_.asked.clear();
  for (int i = 0; i < 5; ++i) {
    steps(1);
    clock_.advance(std::chrono::hours(1));
    steps(1);
  }
  EXPECT_EQ(client_.asked,
            "watch from=2\nwatch from=2\nwatch from=2\nwatch from=2\nwatch from=2\n");
}

TEST_F(ReflectorTest, WaitsLongerAfterEachFailure) {
  Steady last = clock_.steady();
  for (const int milliseconds : {800, 1600, 3200}) {
    client_.asked.clear();
    steps(5);
    EXPECT_EQ(client_.asked, "watch from= all\n");
    const Duration wait = reflector_.not_before() - last;
    EXPECT_GE(wait, std::chrono::milliseconds(milliseconds));
    EXPECT_LT(wait, std::chrono::milliseconds(2 * milliseconds));
    clock_.advance(wait);
    last = clock_.steady();
  }
}

}  // namespace
}  // namespace proa::client
