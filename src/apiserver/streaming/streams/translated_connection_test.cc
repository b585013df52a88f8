#include "apiserver/streaming/streams/translated_connection.h"

#include <gtest/gtest.h>

#include <thread>

#include "apiserver/streaming/streams/command_translator.h"
#include "http/server/listener.h"
#include "http/wire/websocket_codec.h"
#include "testkit/http/inbox.h"
#include "testkit/http/raw_client.h"

namespace proa::apiserver {
namespace {

using http::WebSocketCodec;
using testkit::RawClient;

// A WebSocket client and a node with raw bytes, spliced together.
class TranslatedConnection : public testing::Test, private WebSocketCodec::Events {
 protected:
  void TearDown() override {
    loop.run_and_wait([this] { end(); });
    // The sockets are destroyed after one more loop iteration.
    loop.run_and_wait([] {});
  }
  void tie(const std::string& from_node = {}) {
    port_ = listener_.listen({"127.0.0.1", 0, {}})->port;
    client = std::make_unique<RawClient>(port_);
    const int first = *accepted_.take();
    node = std::make_unique<RawClient>(port_);
    const int second = *accepted_.take();
    listener_.stop();
    loop.run_and_wait([&] {
      http::Upgraded upgraded{.head = {},
                              .socket = http::Socket::adopt(loop, second, false, nullptr),
                              .early = from_node};
      end = splice_translated({.socket = http::Socket::adopt(loop, first, false, nullptr)},
                              std::move(upgraded), translate_tunnel(), random_,
                              [this] { over.put(true); });
    });
  }
  void send(std::string_view message) {
    codec_.send(WebSocketCodec::Kind::kBinary, message);
    client->send(codec_.take_output());
  }
  // Messages until that many bytes have arrived; also the close.
  std::string receive(size_t size) {
    while (received_.size() < size) {
      const std::string byte = client->receive_exactly(1);
      if (byte.empty() || !codec_.receive(byte).ok()) break;
    }
    client->send(codec_.take_output());
    return std::exchange(received_, {});
  }

  http::Loop loop;
  testkit::Inbox<bool> over;
  std::function<void()> end;
  std::unique_ptr<RawClient> client;
  std::unique_ptr<RawClient> node;

 private:
  void on_message(WebSocketCodec::Kind, std::string_view message) override { received_ += message; }
  void on_close(uint16_t code, std::string_view) override {
    received_ += "closed " + std::to_string(code);
  }

  SeededRandom random_{1};
  testkit::Inbox<int> accepted_;
  http::Listener listener_{
      loop, [this](int descriptor, const std::string&, bool) { accepted_.put(descriptor); }};
  int port_ = 0;
  std::string received_;
  WebSocketCodec codec_{WebSocketCodec::Role::kClient, 1 << 20, random_, *this};
};

TEST_F(TranslatedConnection, CarriesMessagesAndBytes) {
  tie("early ");
  send("hello node");
  EXPECT_EQ(node->receive_exactly(10), "hello node");
  node->send("hello client");
  EXPECT_EQ(receive(18), "early hello client");
  EXPECT_TRUE(over.empty());
}

TEST_F(TranslatedConnection, EndsWithTheNodeAfterItsLastBytes) {
  tie();
  node->send("last");
  node->end();
  EXPECT_EQ(receive(4), "last");
  EXPECT_EQ(receive(11), "closed 1000");
  EXPECT_TRUE(over.take());
}

TEST_F(TranslatedConnection, EndsWithTheClient) {
  tie();
  client.reset();
  EXPECT_TRUE(over.take());
  EXPECT_EQ(node->receive_all(), "");
}

TEST_F(TranslatedConnection, EndsWhenItIsTold) {
  tie();
  loop.run_and_wait([this] { end(); });
  EXPECT_TRUE(over.take());
  EXPECT_EQ(node->receive_all(), "");
}

// More than the buffers of the kernel and ours.
TEST_F(TranslatedConnection, WaitsForWhoReadsSlowly) {
  tie();
  const std::string much(200'000, 'x');
  std::thread sender([&] {
    for (int i = 0; i < 100; ++i) send(much);
  });
  EXPECT_EQ(node->receive_exactly(much.size() * 100).size(), much.size() * 100);
  sender.join();
}

}  // namespace
}  // namespace proa::apiserver
