// How fast the scheduler places pods, with the API server and its durable store in the same process
// and on the same cores: the scenarios of upstream's scheduler_perf, with its numbers of nodes and
// pods. A pod counts when its binding is stored and watchers have heard of it.
//   scheduler_bench [--quick | --once] [SECTION ...]
// --quick: a tenth of the size, once; --once: one round instead of three. Sections: large, basic,
// node-affinity, spread, anti-affinity, affinity, preferred, preemption, daemonset, unschedulable,
// churn.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "api/object/view.h"
#include "api/schema/builtin.h"
#include "base/check.h"
#include "base/threads/group.h"
#include "base/threads/pool.h"
#include "json/parse.h"
#include "load/meter.h"
#include "load/report.h"
#include "load/scheduling.h"
#include "scheduler/config/read_config.h"
#include "scheduler/make_profiles.h"
#include "scheduler/plugins/table.h"
#include "scheduler/scheduler.h"
#include "store/rocks/rocks_store.h"
#include "testkit/apiserver/running_api.h"
#include "testkit/http/test_server.h"
#include "testkit/process.h"

namespace proa::load {
namespace scheduler_bench {

using namespace scheduling;  // NOLINT: all of it is for this

constexpr Duration kPatience = std::chrono::minutes(1);

// An API server over a store on disk, and a scheduler, in this process.
class World {
 public:
  explicit World(const std::string& directory)
      : store_(store::open_rocks_store(directory, clock_, random_).value()) {
    apiserver::AccessOptions access = testkit::access_for(testkit::test_authority());
    // As scheduler_perf does it: nodes are ready at once, pods say their priority themselves.
    for (const char* plugin : {"ServiceAccount", "TaintNodesByCondition", "Priority"}) {
      access.plugins.disabled.emplace_back(plugin);
    }
    api_ = apiserver::ApiServer::start(*store_, clock_, random_,
                                       {.access = std::move(access),
                                        .version_document = "{}",
                                        .advertise_address = "192.0.2.1"})
               .value();
    admin_ = client("admin", "system:masters");
    scheduler_client_ = client("system:kube-scheduler", "system:authenticated");
    for (const char* name : {"sched-0", "sched-1"}) {
      create("namespaces", "", fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name));
    }
    follower_ = std::jthread([this](const std::stop_token& stop) { follow(stop); });
  }
  ~World() { stop_scheduler(); }

  void start_scheduler(std::function<void(Duration)> decided = {}) {
    scheduler::SchedulerOptions options;
    options.decided = std::move(decided);
    options.make_profiles = [](const scheduler::PluginContext& context) {
      return scheduler::make_profiles(scheduler::default_config(), scheduler::plugin_table(),
                                      context);
    };
    scheduler_ = scheduler::Scheduler::make({.client = *scheduler_client_,
                                             .schema = api::builtin_schema(),
                                             .clock = clock_,
                                             .random = random_,
                                             .pool = pool_},
                                            options)
                     .value();
    CHECK(scheduler_->start(Until::after(clock_, kPatience)));
  }
  void stop_scheduler() { scheduler_.reset(); }

  void create(std::string_view resource, std::string_view name_space, std::string object) {
    const client::Place place{.resource = api::builtin_schema().find_resource("", "v1", resource),
                              .name_space = std::string(name_space),
                              .name = {},
                              .subresource = {}};
    const Result<api::ObjectPtr> made = admin_->create(place, json::parse_literal(object), {}, {});
    if (!made.ok()) fmt::print(stderr, "{}\n", made.status().message());
    CHECK(made.ok());
  }
  // Several at once, as a client with some connections does it.
  void create_many(std::string_view resource, std::string_view name_space, size_t count,
                   const std::function<std::string(size_t)>& make) {
    Group group(pool_, clock_);
    std::atomic<size_t> next = 0;
    for (int i = 0; i < 16; ++i) {
      group.run([&](const std::stop_token&) -> Result<void> {
        for (size_t n = next++; n < count; n = next++) create(resource, name_space, make(n));
        return {};
      });
    }
    CHECK(group.wait().ok());
  }
  void remove(std::string_view resource, std::string_view name_space, std::string name) {
    (void)admin_->remove({.resource = api::builtin_schema().find_resource("", "v1", resource),
                          .name_space = std::string(name_space),
                          .name = std::move(name),
                          .subresource = {}},
                         {.grace_seconds = 0}, {});
  }

  size_t bound() const { return bound_; }
  void await_bound(size_t count) {
    const MutexLock lock(mutex_);
    while (bound_ < count) {
      if (!changed_.wait_until(mutex_, std::chrono::steady_clock::now() + kPatience)) {
        fmt::print(stderr, "only {} of {} pods bound; one that is not:\n{}\n", bound_.load(), count,
                   a_waiting_pod());
        CHECK(false);
      }
    }
  }

