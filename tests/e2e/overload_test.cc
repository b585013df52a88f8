// Hostile clients against the program with 1,024 descriptors and 256 MB of memory, and an honest
// client that must not notice.
#include <gtest/gtest.h>

#include <iostream>
#include <thread>

#include "admin.h"
#include "attacks/connections.h"
#include "attacks/streams.h"
#include "base/process/capacity.h"
#include "confined.h"
#include "server.h"
#include "testkit/load.h"

namespace proa::e2e {
namespace {

using testkit::RawClient;

constexpr size_t kMega = 1024 * 1024;
constexpr size_t kMemory = 256 * kMega;
// What may be left after an attack.
constexpr size_t kKept = 20 * kMega;

// A user who writes, reads and connects all the time, and measures how long that takes.
class Honest {
 public:
  // `tries`: of a request whose connection is cut off before there is a response.
  Honest(const std::string& data_dir, int port, int tries)
      : tries_(tries),
        keeping_(data_dir, port, "honest"),
        connecting_(data_dir, port, "honest"),
        thread_([this](const std::stop_token& stop) { run(stop); }) {}

  // REQUIRES: called once.
  void finish() {
    thread_.request_stop();
    thread_.join();
  }
  // Of all requests, and of those on a connection that is kept and on new ones. REQUIRES: finished.
  const testkit::Latencies& all() const { return all_; }
  const testkit::Latencies& kept() const { return kept_; }
  const testkit::Latencies& fresh() const { return fresh_; }
  // The first few. REQUIRES: finished.
  const std::vector<std::string>& failures() const { return failures_; }

 private:
  void run(const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested(); ++i) {
      const std::string name = "honest-" + std::to_string(i);
      kept_.add(ask(keeping_, "POST", kMaps, config_map(name, i), 201));
      kept_.add(ask(keeping_, "GET", kMaps + ("/" + name), "", 200));
      kept_.add(ask(keeping_, "DELETE", kMaps + ("/" + name), "", 200));
      connecting_.reconnect();
      fresh_.add(ask(connecting_, "GET", "/api/v1/namespaces/default", "", 200));
      std::this_thread::sleep_for(5ms);  // its rate
    }
  }

  // Returns how long it took.
  Duration ask(TokenClient& client, const char* method, const std::string& target,
               const std::string& body, int expected) {
    const Steady begin = client.clock().steady();
    const auto response = client.send_again_if_cut_off(method, target, body, tries_);
    const Duration took = client.clock().steady() - begin;
    all_.add(took);
    const bool answered = response.ok() && response->status == expected;
    const size_t kMostTold = 5;
    if (answered || failures_.size() == kMostTold) return took;
    failures_.push_back(std::string(method) + " " + target + ": " + text_of(response));
    return took;
  }

  const int tries_;
  TokenClient keeping_;
  TokenClient connecting_;
  testkit::Latencies all_;
  testkit::Latencies kept_;
  testkit::Latencies fresh_;
  std::vector<std::string> failures_;
  std::jthread thread_;
};

// What the honest client may expect when it connects.
struct NewConnections {
  // Of a request, as client-go makes when a connection is cut off before there is a response.
  int tries = 3;
  bool prompt = true;  // the limit of latency is theirs, too
};

class OverloadTest : public testing::Test {
 protected:
  void SetUp() override {
    raise_descriptor_limit();
    const std::string tokens = folder_.file("tokens.csv",
                                            "honest,jane,1,\"developers\"\n"
                                            "hostile,mallory,2,\"developers\"\n");
    server_.emplace(data_dir_, "server", std::vector<std::string>{"--token-auth-file", tokens},
                    [this] {
                      limit_descriptors(1024);
                      memory_.enter();
                    });
    ASSERT_TRUE(server_->ready()) << server_->said();
    const std::string url = server_->url();
    port_ = std::stoi(url.substr(url.rfind(':') + 1));
    Admin admin(data_dir_);
    const auto bound = admin.ask("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
                                 R"({"metadata":{"name":"developers"},"roleRef":{"apiGroup":
        "rbac.authorization.k8s.io","kind":"ClusterRole","name":"cluster-admin"},"subjects":[
        {"apiGroup":"rbac.authorization.k8s.io","kind":"Group","name":"developers"}]})");
    ASSERT_EQ(bound.code, 201);
  }

  // Runs the attack beside an honest client. `attack` is called again and again for some seconds;
  // `end_attack` closes its connections. REQUIRES: trials_.next().
  void attack(
      const std::function<void()>& attack, const std::function<void()>& end_attack = [] {},
      NewConnections expected = {}) {
    {
      // What any use leaves behind: threads, caches, statistics.
      Honest first(data_dir_, port_, 1);
      std::this_thread::sleep_for(2s);
      first.finish();
    }
    const size_t before = testkit::resident_bytes(server_->pid());
    size_t most = before;
    const testkit::MachineShare our_share(server_->pid());
    Honest honest(data_dir_, port_, expected.tries);
    const auto end = std::chrono::steady_clock::now() + 6s;
    std::jthread meter([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        most = std::max(most, testkit::resident_bytes(server_->pid()));
        std::this_thread::sleep_for(20ms);
      }
    });
    while (std::chrono::steady_clock::now() < end) attack();
    const double share = our_share.measure();
    honest.finish();
    meter.request_stop();
    meter.join();
    end_attack();
    const bool returned = testkit::holds_within(
        60s, [&] { return testkit::resident_bytes(server_->pid()) < before + kKept; });
    std::cout << "memory " << before / kMega << " MB, at most " << most / kMega << " MB, then "
              << testkit::resident_bytes(server_->pid()) / kMega << " MB; p50/p95/p99 of "
              << honest.kept().count() << " requests on a kept connection " << honest.kept().text()
              << ", of " << honest.fresh().count() << " on new ones " << honest.fresh().text()
              << "; our share " << share << "\n";
    EXPECT_TRUE(returned);
    EXPECT_LT(most, kMemory);
    if (share >= testkit::kLeastShare) {
      EXPECT_EQ(honest.failures(), std::vector<std::string>());
    }
    trials_.judge("a request", expected.prompt ? honest.all() : honest.kept(), 100, share);
  }

  const TemporaryFolder folder_;
  const std::string data_dir_ = folder_.path() + "/data";
  const MemoryCgroup memory_{kMemory};
  std::optional<Server> server_;
  int port_ = 0;
  testkit::LatencyTrials trials_;
};

