// What a node costs beyond its runtime: pods through the API of `proa up`, beside the same
// sandboxes and containers through bare CRI calls to the same containerd; and what it takes to
// start, and to do nothing. The image is there before: `proa/hello:1`, which ends when it is told.
//   node_bench [--quick] [SECTION ...]      sections: start, one, many, memory, idle
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <thread>

#include "api/object/view.h"
#include "api/schema/builtin.h"
#include "base/check.h"
#include "base/threads/mutex.h"
#include "client/remote/remote_client.h"
#include "json/parse.h"
#include "kubelet/runtime/cri/cri_runtime.h"
#include "load/meter.h"
#include "load/report.h"
#include "load/server.h"
#include "testkit/kubelet/test_containerd.h"
#include "testkit/load.h"

namespace proa::load {
namespace node_bench {

using api::View;
using namespace std::chrono_literals;

constexpr Duration kPatience = std::chrono::minutes(3);
// As many as the node works on at once.
constexpr size_t kAtOnce = 16;
// Enough for an end by itself; nobody waits that long.
constexpr Duration kGrace = 30s;

class Stopwatch {
 public:
  double seconds() const { return seconds_since(begin_); }

 private:
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Until it answers true, every two milliseconds.
template <typename Question>
void await(const Question& question) {
  const Stopwatch waiting;
  while (!question()) {
    CHECK(waiting.seconds() < 60);
    std::this_thread::sleep_for(2ms);
  }
}

// `proa up` in a folder of its own, a client of it that may do everything, and its runtime.
class Cluster {
 public:
  // `flags`: further ones of its `up`.
  explicit Cluster(const std::vector<std::string>& flags = {}) { start(flags); }
  // Nothing of it is left.
  ~Cluster() {
    process_->signal(SIGTERM);
    process_->wait();
    testkit::Process removal({server_binary(), "uninstall", "--yes", "--data-dir", data_dir_});
    if (removal.wait() != 0) fmt::print(stderr, "node_bench: uninstall left something behind\n");
  }
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  static client::Place place(std::string_view resource, std::string name) {
    return {.resource = api::builtin_schema().find_resource("", "v1", resource),
            .name_space = resource == "nodes" ? "" : "default",
            .name = std::move(name),
            .subresource = {}};
  }
  Result<void> create_pod(const std::string& name) {
    const auto made = client_->create(
        place("pods", ""),
        json::parse_literal(fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"containers":[)"
                                        R"({{"name":"hello","image":"proa/hello:1"}}]}}}})",
                                        name)),
        {}, {});
    return made.ok() ? Result<void>() : made.status();
  }
  void remove_pod(const std::string& name) {
    CHECK(client_->remove(place("pods", name), {}, {}).ok());
  }
  // Then its runtime is there, too.
  void await_node() {
    await([this] { return node_is_ready(); });
    run_folder_ = find_run_folder();
    runtime_ = kubelet::cri::connect_runtime(http_, run_folder_ + "/containerd.sock");
  }

  client::Client& client() { return *client_; }
  kubelet::cri::Runtime& runtime() { return *runtime_; }
  Clock& clock() { return clock_; }
  pid_t pid() const { return process_->pid(); }
  std::string file(const std::string& name) const { return folder_.file(name); }
  // Of the node: "/proa-1234".
  std::string cgroup_root() const { return run_folder_.substr(run_folder_.rfind('/')); }
  // Since its start. REQUIRES: right after it.
  double api_seconds() const { return api_seconds_; }
  double seconds() const { return since_start_->seconds(); }

 private:
  // Until its API is ready.
  void start(const std::vector<std::string>& flags) {
    const int port = testkit::free_port();
    const auto number = static_cast<unsigned>(::getpid());
    since_start_.emplace();
    std::vector<std::string> command{
        server_binary(),  "up",
        "--data-dir",     data_dir_,
        "--listen",       fmt::format("0.0.0.0:{}", port),
        "--kubelet-port", std::to_string(testkit::free_port()),
        "--pod-cidr",     fmt::format("10.{}.{}.0/24", 128 + number / 256 % 100, number % 256)};
    command.insert(command.end(), flags.begin(), flags.end());
    process_.emplace(command, folder_.file("log"));
    await([port] { return is_ready(port); });
    api_seconds_ = seconds();
    await([this] { return ::access((data_dir_ + "/admin.kubeconfig").c_str(), R_OK) == 0; });
    auto connection = client::read_kubeconfig(files_, data_dir_ + "/admin.kubeconfig").value();
    client_ =
        client::RemoteClient::make(loops_, clock_, files_, {.connection = std::move(connection)})
            .value();
  }
  bool node_is_ready() {
    const auto nodes = client_->list(place("nodes", ""), {}, {});
    if (!nodes.ok() || nodes->items.empty()) return false;
    const json::Document node = nodes->items[0]->document().value();
    for (const View condition : View(node.root())["status"]["conditions"].items()) {
      if (condition["type"].text() == "Ready") return condition["status"].text() == "True";
    }
    return false;
  }
  // "/run/proa-1234", as its containerd is told.
  std::string find_run_folder() {
    const std::string text = files_.read_file(data_dir_ + "/containerd.toml", 1 << 16).value();
    const size_t end = text.find("/containerd.sock\"");
    const size_t begin = text.rfind('"', end) + 1;
    return text.substr(begin, end - begin);
  }