 private:
  std::string a_waiting_pod() {
    const auto pods =
        admin_->list({.resource = api::builtin_schema().find_resource("", "v1", "pods"),
                      .name_space = {},
                      .name = {},
                      .subresource = {}},
                     {.field_selector = "spec.nodeName=", .limit = 1}, {});
    return pods.ok() && !pods->items.empty() ? std::string(pods->items[0]->json()) : "none";
  }
  std::unique_ptr<client::Client> client(std::string name, std::string group) {
    return api_->client(
        {.name = std::move(name), .uid = {}, .groups = {std::move(group)}, .extra = {}});
  }

  // A pod comes into this watch when it gets a node.
  void follow(const std::stop_token& stop) {
    const auto watch =
        admin_
            ->watch({.resource = api::builtin_schema().find_resource("", "v1", "pods"),
                     .name_space = {},
                     .name = {},
                     .subresource = {}},
                    {.field_selector = "spec.nodeName!=", .send_initial_events = true}, {})
            .value();
    while (!stop.stop_requested()) {
      const auto events = watch->next({.deadline = Steady::max(), .stop = stop});
      if (!events.ok()) return;
      size_t added = 0;
      for (const client::Event& event : *events) {
        added += event.type == client::EventType::kAdded ? 1 : 0;
      }
      if (added == 0) continue;
      const MutexLock lock(mutex_);
      bound_ += added;
      changed_.notify_all();
    }
  }

  SystemClock clock_;
  SystemRandom random_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<apiserver::ApiServer> api_;
  std::unique_ptr<client::Client> admin_;
  std::unique_ptr<client::Client> scheduler_client_;
  WorkerPool pool_;
  std::unique_ptr<scheduler::Scheduler> scheduler_;
  Mutex mutex_;
  CondVar changed_;
  std::atomic<size_t> bound_ = 0;  // ever
  std::jthread follower_;
};

// What goes on beside the pods that are measured.
class Beside {
 public:
  Beside(World& world, Scenario::Meanwhile what) : world_(world) {
    if (what == Scenario::Meanwhile::kNothing) return;
    if (what == Scenario::Meanwhile::kUnschedulable) {
      world_.create_many("pods", "sched-0", 1'000, [](size_t) { return pod(kTooLarge); });
    }
    thread_ = std::jthread([this, what](const std::stop_token& stop) {
      for (size_t i = 0; !stop.stop_requested(); ++i) round(what, i);
    });
  }

 private:
  void round(Scenario::Meanwhile what, size_t i) {
    if (what == Scenario::Meanwhile::kUnschedulable) {
      world_.create("pods", "sched-0", pod(kTooLarge));
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      return;
    }
    const std::string name = fmt::format("churn-{}", i);
    world_.create("nodes", "", fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name));
    world_.create(
        "pods", "sched-0",
        fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"priority":10,"containers":)"
                    R"([{{"name":"a","image":"a","resources":{{"requests":{{"cpu":"9"}}}}}}]}}}})",
                    name));
    world_.create("services", "sched-0",
                  fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"selector":{{"app":"foo"}},)"
                              R"("ports":[{{"port":8080}}]}}}})",
                              name));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    world_.remove("nodes", "", name);
    world_.remove("pods", "sched-0", name);
    world_.remove("services", "sched-0", name);
  }

  World& world_;
  std::jthread thread_;
};

struct Rates {
  Round waiting;   // pods that were there before
  Round arriving;  // pods that are created meanwhile, on the same cores
};

Round rate(const Meter& meter, size_t pods) {
  const auto count = static_cast<double>(pods);
  return {.value = count / meter.seconds(),
          .server_micros = meter.client_seconds() / count * 1e6,
          .bound = 2 * count / meter.client_seconds(),
          .others = meter.others()};
}

// `arriving`: pods are created while others are placed; else all are there when it begins.
Round measure(const Scenario& scenario, const std::string& directory, bool arriving, size_t part) {
  World world(directory);
  const size_t nodes = scenario.nodes / part;
  const size_t pods = scenario.pods / part;
  const size_t init = scenario.init_pods / part;
  world.create_many("nodes", "", nodes, [&](size_t i) {
    const bool takes_all = i == 0 && scenario.section == "daemonset";
    return node(i, scenario.zones[i % scenario.zones.size()], takes_all ? "90000" : "110");
  });
  world.start_scheduler();
  if (init > 0) {
    world.create_many("pods", "sched-1", init, [&](size_t) { return pod(scenario.init); });
    world.await_bound(init);
  }
  const auto make = [&](size_t) { return pod(scenario.measured); };
  Meter meter(getpid());
  if (arriving) {
    const Beside beside(world, scenario.meanwhile);
    meter.start();
    world.create_many("pods", "sched-0", pods, make);
    world.await_bound(init + pods);
    meter.stop();
  } else {
    world.stop_scheduler();
    world.create_many("pods", "sched-0", pods, make);
    const Beside beside(world, scenario.meanwhile);
    world.start_scheduler();
    meter.start();
    world.await_bound(init + pods);
    meter.stop();
  }
  return rate(meter, pods);
}

