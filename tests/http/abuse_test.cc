// Ten thousand hostile connections, and one ordinary client.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iostream>
#include <thread>

#include "base/clock.h"
#include "base/process/capacity.h"
#include "base/random.h"
#include "http/client/client.h"
#include "testkit/http/test_server.h"
#include "testkit/load.h"

namespace proa::http {
namespace {

using testkit::Latencies;

constexpr int kConnections = 10'000;

struct Ports {
  int tls = 0;
  int plain = 0;
};

// A hostile peer. Runs on a loop, and reconnects when it is disconnected.
class Attacker final : public Socket::Events {
 public:
  enum class Kind : uint8_t {
    kSilent,        // connects only
    kGarbage,       // random bytes, repeatedly
    kDrip,          // a request head, one byte at a time
    kEndlessHead,   // endless header fields
    kEndlessBody,   // an endless chunked body
    kNoReader,      // requests large responses and does not read them
    kTlsStall,      // starts a handshake with random bytes
    kTlsIdle,       // finishes the handshake and sends nothing
    kHttp2Garbage,  // finishes the handshake, sends a preface and random frames
    kCount,
  };

  Attacker(Loop& loop, const Ports& ports, Kind kind, uint64_t seed)
      : loop_(loop), ports_(ports), kind_(kind), random_(seed), tick_(loop, [this] { act(); }) {
    connect();
  }

 private:
  bool over_tls() const { return kind_ >= Kind::kTlsStall; }

  void connect() {
    static const std::shared_ptr<const TlsContext> trusting = [] {
      TlsOptions options;
      options.insecure_skip_verify = true;
      return *TlsContext::client(options);
    }();
    const bool handshake = kind_ == Kind::kTlsIdle || kind_ == Kind::kHttp2Garbage;
    step_ = 0;
    socket_ = Socket::connect(loop_, {"127.0.0.1", over_tls() ? ports_.tls : ports_.plain, {}},
                              *this, handshake ? trusting : nullptr, "localhost");
  }

  void on_established() override {
    if (kind_ == Kind::kNoReader) socket_->pause();
    tick_.start(pause());
  }
  void on_data(std::string_view) override {}
  void on_end() override { again(); }
  void on_closed(const Status&) override { again(); }

  void again() {
    tick_.stop();
    loop_.post([this] {
      socket_.reset();
      connect();
    });
  }

  Duration pause() { return std::chrono::milliseconds(200 + random_.below(800)); }

  std::string noise(size_t size) {
    std::string bytes(size, '\0');
    random_.fill({reinterpret_cast<unsigned char*>(bytes.data()), size});
    return bytes;
  }

  std::string next() {
    const bool first = step_++ == 0;
    switch (kind_) {
      case Kind::kGarbage:
        return noise(200);
      case Kind::kDrip:
        return first ? "GET / HTTP/1.1\r\nhost: a\r\nx: " : "y";
      case Kind::kEndlessHead:
        return (first ? "GET / HTTP/1.1\r\nhost: a\r\n" : "x: ") + std::string(4000, 'z') +
               ": 1\r\n";
      case Kind::kEndlessBody:
        return first ? "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n"
                     : "400\r\n" + std::string(1024, 'b') + "\r\n";
      case Kind::kNoReader:
        return "GET /large HTTP/1.1\r\nhost: a\r\n\r\nGET /large HTTP/1.1\r\nhost: a\r\n\r\n";
      case Kind::kTlsStall:
        return first ? std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) + noise(40)
                     : noise(1);
      case Kind::kHttp2Garbage:
        return first ? "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + std::string("\0\0\0\4\0\0\0\0\0", 9)
                     : noise(60);
      case Kind::kSilent:
      case Kind::kTlsIdle:
      case Kind::kCount:
        return {};
    }
    return {};
  }

  void act() {
    socket_->write(Bytes(next()));
    socket_->flush();
    tick_.start(pause());
  }