  const testkit::TempDir folder_;
  const std::string data_dir_ = folder_.file("data");
  SystemFiles files_;
  SystemClock clock_;
  http::LoopGroup loops_{1};
  http::Client http_{loops_, clock_, {}};
  std::optional<Stopwatch> since_start_;
  double api_seconds_ = 0;
  std::optional<testkit::Process> process_;
  std::unique_ptr<client::RemoteClient> client_;
  std::string run_folder_;
  std::unique_ptr<kubelet::cri::Runtime> runtime_;
};

// Follows the pods, as a user would who waits for them.
class Pods {
 public:
  explicit Pods(Cluster& cluster) : cluster_(cluster) {
    follower_ = std::jthread([this](const std::stop_token& stop) { follow(stop); });
  }

  // Until so many run, and no others are there.
  void await(size_t count) {
    MutexLock lock(mutex_);
    while (running_.size() != count || !others_.empty()) {
      CHECK(changed_.wait_until(mutex_, std::chrono::steady_clock::now() + kPatience));
    }
  }

 private:
  void follow(const std::stop_token& stop) {
    const auto watch = cluster_.client()
                           .watch(Cluster::place("pods", ""), {.send_initial_events = true}, {})
                           .value();
    while (!stop.stop_requested()) {
      const auto events = watch->next({.deadline = Steady::max(), .stop = stop}).value();
      for (const client::Event& event : events) {
        if (event.type != client::EventType::kBookmark) take(event);
      }
    }
  }
  void take(const client::Event& event) {
    const json::Document document = event.object->document().value();
    const std::string name(event.object->metadata().name);
    MutexLock lock(mutex_);
    running_.erase(name);
    others_.erase(name);
    if (event.type != client::EventType::kDeleted) {
      const bool runs = View(document.root())["status"]["phase"].text() == "Running";
      (runs ? running_ : others_).insert(name);
    }
    changed_.notify_all();
  }

  Cluster& cluster_;
  Mutex mutex_;
  CondVar changed_;
  std::set<std::string> running_ GUARDED_BY(mutex_);
  std::set<std::string> others_ GUARDED_BY(mutex_);
  std::jthread follower_;
};

// What the node asks the runtime for when it runs such a pod, and nothing else: same mounts, same
// limits. Without the labels by which a node knows its own.
class BarePod {
 public:
  BarePod(Cluster& cluster, const std::string& name) : runtime_(cluster.runtime()), name_(name) {
    folder_ = cluster.file("bare/" + name);
    std::filesystem::create_directories(folder_ + "/token");
    for (const char* file : {"/hosts", "/end"}) std::ofstream(folder_ + file) << "127.0.0.1 a\n";
    sandbox_config_ = parse(fmt::format(
        R"({{"metadata":{{"name":"{0}","uid":"{0}","namespace":"bare"}},"hostname":"{0}",)"
        R"("log_directory":"{1}","dns_config":{{"servers":["127.0.0.1"]}},"linux":{{)"
        R"("cgroup_parent":"{2}/bare/{0}","resources":{{"cpu_shares":2}},"security_context":{{)"
        R"("namespace_options":{{"pid":1}},"seccomp":{{"profile_type":0}}}}}}}})",
        name, folder_, cluster.cgroup_root()));
    container_config_ = parse(fmt::format(
        R"({{"metadata":{{"name":"hello"}},"image":{{"image":"docker.io/proa/hello:1"}},)"
        R"("log_path":"0.log","mounts":[)"
        R"({{"container_path":"/etc/hosts","host_path":"{0}/hosts"}},)"
        R"({{"container_path":"/dev/termination-log","host_path":"{0}/end"}},)"
        R"({{"container_path":"/var/run/secrets/kubernetes.io/serviceaccount",)"
        R"("host_path":"{0}/token","readonly":true}}],"linux":{{"resources":{{"cpu_shares":2,)"
        R"("oom_score_adj":1000}},"security_context":{{"namespace_options":{{"pid":1}},)"
        R"("seccomp":{{"profile_type":1}}}}}}}})",
        folder_));
  }

