// Whether a client that floods the server with expensive lists slows down others: an unprivileged
// user asks for up to 10,000 lists of 5,000 pods a second, and takes no 429 for an answer, while a
// node updates its Lease and an administrator reads a ConfigMap, each 100 times a second. Fails if
// their p99 exceeds 50 ms. The flood comes from threads of low priority, since it shares the cores
// with what is measured: a real one comes from other machines. kube-apiserver beside it, at a tenth
// of the rate, where KUBE_APISERVER names it.
//   fairness_bench [--quick] [SERVER FLAG ...]
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <thread>

#include "apiserver/front/fairness/flow_control.h"
#include "base/clock.h"
#include "crypto/authority.h"
#include "load/closed_loop.h"
#include "load/objects.h"
#include "load/server.h"
#include "load/subject.h"
#include "testkit/apiserver/running_api.h"
#include "testkit/process.h"

namespace proa::load {
namespace fairness_bench {

using std::chrono::steady_clock;

constexpr double kPerSecond = 10'000;
constexpr double kPerSecondUpstream = kPerSecond / 10;
constexpr size_t kPods = 5'000;
constexpr double kWorst = 50;  // ms
constexpr const char* kNamespace = "flood";
constexpr const char* kLease = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
constexpr std::chrono::milliseconds kPause(10);  // between two requests of a probe

std::string read_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Somebody with a certificate of the server's own authority.
Target speak_as(const std::string& directory, int port, const std::string& user,
                const std::string& group) {
  const crypto::CertifiedKey authority{read_file(directory + "/tls/authority.crt"),
                                       read_file(directory + "/tls/authority.key")};
  const Time now = SystemClock().now();
  crypto::CertificateTemplate wanted;
  wanted.not_before = now - std::chrono::hours(1);
  wanted.not_after = now + std::chrono::hours(24);
  wanted.common_name = user;
  wanted.organizations = {group};
  wanted.for_client = true;
  const auto issued = crypto::issue_certificate(authority, wanted);
  if (!issued) fail("no certificate for " + user + ": " + issued.status().message());
  return make_target(port,
                     {authority.certificate_pem, issued->certificate_pem, issued->private_key_pem});
}

// Asks at a given rate, as far as answers leave it slots.
class Flood final : public Framing::Events {
 public:
  Flood(const Target& target, Request request, double per_second)
      : target_(target),
        request_(std::move(request)),
        per_second_(per_second),
        thread_([this] { run(); }) {}
  ~Flood() override {
    stop_ = true;
    thread_.join();
  }
  Flood(const Flood&) = delete;
  Flood& operator=(const Flood&) = delete;

  struct Counts {
    uint64_t asked = 0;
    uint64_t listed = 0;
    uint64_t rejected = 0;
    uint64_t bytes = 0;
  };
  Counts counts() const { return {asked_, listed_, rejected_, bytes_}; }

 private:
  static constexpr size_t kConnections = 32;
  static constexpr size_t kStreams = 100;

  void run() {
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), 10);
    std::deque<Connection> connections;
    Poller poller;
    for (size_t i = 0; i < kConnections; ++i)
      poller.add(connections.emplace_back(target_, Protocol::kHttp2, *this));
    for (size_t slot = 0; slot < kConnections * kStreams; ++slot) free_.push_back(slot);
    const auto start = steady_clock::now();
    double spent = 0;  // requests that were due
    while (!stop_) {
      const double due =
          per_second_ * std::chrono::duration<double>(steady_clock::now() - start).count();
      // What it could not ask in time is not asked later; fractions are.
      const double wanted = std::min(due - spent, per_second_ / 100);
      const double whole = std::floor(wanted);
      spent = due - (wanted - whole);
      for (double i = 0; i < whole && !free_.empty(); ++i) {
        const size_t slot = free_.front();
        free_.pop_front();
        connections[slot % kConnections].send(request_, slot);
        ++asked_;
      }
      for (Connection& connection : connections) connection.flush();
      poller.wait(1);
    }
  }

  void on_body(size_t, std::string_view part) override { bytes_ += part.size(); }
  void on_answer(size_t tag, int status) override {
    if (status != 200 && status != 429) fail(fmt::format("a list was answered {}", status));
    (status == 200 ? listed_ : rejected_) += 1;
    free_.push_back(tag);
  }
  // A server may refuse so, too, when a client asks for more than it reads.
  void on_given_up(size_t tag, uint64_t) override {
    ++rejected_;
    free_.push_back(tag);
  }