  Loop& loop_;
  const Ports ports_;
  const Kind kind_;
  SeededRandom random_;
  Timer tick_;
  std::unique_ptr<Socket> socket_;
  int step_ = 0;
};

// The attackers' process: never exits by itself.
[[noreturn]] void attack(int ports_pipe) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // and does not outlive the test
  Ports ports;
  if (::read(ports_pipe, &ports, sizeof(ports)) != sizeof(ports)) ::_exit(0);
  static Loop loop;
  static std::vector<std::unique_ptr<Attacker>> attackers;
  for (int i = 0; i < kConnections; ++i) {
    loop.post([&ports, i] {
      const auto kind = static_cast<Attacker::Kind>(i % static_cast<int>(Attacker::Kind::kCount));
      attackers.push_back(std::make_unique<Attacker>(loop, ports, kind, static_cast<uint64_t>(i)));
    });
    if (i % 100 == 99)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));  // not all at once
  }
  while (true) ::pause();
}

void answer(const ExchangePtr& exchange) {
  static const Bytes large(std::string(8 * 1024 * 1024, 'l'));
  if (exchange->request().target != "/large") return testkit::echo(exchange);
  exchange->respond({200, {}, large, {}});
}

// One attack. REQUIRES: this process has one thread.
void measure(testkit::LatencyTrials& trials) {
  int ports_pipe[2];
  ASSERT_EQ(::pipe(ports_pipe), 0);
  const pid_t attackers = ::fork();  // before this process has threads
  if (attackers == 0) {
    ::close(ports_pipe[1]);
    attack(ports_pipe[0]);
  }
  ::close(ports_pipe[0]);

  // All connections come from one address here, and many say nothing: the default limits would
  // close most.
  ServerLimits limits;
  limits.connections_per_address = limits.silent_connections = limits.connections;
  testkit::TestServer server(answer, true, limits);
  const auto plain = server.server().listen({"127.0.0.1", 0, {}});
  ASSERT_TRUE(plain.ok());
  const size_t before = testkit::resident_bytes(::getpid());
  const testkit::MachineShare our_share;
  const Ports ports{server.port(), plain->port};
  ASSERT_EQ(::write(ports_pipe[1], &ports, sizeof(ports)), static_cast<ssize_t>(sizeof(ports)));

  LoopGroup loops(1);
  SystemClock clock;
  TlsOptions options;
  options.roots_pem = testkit::test_authority().certificate_pem;
  ClientOptions client_options;
  client_options.pool.tls = *TlsContext::client(options);
  const Origin origin{true, "127.0.0.1", server.port(), {}, {}, HttpProtocol::kAny};
  const auto ask = [&](Client& client) {
    const Steady start = clock.steady();
    const auto response = client.send({origin}, Until::after(clock, std::chrono::seconds(10)));
    EXPECT_TRUE(response.ok()) << response.status().message();
    return clock.steady() - start;
  };

  Client keeps_connection(loops, clock, client_options);
  Latencies kept;
  Latencies fresh;
  size_t most_connections = 0;
  size_t most_memory = 0;
  const Steady until = clock.steady() + std::chrono::seconds(12);
  while (clock.steady() < until) {
    kept.add(ask(keeps_connection));
    Client newcomer(loops, clock, client_options);
    fresh.add(ask(newcomer));
    most_connections = std::max(most_connections, server.server().connections());
    most_memory = std::max(most_memory, testkit::resident_bytes(::getpid()) - before);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // the rate of the ordinary client
  }
  ::kill(attackers, SIGKILL);
  ::waitpid(attackers, nullptr, 0);
  ::close(ports_pipe[1]);

  const double share = our_share.measure();
  std::cout << "connections " << most_connections << ", memory " << most_memory / 1024 / 1024
            << " MB, p50/p95/p99 of a kept connection " << kept.text() << ", of a new one "
            << fresh.text() << " over " << fresh.count() << " requests; our share of the machine "
            << share << "\n";
  EXPECT_GT(most_connections, kConnections * 8 / 10u);
  EXPECT_LT(most_memory, size_t{500} * 1024 * 1024);
  trials.judge("a kept connection", kept, 100, share);
  trials.judge("a new connection", fresh, 100, share);
}

TEST(Abuse, TenThousandBadPeersLeaveMemoryBoundedAndAGoodOneServed) {
  raise_descriptor_limit();
  for (testkit::LatencyTrials trials; trials.next();) measure(trials);
}

}  // namespace
}  // namespace proa::http