TEST_F(OverloadTest, ThreeHundredUnfinishedBodies) {
  while (trials_.next()) {
    auto bodies = std::make_unique<UnfinishedBodies>(port_);
    attack([&] { bodies->step(); }, [&] { bodies.reset(); });
  }
}

TEST_F(OverloadTest, SilentConnectionsFromOneAddress) {
  while (trials_.next()) {
    SilentConnections connections(port_);
    attack([&] { connections.step(); });
  }
}

TEST_F(OverloadTest, TwentyThousandConnectionsFromManyAddresses) {
  if (process_capacity().descriptors < 21'000) GTEST_SKIP() << "needs 21,000 descriptors";
  while (trials_.next()) {
    int number = 0;
    std::vector<std::unique_ptr<RawClient>> open;
    const auto connect = [&] {
      if (open.size() >= 20'000) {
        std::this_thread::sleep_for(10ms);  // they stay
        return;
      }
      for (int i = 0; i < 100; ++i, ++number) {
        const std::string from = "127." + std::to_string(1 + number / 250 % 250) + "." +
                                 std::to_string(number % 250) + ".1";
        open.push_back(std::make_unique<RawClient>(port_, RawClient::Options{.from = from}));
      }
    };
    attack(connect, [&] { open.clear(); });
    EXPECT_GT(number, 10'000);
  }
}

TEST_F(OverloadTest, HandshakesThatAreNotFinished) {
  while (trials_.next()) {
    auto handshakes = std::make_unique<UnansweredHandshakes>(port_, "127.0.0.2");
    attack([&] { handshakes->step(); },
           [&] {
             EXPECT_GT(handshakes->made(), 5'000);
             handshakes.reset();
           });
  }
}

// Nothing tells the client's handshakes from the attacker's, who begins more than the server can
// answer: some are cut off, but a client that tries again gets through, and what is connected is
// served.
TEST_F(OverloadTest, HandshakesThatAreNotFinishedFromTheSameAddress) {
  while (trials_.next()) {
    auto handshakes = std::make_unique<UnansweredHandshakes>(port_, "127.0.0.1");
    attack([&] { handshakes->step(); },
           [&] {
             EXPECT_GT(handshakes->made(), 5'000);
             handshakes.reset();
           },
           {.tries = 20, .prompt = false});
  }
}

TEST_F(OverloadTest, TwoThousandWatchesThatNobodyReads) {
  while (trials_.next()) {
    auto watches = std::make_unique<UnreadWatches>(data_dir_, port_);
    attack([&] { watches->step(); },
           [&] {
             EXPECT_GE(watches->written(), 2);
             watches.reset();
           });
  }
}

TEST_F(OverloadTest, TwentyThousandProvokedResets) {
  while (trials_.next()) {
    Resets resets(port_, Resets::By::kServer);
    attack([&] { resets.step(); });
    EXPECT_GT(resets.count(), 20'000);
  }
}

}  // namespace
}  // namespace proa::e2e
