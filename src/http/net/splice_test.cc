#include "http/net/splice.h"

#include <gtest/gtest.h>

#include <thread>

#include "http/server/listener.h"
#include "testkit/http/inbox.h"
#include "testkit/http/raw_client.h"

namespace proa::http {
namespace splice_test {

using testkit::RawClient;

// Two clients whose connections are tied together.
struct Tied {
  Tied(const std::string& from_a, const std::string& from_b, int receive_buffer = 0) {
    port = listener.listen({"127.0.0.1", 0, {}})->port;
    a = std::make_unique<RawClient>(port);
    const int first = *accepted.take();
    b = std::make_unique<RawClient>(port, RawClient::Options{.receive_buffer = receive_buffer});
    const int second = *accepted.take();
    listener.stop();
    loop.run_and_wait([&] {
      end = splice(Socket::adopt(loop, first, false, nullptr), from_a,
                   Socket::adopt(loop, second, false, nullptr), from_b, [this] { done.put(true); });
    });
  }
  testkit::Inbox<int> accepted;
  testkit::Inbox<bool> done;
  Loop loop;
  Listener listener{loop,
                    [this](int descriptor, const std::string&, bool) { accepted.put(descriptor); }};
  int port = 0;
  std::function<void()> end;
  std::unique_ptr<RawClient> a;
  std::unique_ptr<RawClient> b;
};

TEST(Splice, CarriesBytesBothWaysAndBeginsWithThoseThatCameBefore) {
  Tied tied("early a ", "early b ");
  tied.a->send("hello b");
  tied.b->send("hello a");
  EXPECT_EQ(tied.b->receive_exactly(15), "early a hello b");
  EXPECT_EQ(tied.a->receive_exactly(15), "early b hello a");
}

TEST(Splice, EndsOneDirectionAtATime) {
  Tied tied("", "");
  tied.a->send("last words");
  tied.a->end();
  EXPECT_EQ(tied.b->receive_all(), "last words");
  EXPECT_TRUE(tied.done.empty());
  const std::string answer(1'000'000, 'x');
  tied.b->send(answer);
  tied.b->end();
  EXPECT_EQ(tied.a->receive_all().size(), answer.size());
  EXPECT_TRUE(tied.done.take());
}

TEST(Splice, BringsTheLastBytesOverBeforeItEnds) {
  Tied tied("", "", 4096);
  tied.b->end();
  EXPECT_EQ(tied.a->receive_all(), "");
  const std::string last(4'000'000, 'x');
  std::thread sender([&] {
    tied.a->send(last);
    tied.a->end();
  });
  EXPECT_EQ(tied.b->receive_all().size(), last.size());
  sender.join();
  EXPECT_TRUE(tied.done.take());
}

TEST(Splice, EndsBothWhenOneIsGone) {
  Tied tied("", "");
  tied.a->reset();
  EXPECT_EQ(tied.b->receive_all(), "");
  EXPECT_TRUE(tied.done.take());
}

TEST(Splice, EndsWhenItIsToldTo) {
  Tied tied("", "");
  tied.loop.run_and_wait([&] { tied.end(); });
  EXPECT_EQ(tied.a->receive_all(), "");
  EXPECT_EQ(tied.b->receive_all(), "");
  EXPECT_TRUE(tied.done.take());
  tied.loop.run_and_wait([&] { tied.end(); });
  EXPECT_TRUE(tied.done.empty());
}

TEST(Splice, HoldsBackAFastSenderForASlowReader) {
  Tied tied("", "", 4096);
  const std::string block(1 << 20, 'x');
  size_t sent = 0;
  int refused = 0;
  while (sent < (200U << 20) && refused < 100) {
    const size_t now = tied.a->send_some(block);
    sent += now;
    refused = now == 0 ? refused + 1 : 0;
    if (now == 0) tied.loop.run_and_wait([] {});
  }
  EXPECT_LT(sent, 200U << 20);
  tied.a->end();
  EXPECT_EQ(tied.b->receive_all().size(), sent);
}

}  // namespace splice_test
}  // namespace proa::http
