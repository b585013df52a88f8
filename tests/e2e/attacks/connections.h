#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "attack.h"
#include "base/random.h"
#include "testkit/http/http2_client.h"
#include "tests/e2e/admin.h"

// Attacks of those who have no token: below requests.
namespace proa::e2e {

// More connections than the server has descriptors, from one address.
class SilentConnections final : public Attack {
 public:
  explicit SilentConnections(int port) : port_(port) {}
  void step() override {
    std::vector<std::unique_ptr<testkit::RawClient>> open;
    for (int i = 0; i < 1400; ++i) open.push_back(std::make_unique<testkit::RawClient>(port_));
    std::this_thread::sleep_for(200ms);  // how long they stay
  }

 private:
  const int port_;
};

// Says the beginning of a TLS handshake, and no more.
class UnfinishedHandshakes final : public Attack {
 public:
  UnfinishedHandshakes(int port, uint64_t seed) : port_(port), random_(seed) {}
  void step() override {
    if (open_.size() >= 600) open_.clear();
    for (int i = 0; i < 50; ++i) {
      open_.push_back(std::make_unique<testkit::RawClient>(port_));
      std::string random(40, '\0');
      random_.fill({reinterpret_cast<unsigned char*>(random.data()), random.size()});
      open_.back()->send_some(std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) +
                              random);
    }
    std::this_thread::sleep_for(50ms);  // the rate of connections
  }

 private:
  const int port_;
  SeededRandom random_;
  std::vector<std::unique_ptr<testkit::RawClient>> open_;
};

// Says all of a client's first part of a TLS handshake, for each connection anew: the server's
// answer is expensive.
class UnansweredHandshakes final : public Attack {
 public:
  UnansweredHandshakes(int port, std::string from) : port_(port), from_(std::move(from)) {}
  void step() override {
    for (int i = 0; i < 20; ++i, ++made_) {
      http::TlsSession session(context_, false, "localhost");
      ASSERT_TRUE(session.handshake().ok());
      open_.push_back(
          std::make_unique<testkit::RawClient>(port_, testkit::RawClient::Options{.from = from_}));
      open_.back()->send(session.outgoing());
      if (open_.size() > 2000) open_.pop_front();
    }
  }
  int made() const { return made_; }

 private:
  const int port_;
  const std::string from_;
  const std::shared_ptr<const http::TlsContext> context_ =
      http::TlsContext::client({.insecure_skip_verify = true}).value();
  std::deque<std::unique_ptr<testkit::RawClient>> open_;
  int made_ = 0;
};

// Random bytes: on TCP, within TLS, and as HTTP/2 frames.
class Garbage final : public Attack {
 public:
  Garbage(int port, uint64_t seed) : port_(port), random_(seed) {}
  void step() override {
    testkit::RawClient plain(port_);
    plain.send_some(noise());
    testkit::RawClient http1(port_, {.tls = true});
    http1.send(noise());
    testkit::RawClient http2(port_, {.tls = true, .protocol = "h2"});
    namespace frames = testkit::frames;
    http2.send(std::string(frames::kPreface) + frames::frame(frames::kSettings, 0, 0));
    for (int i = 0; i < 20; ++i) {
      const auto byte = [&] { return static_cast<uint8_t>(random_.below(256)); };
      if (!http2.send(frames::frame(byte() % 10, byte(), byte(), noise()))) break;
    }
  }

 private:
  std::string noise() {
    std::string bytes(1 + random_.below(2000), '\0');
    random_.fill({reinterpret_cast<unsigned char*>(bytes.data()), bytes.size()});
    return bytes;
  }

  const int port_;
  SeededRandom random_;
};

}  // namespace proa::e2e
