#include "kubelet/runtime/cri/runtime_events.h"

#include <gtest/gtest.h>

#include <map>

#include "base/threads/mutex.h"
#include "http/wire/grpc_frame.h"
#include "kubelet/runtime/cri/event_messages.h"
#include "testkit/http/scripted_server.h"

namespace proa::kubelet::cri {
namespace runtime_events_test {

using namespace std::chrono_literals;
using testkit::ScriptedHttp2;
using testkit::ScriptedPeer;
using testkit::ScriptedServer;

std::string field(int number, const std::string& bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

std::string envelope(const std::string& topic, const std::string& payload) {
  return field(3, topic) + field(4, field(2, payload));
}

// Greets back, then tells one event; what comes next is the test's choice.
struct Behaviour {
  bool knows_containerd = true;
  bool knows_cri = true;
  int deaf_greetings = 0;     // how many are lost
  bool breaks_first = false;  // the first stream ends behind its event
};

struct EventsPeer : ScriptedHttp2 {
  EventsPeer(ScriptedPeer& peer, const Behaviour& chosen, int connection)
      : ScriptedHttp2(peer), behaviour(chosen), number(connection) {}

  void on_request(http::StreamId stream, http::RequestHead head, bool) override {
    targets[stream] = head.target;
  }
  void on_body_end(http::StreamId stream, http::Headers) override {
    const std::string target = targets[stream];
    if (target == kSubscribe && behaviour.knows_containerd) {
      open(stream);
    } else if (target == kCriEvents && behaviour.knows_cri) {
      open(stream);
      tell(field(1, "c1"));
    } else if (target == kPublish) {
      finish(stream, "0");
      if (++greetings > behaviour.deaf_greetings) greet_back();
    } else {
      finish(stream, "12");
    }
  }
  void open(http::StreamId stream) {
    events = stream;
    session.respond(stream, {200, {{"content-type", "application/grpc"}}}, false);
  }
  void finish(http::StreamId stream, const char* code) {
    session.respond(stream, {200, {{"content-type", "application/grpc"}, {"grpc-status", code}}},
                    true);
  }
  void tell(const std::string& message) { session.send(events, http::print_grpc_frame(message)); }
  void greet_back() {
    const std::string greeting = print_greeting();
    tell(envelope(greeting.substr(2, static_cast<size_t>(greeting[1])), ""));
    tell(envelope("/tasks/exit", field(1, "c1") + field(2, "an-exec")));
    tell(envelope("/tasks/exit", field(1, "c2") + field(2, "c2")));
    if (behaviour.breaks_first && streams++ == 0) session.end(events, {{"grpc-status", "14"}});
  }

  const Behaviour behaviour;
  const int number;
  std::map<http::StreamId, std::string> targets;
  http::StreamId events = 0;
  int greetings = 0;
  int streams = 0;
};

class RuntimeEventsTest : public testing::Test {
 protected:
  void follow() {
    events = follow_runtime(client, loops.at(0), server.origin(),
                            {.changed =
                                 [this](const std::string& id) {
                                   const MutexLock lock(mutex);
                                   ++changes[id];
                                   told.notify_all();
                                 },
                             .resumed =
                                 [this] {
                                   const MutexLock lock(mutex);
                                   ++resumed;
                                   told.notify_all();
                                 }});
  }
  template <typename Condition>
  bool wait(Condition holds) {
    const MutexLock lock(mutex);
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (!holds()) {
      if (!told.wait_until(mutex, deadline)) return holds();
    }
    return true;
  }

  Behaviour behaviour;
  Mutex mutex;
  CondVar told;
  std::map<std::string, int> changes GUARDED_BY(mutex);
  int resumed GUARDED_BY(mutex) = 0;
  SystemClock clock;
  http::LoopGroup loops{1};
  http::Client client{loops, clock, {}};
  ScriptedServer server{
      [this](ScriptedPeer& peer, int number) { EventsPeer(peer, behaviour, number).run(); }};
  std::unique_ptr<RuntimeEvents> events;
};

TEST_F(RuntimeEventsTest, TellsEndsAndTellsThemAgain) {
  follow();
  EXPECT_TRUE(wait([&]() REQUIRES(mutex) { return changes["c2"] >= 2; }));
  const MutexLock lock(mutex);
  EXPECT_EQ(resumed, 1);
  EXPECT_EQ(changes["c1"], 0) << "the end of an exec changes nothing";
}

TEST_F(RuntimeEventsTest, GreetsUntilItIsHeard) {
  behaviour.deaf_greetings = 1;
  follow();
  EXPECT_TRUE(wait([&]() REQUIRES(mutex) { return changes["c2"] >= 1; }));
  const MutexLock lock(mutex);
  EXPECT_EQ(resumed, 1);
}

TEST_F(RuntimeEventsTest, OpensABrokenStreamAgain) {
  behaviour.breaks_first = true;
  follow();
  EXPECT_TRUE(wait([&]() REQUIRES(mutex) { return resumed == 2; }));
}

TEST_F(RuntimeEventsTest, TakesCrisEventsWhereContainerdsAreUnknown) {
  behaviour.knows_containerd = false;
  follow();
  EXPECT_TRUE(wait([&]() REQUIRES(mutex) { return changes["c1"] == 1 && resumed == 1; }));
}

TEST_F(RuntimeEventsTest, ARuntimeWithoutEventsIsLookedAtNowAndThen) {
  behaviour.knows_containerd = behaviour.knows_cri = false;
  follow();
  EXPECT_TRUE(wait([&]() REQUIRES(mutex) { return resumed == 1; }));
}

TEST_F(RuntimeEventsTest, NobodyThereIsNoBeginning) {
  http::Origin nowhere = http::Origin::unix_socket("/nonexistent/socket");
  events =
      follow_runtime(client, loops.at(0), nowhere,
                     {.changed = [](const std::string&) { FAIL(); }, .resumed = [] { FAIL(); }});
  events.reset();
}

}  // namespace runtime_events_test
}  // namespace proa::kubelet::cri
