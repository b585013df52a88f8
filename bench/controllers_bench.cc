// How fast the controllers of `proa server` make the world match what was written about it, as a
// client sees it that shares the cores with it: over TLS, durable. Pods are watched by this
// program; where they have to run, it plays the kubelet.
//   controllers_bench [--quick] [SECTION ...]      sections: scale, many, rollout, idle, churn
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "api/object/view.h"
#include "api/schema/builtin.h"
#include "base/check.h"
#include "base/threads/pool.h"
#include "client/remote/remote_client.h"
#include "json/parse.h"
#include "load/meter.h"
#include "load/report.h"
#include "load/server.h"

namespace proa::load {
namespace controllers_bench {

using api::View;

constexpr Duration kPatience = std::chrono::minutes(2);

class Stopwatch {
 public:
  double seconds() const { return seconds_since(begin_); }

 private:
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// A server, and a client of it that may do everything.
class Cluster {
 public:
  explicit Cluster(const std::string& directory) : server_(server_binary(), directory) {
    client_ = client::RemoteClient::make(
                  loops_, clock_, files_,
                  {.connection =
                       client::read_kubeconfig(files_, directory + "/admin.kubeconfig").value()})
                  .value();
  }

  static client::Place place(std::string_view group, std::string_view resource, std::string name,
                             std::string part = {}) {
    return {.resource = api::builtin_schema().find_resource(group, "v1", resource),
            .name_space = "default",
            .name = std::move(name),
            .subresource = std::move(part)};
  }
  client::Client& client() { return *client_; }
  Clock& clock() { return clock_; }
  pid_t pid() const { return server_.pid(); }

 private:
  SystemFiles files_;
  SystemClock clock_;
  const Server server_;
  http::LoopGroup loops_{1};
  std::unique_ptr<client::RemoteClient> client_;
};

// Follows pods, counts them, and lets them run if it is told to: then they are ready as soon as
// they are there.
class Pods {
 public:
  Pods(Cluster& cluster, bool runs_them) : cluster_(cluster), runs_them_(runs_them) {
    follower_ = std::jthread([this](const std::stop_token& stop) { follow(stop); });
  }

  // Until there are so many, all of them ready if it runs them, and of this image.
  void await(size_t count, const std::string& image = {}) {
    MutexLock lock(mutex_);
    while (!(pods_.size() == count && (!runs_them_ || ready_ == count) &&
             (image.empty() || of_image(image) == count))) {
      CHECK(changed_.wait_until(mutex_, std::chrono::steady_clock::now() + kPatience));
    }
  }

 private:
  struct Pod {
    std::string image;
    bool ready = false;
  };

  size_t of_image(const std::string& image) const REQUIRES(mutex_) {
    return static_cast<size_t>(std::count_if(
        pods_.begin(), pods_.end(), [&](const auto& pod) { return pod.second.image == image; }));
  }

  void follow(const std::stop_token& stop) {
    const auto watch = cluster_.client()
                           .watch(Cluster::place("", "pods", ""), {.send_initial_events = true}, {})
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
    const View root = document.root();
    const std::string name(event.object->metadata().name);
    const bool is_ready = root["status"]["phase"].text() == "Running";
    bool starts = false;
    {
      MutexLock lock(mutex_);
      const auto found = pods_.find(name);
      if (found != pods_.end() && found->second.ready) --ready_;
      if (event.type == client::EventType::kDeleted) {
        if (found != pods_.end()) pods_.erase(found);
      } else {
        starts = runs_them_ && found == pods_.end() && !is_ready;
        pods_[name] = {.image = std::string(root.at("spec.containers").item(0)["image"].text()),
                       .ready = is_ready};
        if (is_ready) ++ready_;
      }
      changed_.notify_all();
    }
    if (starts) CHECK(pool_.submit([this, name] { run(name); }));
  }

  void run(const std::string& name) {
    const std::string now = format_time(cluster_.clock().now());
    (void)cluster_.client().patch(
        Cluster::place("", "pods", name, "status"), api::PatchType::kMerge,
        json::parse_literal(
            fmt::format(R"({{"status":{{"phase":"Running","conditions":[{{"type":"Ready",)"
                        R"("status":"True","lastTransitionTime":"{}"}}]}}}})",
                        now)),
        {}, {});
  }