  void start() {
    sandbox_ = runtime_.run_sandbox(sandbox_config_.root(), "", {}).value();
    container_ =
        runtime_.create_container(sandbox_, container_config_.root(), sandbox_config_.root(), {})
            .value();
    CHECK(runtime_.start_container(container_, {}).ok());
  }
  void stop() {
    CHECK(runtime_.stop_container(container_, kGrace, {}).ok());
    CHECK(runtime_.stop_sandbox(sandbox_, {}).ok());
    CHECK(runtime_.remove_container(container_, {}).ok());
    CHECK(runtime_.remove_sandbox(sandbox_, {}).ok());
  }

 private:
  static json::Document parse(const std::string& text) {
    return std::move(json::parse(text).value());
  }

  kubelet::cri::Runtime& runtime_;
  std::string name_;
  std::string folder_;
  json::Document sandbox_config_;
  json::Document container_config_;
  std::string sandbox_;
  std::string container_;
};

// What pods took, through the API and bare, and the one against the other.
struct Pair {
  std::vector<Round> ours = {};
  std::vector<Round> bare = {};
  std::vector<Round> ratio = {};

  void add(const Round& our_round, const Round& bare_round) {
    ours.push_back(our_round);
    bare.push_back(bare_round);
    ratio.push_back({.value = our_round.value / bare_round.value});
  }
  void print(Table& table, const std::string& what, double goal) const {
    table.row(what + ": through the API, s", ours);
    table.row(what + ": bare CRI calls, s", bare);
    table.row(what + ": ratio", ratio, Goal{goal, false});
  }
};

void bench_start(bool quick) {
  std::vector<Round> api;
  std::vector<Round> node;
  std::vector<Round> pod;
  for (int round = 0; round < (quick ? 1 : 3); ++round) {
    Cluster cluster;
    api.push_back({.value = cluster.api_seconds()});
    Pods pods(cluster);
    // Refused as long as its service account is not there.
    await([&] { return cluster.create_pod("first").ok(); });
    cluster.await_node();
    node.push_back({.value = cluster.seconds()});
    pods.await(1);
    pod.push_back({.value = cluster.seconds()});
  }
  Table table("From the start of `proa up` on an empty folder", "s", "", 2);
  table.row("the API is ready", api, Goal{0.3, false});
  table.row("the node is ready", node, Goal{3, false});
  table.row("a pod runs that was created at once", pod, Goal{5, false});
}

// How long that took, and what it cost the process for each pod.
Round measure(const Cluster& cluster, size_t pods, const std::function<void()>& work) {
  Meter meter(cluster.pid());
  meter.start();
  work();
  meter.stop();
  const double each = 1e6 / static_cast<double>(pods);
  return {.value = meter.seconds(),
          .server_micros = meter.server_seconds() * each,
          .client_micros = meter.client_seconds() * each,
          .others = meter.others()};
}

void bench_one(bool quick) {
  Cluster cluster;
  Pods pods(cluster);
  cluster.await_node();
  Pair start;
  Pair end;
  for (int round = 0; round < (quick ? 5 : 20); ++round) {
    const std::string name = fmt::format("one-{}", round);
    BarePod bare(cluster, name);
    const Round bare_start = measure(cluster, 1, [&] { bare.start(); });
    const Round bare_end = measure(cluster, 1, [&] { bare.stop(); });
    const auto run = [&] {
      CHECK(cluster.create_pod(name).ok());
      pods.await(1);
    };
    const auto remove = [&] {
      cluster.remove_pod(name);
      pods.await(0);
    };
    start.add(measure(cluster, 1, run), bare_start);
    end.add(measure(cluster, 1, remove), bare_end);
  }
  Table table("One pod", "", "pod", 3);
  start.print(table, "until it runs", 1.3);
  end.print(table, "until it is gone", 1.3);
}

// All of them, as many at once as the node would.
void for_all(std::vector<std::unique_ptr<BarePod>>& pods, void (BarePod::*work)()) {
  std::atomic<size_t> next = 0;
  std::vector<std::jthread> threads;
  for (size_t i = 0; i < kAtOnce; ++i) {
    threads.emplace_back([&] {
      for (size_t index = next++; index < pods.size(); index = next++) (*pods[index].*work)();
    });
  }
}

void bench_many(bool quick) {
  Cluster cluster;
  Pods pods(cluster);
  cluster.await_node();
  const size_t count = 50;
  Pair start;
  Pair end;
  for (int round = 0; round < (quick ? 1 : 3); ++round) {
    std::vector<std::unique_ptr<BarePod>> bare;
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i) {
      names.push_back(fmt::format("many-{}-{}", round, i));
      bare.push_back(std::make_unique<BarePod>(cluster, names.back()));
    }
    const Round bare_start = measure(cluster, count, [&] { for_all(bare, &BarePod::start); });
    const Round bare_end = measure(cluster, count, [&] { for_all(bare, &BarePod::stop); });
    const auto run = [&] {
      for (const std::string& name : names) CHECK(cluster.create_pod(name).ok());
      pods.await(count);
    };
    const auto remove = [&] {
      for (const std::string& name : names) cluster.remove_pod(name);
      pods.await(0);
    };
    start.add(measure(cluster, count, run), bare_start);
    end.add(measure(cluster, count, remove), bare_end);
  }
  Table table("50 pods at once; bare: 16 at a time, as the node does it", "", "pod", 3);
  start.print(table, "until all run", 1.2);
  end.print(table, "until all are gone", 1.2);
}

// Some pods that run and do nothing.
class Quiet {
 public:
  Quiet(Cluster& cluster, size_t count) : cluster_(cluster), count_(count), pods_(cluster) {
    cluster.await_node();
    for (size_t i = 0; i < count; ++i) {
      await([&] { return cluster.create_pod(fmt::format("quiet-{}", i)).ok(); });
    }
    pods_.await(count);
  }
  ~Quiet() {
    for (size_t i = 0; i < count_; ++i) cluster_.remove_pod(fmt::format("quiet-{}", i));
    pods_.await(0);
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  Cluster& cluster_;
  const size_t count_;
  Pods pods_;
};

double private_megabytes(pid_t process) {
  return static_cast<double>(testkit::private_bytes(process)) / 1e6;
}
double megabytes(pid_t process) { return static_cast<double>(resident_bytes(process)) / 1e6; }

// Without a network there is no pod, and the node waits for one.
double megabytes_without_network(Duration settling) {
  const Cluster cluster({"--proxy-mode", "none", "--pod-network", "none"});
  std::this_thread::sleep_for(settling);
  return private_megabytes(cluster.pid());
}

double megabytes_without_names(Duration settling) {
  Cluster cluster({"--dns", "none", "--network-policy", "none"});
  cluster.await_node();
  std::this_thread::sleep_for(settling);
  return megabytes(cluster.pid());
}

void bench_memory(bool quick) {
  const Duration settling = quick ? 2s : 10s;
  const double bare = megabytes_without_network(settling);
  const double nameless = megabytes_without_names(settling);
  Cluster cluster;
  cluster.await_node();
  std::this_thread::sleep_for(settling);
  Table table("Resident, the whole process of `proa up`", "MB", "", 1);
  const double network = private_megabytes(cluster.pid()) - bare;
  const double all = megabytes(cluster.pid());
  table.row("with no pod", {{.value = all}}, Goal{50, false});
  table.row("of it, DNS and NetworkPolicies", {{.value = all - nameless}}, Goal{5, false});
  table.row("of it, pod network and Services", {{.value = network}}, Goal{4, false});
  const size_t count = quick ? 30 : 100;
  const Quiet pods(cluster, count);
  std::this_thread::sleep_for(settling);
  table.row(fmt::format("with {} pods that run", count), {{.value = megabytes(cluster.pid())}},
            Goal{80, false});
}

void bench_idle(bool quick) {
  Cluster cluster;
  const Quiet pods(cluster, 20);
  std::this_thread::sleep_for(10s);
  // What is not worth a write of its own goes to the disk every five minutes.
  const double length = quick ? 20 : 600;
  const double written = written_bytes(cluster.pid());
  const double busy = processor_seconds(cluster.pid());
  std::this_thread::sleep_for(std::chrono::duration<double>(length));
  const double spent = processor_seconds(cluster.pid()) - busy;
  const double day = (written_bytes(cluster.pid()) - written) * 86'400 / length;
  Table table(fmt::format("Idle for {:.0f} s, with 20 pods that run", length), "", "", 3);
  table.row("per cent of a core", {{.value = 100 * spent / length}}, Goal{0.3, false});
  table.row("MB written in a day", {{.value = day / 1e6}}, Goal{20, false});
}

}  // namespace node_bench
}  // namespace proa::load

int main(int count, char** arguments) {
  using namespace proa::load::node_bench;  // NOLINT: all of it is for this
  bool quick = false;
  std::set<std::string> sections;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--quick") {
      quick = true;
    } else {
      sections.insert(argument);
    }
  }
  if (const std::string why = proa::testkit::TestContainerd::missing(); !why.empty()) {
    fmt::print("There can be no node on this machine: {}\n", why);
    return 0;
  }
  const auto wanted = [&](const char* name) { return sections.empty() || sections.contains(name); };
  if (wanted("start")) bench_start(quick);
  if (wanted("one")) bench_one(quick);
  if (wanted("many")) bench_many(quick);
  if (wanted("memory")) bench_memory(quick);
  if (wanted("idle")) bench_idle(quick);
}