void bench_rates(const testkit::TempDir& folder, const std::vector<std::string>& sections,
                 bool quick, int rounds_wanted) {
  const auto wanted = [&](std::string_view section) {
    return sections.empty() ||
           std::find(sections.begin(), sections.end(), section) != sections.end();
  };
  const size_t part = quick ? 10 : 1;
  int count = 0;
  for (const bool arriving : {false, true}) {
    Table table(arriving ? "Pods placed while they are created on the same cores"
                         : "Pods placed that are there when the scheduler has filled its caches",
                "pods/s", "pod", 0);
    for (const Scenario& scenario : scenarios()) {
      if (!wanted(scenario.section)) continue;
      std::vector<Round> rounds;
      for (int round = 0; round < rounds_wanted; ++round) {
        rounds.push_back(
            measure(scenario, folder.file(fmt::format("world-{}", count++)), arriving, part));
      }
      table.row(fmt::format("{} ({})", scenario.title, scenario.upstream), rounds,
                Goal{scenario.goal, true});
    }
  }
}

double quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[static_cast<size_t>(part * (values.size() - 1))];
}

// How long decisions take in a full cluster, one at a time: of pods of a template that was not seen
// before, for which every node is looked at, and of more pods of it.
class Decisions {
 public:
  explicit Decisions(World& world) : world_(world) {}

  void take(Duration duration) {
    const MutexLock lock(mutex_);
    millis_.push_back(std::chrono::duration<double, std::milli>(duration).count());
  }
  Round place(size_t count, bool new_templates) {
    {
      const MutexLock lock(mutex_);
      millis_.clear();
    }
    size_t bound = world_.bound();
    for (size_t i = 0; i < count; ++i) {
      const std::string labels = fmt::format(R"({{"one":"{}"}})", new_templates ? i : 0);
      world_.create("pods", "sched-0", pod({.name = "late", .labels = labels}));
      world_.await_bound(++bound);
    }
    const MutexLock lock(mutex_);
    return {.value = quantile(millis_, 0.99),
            .p50_ms = quantile(millis_, 0.5),
            .p99_ms = quantile(millis_, 0.99)};
  }

 private:
  World& world_;
  Mutex mutex_;
  std::vector<double> millis_ GUARDED_BY(mutex_);
};

void bench_large(const testkit::TempDir& folder, bool quick) {
  const size_t nodes = quick ? 500 : 5'000;
  const size_t pods = quick ? 15'000 : 150'000;
  World world(folder.file("large"));
  world.create_many("nodes", "", nodes, [&](size_t i) { return node(i, "zone1"); });
  world.create_many("pods", "sched-1", pods, [&](size_t i) {
    const std::string where = fmt::format(R"(,"nodeName":"node-{}")", i % nodes);
    const std::string labels = fmt::format(R"({{"app":"app-{}"}})", i % 500);
    return pod(
        {.name = "running", .labels = labels, .cpu = "50m", .memory = "100Mi", .more = where});
  });
  world.await_bound(pods);
  const double before = static_cast<double>(resident_bytes(getpid()));
  Decisions decisions(world);
  world.start_scheduler([&](Duration duration) { decisions.take(duration); });
  const double after = static_cast<double>(resident_bytes(getpid()));
  {
    Table table(fmt::format("The scheduler's own memory for {} nodes and {} pods", nodes, pods),
                "MB", "", 1);
    table.row("beyond the objects", {{.value = (after - before) / 1e6}}, Goal{150, false});
  }
  Table table("Decisions in that cluster, one pod at a time", "ms p99", "", 3);
  table.row("of a template seen before", {decisions.place(quick ? 100 : 1'000, false)},
            Goal{2, false});
  table.row("each of a new template", {decisions.place(quick ? 100 : 1'000, true)}, Goal{2, false});
  world.stop_scheduler();
}

int run(const std::vector<std::string>& arguments) {
  std::vector<std::string> sections = arguments;
  const bool quick = std::erase(sections, "--quick") > 0;
  const bool once = std::erase(sections, "--once") > 0 || quick;
  const testkit::TempDir folder;
  const bool all = sections.empty();
  if (all || std::erase(sections, "large") > 0) bench_large(folder, quick);
  if (all || !sections.empty()) bench_rates(folder, sections, quick, once ? 1 : 3);
  return 0;
}

}  // namespace scheduler_bench
}  // namespace proa::load

int main(int argc, char** argv) {
  return proa::load::scheduler_bench::run(std::vector<std::string>(argv + 1, argv + argc));
}