  const Target& target_;
  const Request request_;
  const double per_second_;
  std::deque<size_t> free_;
  std::atomic<uint64_t> asked_ = 0;
  std::atomic<uint64_t> listed_ = 0;
  std::atomic<uint64_t> rejected_ = 0;
  std::atomic<uint64_t> bytes_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

// One request after the other, with a pause in between.
class Probe final : public Framing::Events {
 public:
  // `next`: the request, given the body of the last answer.
  using Next = std::function<Request(const std::string& last)>;
  Probe(const Target& target, Next next)
      : target_(target), next_(std::move(next)), thread_([this] { run(); }) {}
  ~Probe() override { finish(); }
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  struct Times {
    size_t count = 0;
    double p50_ms = 0;
    double p99_ms = 0;
    double max_ms = 0;
  };
  Times finish() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    if (times_.empty()) return {};
    return {times_.size(), percentile(times_, 0.5) * 1e3, percentile(times_, 0.99) * 1e3,
            *std::ranges::max_element(times_) * 1e3};
  }

 private:
  void run() {
    Connection connection(target_, Protocol::kHttp2, *this);
    Poller poller;
    poller.add(connection);
    while (!stop_) {
      const Request request = next_(body_);
      body_.clear();
      answered_ = false;
      const auto begin = steady_clock::now();
      connection.send(request, 0);
      connection.flush();
      while (!answered_) poller.wait(1000);
      times_.push_back(std::chrono::duration<double>(steady_clock::now() - begin).count());
      std::this_thread::sleep_for(kPause);
    }
  }
  void on_body(size_t, std::string_view part) override { body_.append(part); }
  void on_answer(size_t, int status) override {
    if (status != 200) fail(fmt::format("a probe was answered {} {}", status, body_));
    answered_ = true;
  }

  const Target& target_;
  const Next next_;
  std::string body_;
  bool answered_ = false;
  std::vector<double> times_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

std::string lease(const std::string& version, uint64_t number) {
  std::string text =
      R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"node-17")";
  if (!version.empty()) text += R"(,"resourceVersion":")" + version + "\"";
  return text + R"(},"spec":{"holderIdentity":"node-17","leaseDurationSeconds":40,"renewTime":")" +
         fmt::format("2026-01-01T{:02}:{:02}:{:02}.000000Z\"}}}}", number / 3600 % 24,
                     number / 60 % 60, number % 60);
}

// What a request costs before it is executed, and after.
void measure_cost() {
  testkit::RunningApi api;
  SystemClock clock;
  const auto control = std::make_shared<apiserver::fairness::FlowControl>(api.store(), clock, 600);
  const apiserver::User jane{
      .name = "jane", .uid = {}, .groups = {"developers", "system:authenticated"}, .extra = {}};
  const apiserver::Attributes pod{.user = &jane,
                                  .verb = "get",
                                  .version = "v1",
                                  .resource = "pods",
                                  .name_space = "default",
                                  .name = "web-5d4f8c7b9-x2x7q"};
  constexpr int kRequests = 200'000;
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    const auto begin = steady_clock::now();
    for (int i = 0; i < kRequests; ++i) {
      const auto ticket = control->classify(
          {.request = pod, .path = "/api/v1/namespaces/default/pods/web-5d4f8c7b9-x2x7q"});
      control->start(*ticket, std::chrono::seconds(15));
    }
    best = std::min(best,
                    std::chrono::duration<double>(steady_clock::now() - begin).count() / kRequests);
  }
  control->stop();
  fmt::print("classifying, starting and ending a request: {:.2f} us\n\n", best * 1e6);
}

// Who asks a server, and how often the greedy one does.
struct Users {
  Target admin;
  Target node;
  Target greedy;
  double per_second = kPerSecond;
};

struct Row {
  std::string name;
  std::optional<Request> flood;
};

// Whether both were fast.
bool measure(const Users& users, const Row& row, double seconds) {
  std::unique_ptr<Flood> flood;
  if (row.flood) {
    flood = std::make_unique<Flood>(users.greedy, *row.flood, users.per_second);
    // Queues fill, and seats are borrowed.
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds / 4));
  }
  const Flood::Counts before = flood == nullptr ? Flood::Counts{} : flood->counts();
  const auto start = steady_clock::now();
  uint64_t beats = 0;
  std::string version = version_in(ask(users.node, {.path = std::string(kLease) + "/node-17"}));
  Probe heartbeats(users.node, [&](const std::string& last) {
    if (!last.empty()) version = version_in(last);
    return Request{
        .method = "PUT", .path = std::string(kLease) + "/node-17", .body = lease(version, ++beats)};
  });
  Probe reads(users.admin, [](const std::string&) {
    return Request{.path = config_maps_path(kNamespace) + "/" + object_name(0)};
  });
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  const Probe::Times beat = heartbeats.finish();
  const Probe::Times read = reads.finish();
  const double took = std::chrono::duration<double>(steady_clock::now() - start).count();
  const Flood::Counts after = flood == nullptr ? Flood::Counts{} : flood->counts();
  fmt::print(
      "{:<34} {:>8.0f} {:>7.0f} {:>8.0f} {:>6.0f} | {:>6.2f} {:>7.2f} {:>7.2f} | {:>6.2f} "
      "{:>7.2f} {:>7.2f}\n",
      row.name, static_cast<double>(after.asked - before.asked) / took,
      static_cast<double>(after.listed - before.listed) / took,
      static_cast<double>(after.rejected - before.rejected) / took,
      static_cast<double>(after.bytes - before.bytes) / took / 1e6, beat.p50_ms, beat.p99_ms,
      beat.max_ms, read.p50_ms, read.p99_ms, read.max_ms);
  std::fflush(stdout);
  return beat.p99_ms <= kWorst && read.p99_ms <= kWorst && beat.count > 0 && read.count > 0;
}