  Cluster& cluster_;
  const bool runs_them_;
  Mutex mutex_;
  CondVar changed_;
  std::map<std::string, Pod> pods_ GUARDED_BY(mutex_);
  size_t ready_ GUARDED_BY(mutex_) = 0;
  WorkerPool pool_{{.max_threads = 64}};
  std::jthread follower_;
};

std::string deployment(std::string_view name, size_t replicas, std::string_view image) {
  return fmt::format(R"({{"metadata":{{"name":"{0}"}},"spec":{{"replicas":{1},)"
                     R"("selector":{{"matchLabels":{{"app":"{0}"}}}},"template":{{)"
                     R"("metadata":{{"labels":{{"app":"{0}"}}}},)"
                     R"("spec":{{"containers":[{{"name":"web","image":"{2}"}}]}}}}}}}})",
                     name, replicas, image);
}

void create(Cluster& cluster, std::string_view name, size_t replicas) {
  CHECK(cluster.client()
            .create(Cluster::place("apps", "deployments", ""),
                    json::parse_literal(deployment(name, replicas, "web:1")), {}, {})
            .ok());
}

void patch(Cluster& cluster, const std::string& name, std::string text) {
  CHECK(cluster.client()
            .patch(Cluster::place("apps", "deployments", name), api::PatchType::kStrategic,
                   json::parse_literal(text), {}, {})
            .ok());
}

// Resources of its own for each measurement: nothing that came before is in it.
struct Place {
  const testkit::TempDir& folder;
  int count = 0;
  std::string next() { return folder.file(fmt::format("cluster-{}", count++)); }
};

void bench_scale(Place& place, bool quick) {
  std::vector<Round> up[2];
  std::vector<Round> down[2];
  constexpr size_t kSizes[] = {1'000, 10'000};
  for (int round = 0; round < (quick ? 1 : 3); ++round) {
    for (size_t i = 0; i < (quick ? 1 : 2); ++i) {
      Cluster cluster(place.next());
      Pods pods(cluster, false);
      create(cluster, "web", 0);
      pods.await(0);
      const Stopwatch growing;
      patch(cluster, "web", fmt::format(R"({{"spec":{{"replicas":{}}}}})", kSizes[i]));
      pods.await(kSizes[i]);
      up[i].push_back({.value = growing.seconds()});
      const Stopwatch going;
      CHECK(cluster.client()
                .remove(Cluster::place("apps", "deployments", "web"),
                        {.propagation = api::Propagation::kBackground}, {})
                .ok());
      pods.await(0);
      down[i].push_back({.value = going.seconds()});
    }
  }
  Table table("A Deployment, until its pods are stored, and until they are gone", "s", "", 3);
  table.row("scaled from 0 to 1,000", up[0], Goal{0.5, false});
  table.row("deleted with 1,000 pods", down[0], Goal{0.5, false});
  if (quick) return;
  table.row("scaled from 0 to 10,000", up[1], Goal{4, false});
  table.row("deleted with 10,000 pods", down[1], Goal{4, false});
}

// Settled: all pods are there, and every Deployment says so.
void await_statuses(Cluster& cluster, size_t count, int64_t replicas) {
  std::set<std::string> settled;
  const auto watch =
      cluster.client()
          .watch(Cluster::place("apps", "deployments", ""), {.send_initial_events = true}, {})
          .value();
  while (settled.size() < count) {
    const auto events = watch->next(Until::after(cluster.clock(), kPatience)).value();
    for (const client::Event& event : events) {
      if (event.type == client::EventType::kBookmark) continue;
      const json::Document document = event.object->document().value();
      const View status = View(document.root())["status"];
      if (status["updatedReplicas"].integer() == replicas) {
        settled.emplace(event.object->metadata().name);
      }
    }
  }
}

void create_many(Cluster& cluster, size_t count, size_t replicas) {
  std::atomic<size_t> next = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 32; ++i) {
    threads.emplace_back([&] {
      for (size_t index = next++; index < count; index = next++) {
        create(cluster, fmt::format("web-{}", index), replicas);
      }
    });
  }
}

void bench_many(Place& place, bool quick) {
  std::vector<Round> all;
  const size_t count = quick ? 200 : 1'000;
  for (int round = 0; round < (quick ? 1 : 3); ++round) {
    Cluster cluster(place.next());
    Pods pods(cluster, false);
    const Stopwatch settling;
    create_many(cluster, count, 3);
    pods.await(3 * count);
    await_statuses(cluster, count, 3);
    all.push_back({.value = settling.seconds()});
  }
  Table table("Many Deployments of 3 replicas, created at once, until all are settled", "s", "", 3);
  table.row(fmt::format("{} Deployments", count), all, Goal{6, false});
}

void bench_rollout(Place& place, bool quick) {
  std::vector<Round> start;
  std::vector<Round> rollout;
  const size_t count = quick ? 200 : 1'000;
  for (int round = 0; round < (quick ? 1 : 3); ++round) {
    Cluster cluster(place.next());
    Pods pods(cluster, true);
    const Stopwatch starting;
    create(cluster, "web", count);
    pods.await(count);
    start.push_back({.value = starting.seconds()});
    const Stopwatch rolling;
    patch(cluster, "web",
          R"({"spec":{"template":{"spec":{"containers":[{"name":"web","image":"web:2"}]}}}})");
    pods.await(count, "web:2");
    rollout.push_back({.value = rolling.seconds()});
  }
  Table table("A rollout, with a kubelet that starts pods as fast as it can write", "s", "", 3);
  table.row(fmt::format("{} pods stored and started", count), start);
  table.row(fmt::format("{} pods replaced", count), rollout);
}

void bench_idle(Place& place, bool quick) {
  Cluster cluster(place.next());
  constexpr size_t kDeployments = 100;
  constexpr size_t kReplicas = 10;
  std::string revision;
  double seconds = 0;
  const auto newest = [&] {
    return cluster.client()
        .list(Cluster::place("", "pods", ""), {.limit = 1}, {})
        .value()
        .resource_version;
  };
  {
    Pods pods(cluster, true);
    create_many(cluster, kDeployments, kReplicas);
    pods.await(kDeployments * kReplicas);
    await_statuses(cluster, kDeployments, kReplicas);
  }
  std::this_thread::sleep_for(std::chrono::seconds(5));
  const double length = quick ? 10 : 60;
  revision = newest();
  seconds = processor_seconds(cluster.pid());
  std::this_thread::sleep_for(std::chrono::duration<double>(length));
  seconds = processor_seconds(cluster.pid()) - seconds;
  const double writes = std::stod(newest()) - std::stod(revision);
  Table table("Idle, with 100 Deployments and 1,000 pods that do not change", "", "", 4);
  table.row("per cent of a core, the whole server", {{.value = 100 * seconds / length}},
            Goal{0.1, false});
  table.row("writes a minute", {{.value = writes * 60 / length}});
}

void remove_many(Cluster& cluster, size_t count) {
  std::atomic<size_t> next = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 32; ++i) {
    threads.emplace_back([&] {
      for (size_t index = next++; index < count; index = next++) {
        CHECK(cluster.client()
                  .remove(Cluster::place("apps", "deployments", fmt::format("web-{}", index)),
                          {.propagation = api::Propagation::kBackground}, {})
                  .ok());
      }
    });
  }
}

// What much work leaves behind in memory, against a start from the data that it left.
void bench_churn(Place& place, bool quick) {
  // Old versions are kept for five minutes, and looked for every 38 seconds.
  constexpr std::chrono::seconds kForgotten(400);
  constexpr std::chrono::seconds kSettled(20);
  constexpr double kMegabyte = 1 << 20;
  const size_t count = quick ? 2'000 : 20'000;
  const std::string directory = place.next();
  double full = 0;
  double after = 0;
  size_t events = 0;
  {
    Cluster cluster(directory);
    {
      Pods pods(cluster, false);
      create_many(cluster, count, 1);
      pods.await(count);
      remove_many(cluster, count);
      pods.await(0);
    }
    full = static_cast<double>(resident_bytes(cluster.pid())) / kMegabyte;
    std::this_thread::sleep_for(kForgotten);
    after = static_cast<double>(resident_bytes(cluster.pid())) / kMegabyte;
    events = cluster.client().list(Cluster::place("", "events", ""), {}, {}).value().items.size();
  }
  Cluster restarted(directory);
  std::this_thread::sleep_for(kSettled);
  const double fresh = static_cast<double>(resident_bytes(restarted.pid())) / kMegabyte;
  Table table(fmt::format("Memory after {} Deployments came and went, with the {} Events that stay",
                          count, events),
              "MB", "", 0);
  table.row("at once, with the history of five minutes", {{.value = full}});
  table.row("when the history is forgotten", {{.value = after}});
  table.row("after a restart", {{.value = fresh}});
  Table ratio("Memory after churn, of that after a restart", "", "", 2);
  ratio.row(fmt::format("{} Deployments", count), {{.value = after / fresh}}, Goal{1.75, false});
}

}  // namespace controllers_bench
}  // namespace proa::load

int main(int count, char** arguments) {
  using namespace proa::load::controllers_bench;  // NOLINT: all of it is for this
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
  const proa::testkit::TempDir folder;
  Place place{.folder = folder};
  const auto wanted = [&](const char* name) { return sections.empty() || sections.contains(name); };
  if (wanted("scale")) bench_scale(place, quick);
  if (wanted("many")) bench_many(place, quick);
  if (wanted("rollout")) bench_rollout(place, quick);
  if (wanted("idle")) bench_idle(place, quick);
  if (wanted("churn")) bench_churn(place, quick);
}
