#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "dns/forward/upstream_forwarder.h"
#include "testkit/dns/fake_upstream.h"
#include "testkit/dns/messages.h"
#include "testkit/patience.h"

namespace proa::testkit {

// Real time, which a test can let jump.
class JumpingClock final : public Clock {
 public:
  Time now() const override { return system_.now(); }
  Steady steady() const override { return system_.steady() + Duration(ahead_.load()); }
  void wait_until(CondVar& changed, Mutex& lock, Steady deadline) override REQUIRES(lock) {
    system_.wait_until(changed, lock, deadline - Duration(ahead_.load()));
  }
  void jump(Duration by) { ahead_ += by.count(); }

 private:
  SystemClock system_;
  std::atomic<Duration::rep> ahead_ = 0;
};

using Sendings = std::vector<FakeUpstream::Sending>;

// "10.0.0.1" for every name.
inline Sendings right_answer(const std::string& query, bool) {
  TestReply reply(query);
  const std::string name = reply.question().name.str();
  return {{.bytes = reply.address(name, "10.0.0.1", 20).bytes()}};
}

inline Sendings silence(const std::string&, bool) { return {}; }

// A forwarder with little patience, and servers that a test makes.
class ForwarderTestBase : public testing::Test {
 protected:
  // What a client gets for www.example: the right answer, or none.
  static constexpr std::string_view kRight = "NOERROR; www.example. A; www.example. 20 A 10.0.0.1";
  static constexpr std::string_view kFailed = "SERVFAIL; www.example. A";

  ForwarderTestBase() { forwarder.start(); }
  ~ForwarderTestBase() override { forwarder.stop(); }

  static dns::Upstream at(const FakeUpstream& server) {
    return {.address = *parse_ip("127.0.0.1"), .port = server.port()};
  }
  static dns::ForwardZone zone_of(std::vector<dns::Upstream> upstreams, std::string zone = ".") {
    return {.zone = std::move(zone),
            .upstreams = std::move(upstreams),
            .policy = dns::UpstreamPolicy::kSequential,
            .health_check = std::chrono::milliseconds(20)};
  }
  void use(std::vector<dns::ForwardZone> zones, bool detect_loops = false) {
    forwarder.configure(std::move(zones), cache, detect_loops);
  }

  std::future<std::string> begin(const dns::Query& query) {
    auto promise = std::make_shared<std::promise<std::string>>();
    forwarder.ask(query,
                  [promise](dns::ByteSpan response) { promise->set_value(text_of(response)); });
    return promise->get_future();
  }
  static std::string end(std::future<std::string>& future) {
    if (future.wait_for(patient(std::chrono::seconds(10))) != std::future_status::ready) {
      return "no reply";
    }
    return future.get();
  }
  std::string ask(const dns::Query& query) {
    auto future = begin(query);
    return end(future);
  }
  std::string ask(std::string_view name) { return ask(client_query(name)); }
  std::string cached(std::string_view name) {
    std::array<uint8_t, 512> out;
    const size_t size = forwarder.cached(client_query(name), out);
    return size == 0 ? "none" : text_of({out.data(), size});
  }

  JumpingClock clock;
  SystemRandom random;
  Metrics metrics;
  dns::CacheSettings cache;
  std::atomic<int> loops = 0;
  dns::UpstreamForwarder forwarder{
      {.clock = clock,
       .random = random,
       .metrics = metrics,
       .times = {.attempt = std::chrono::milliseconds(100),
                 .total = std::chrono::milliseconds(400),
                 .stale = std::chrono::milliseconds(30),
                 .probe = std::chrono::milliseconds(100),
                 .loop_probe = std::chrono::milliseconds(100),
                 .loop_recheck = std::chrono::milliseconds(50),
                 .loop_period = std::chrono::milliseconds(50)},
       .looped = [this](const std::string&, const dns::Upstream&) { ++loops; }}};
};

}  // namespace proa::testkit