void prepare(const Users& users) {
  ask(users.admin, create_namespace(kNamespace));
  // Without its controller manager, upstream's server has no account for the pods.
  ask(users.admin,
      {.method = "PATCH",
       .path = fmt::format("/api/v1/namespaces/{}/serviceaccounts/default?fieldManager=bench",
                           kNamespace),
       .content_type = "application/apply-patch+yaml",
       .body = R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"default"}})"});
  ask(users.admin, create_node());
  constexpr Shape kShape{Protocol::kHttp2, 8, 8};
  Meter unread(0);
  for (const auto& [kind, count] :
       {std::pair(Fill::Kind::kPod, kPods), {Fill::Kind::kConfigMap, size_t{1}}}) {
    Fill fill(kind, kNamespace, count, 1024, kShape.connections * kShape.streams);
    run_closed_loop(users.admin, kShape, fill, 0, unread);
  }
  ask(users.admin,
      {.method = "POST",
       .path = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
       .body = R"({"metadata":{"name":"greedy"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",)"
               R"("kind":"ClusterRole","name":"system:aggregate-to-view"},"subjects":[{"apiGroup":)"
               R"("rbac.authorization.k8s.io","kind":"User","name":"greedy"}]})"});
  ask(users.node, {.method = "POST", .path = kLease, .body = lease("", 0)});
}

// `directory`: of the server of ours whose authority the subject knows.
Users users_of(const Subject& subject, const std::string& directory, double per_second) {
  const int port = subject.target.port;
  return {.admin = subject.target,
          .node = speak_as(directory, port, "system:node:node-17", "system:nodes"),
          .greedy = speak_as(directory, port, "greedy", "guests"),
          .per_second = per_second};
}

// Whether all were fast.
bool measure_all(const Subject& subject, const Users& users, double seconds) {
  prepare(users);
  const std::string pods = pods_path(kNamespace);
  const std::string table = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const std::vector<Row> rows{
      {"no flood", {}},
      {"lists of 5,000 pods", Request{.path = pods}},
      {"the same as Tables", Request{.path = pods, .accept = table}},
      {"the same as protobuf",
       Request{.path = pods, .accept = "application/vnd.kubernetes.protobuf"}},
      {"searches by label", Request{.path = pods + "?labelSelector=tier%3Dnone"}},
      {"no flood any more", {}},
  };
  fmt::print("{:<34} {:>8} {:>7} {:>8} {:>6} | heartbeat (ms)         | admin's GET (ms)\n",
             subject.name, "asked/s", "200/s", "no/s", "MB/s");
  fmt::print("{:<34} {:>8} {:>7} {:>8} {:>6} | {:>6} {:>7} {:>7} | {:>6} {:>7} {:>7}\n", "", "", "",
             "", "", "p50", "p99", "max", "p50", "p99", "max");
  bool good = true;
  for (const Row& row : rows) good = measure(users, row, seconds) && good;
  fmt::print("\n");
  return good;
}

int run(double seconds, const std::vector<std::string>& flags) {
  const testkit::TempDir place;
  const std::string directory = place.file("data");
  bool good = true;
  Target target;
  {
    const Server server(server_binary(), directory, "127.0.0.1", flags);
    target = server.target();
    const Subject ours = subject_of(server);
    good = measure_all(ours, users_of(ours, directory, kPerSecond), seconds);
  }
  if (const std::string program = upstream_program(); !program.empty()) {
    const Upstream upstream(program, place.file("upstream"), directory, target);
    const Subject theirs = upstream.subject();
    measure_all(theirs, users_of(theirs, directory, kPerSecondUpstream), seconds);
  }
  if (!good) fmt::print("FAILED: a p99 exceeds {:.0f} ms\n", kWorst);
  return good ? 0 : 1;
}

}  // namespace fairness_bench
}  // namespace proa::load

int main(int count, char** words) {
  double seconds = 10;
  std::vector<std::string> flags;
  for (int i = 1; i < count; ++i) {
    if (std::string_view(words[i]) == "--quick") {
      seconds = 3;
    } else {
      flags.emplace_back(words[i]);
    }
  }
  proa::load::fairness_bench::measure_cost();
  return proa::load::fairness_bench::run(seconds, flags);
}
