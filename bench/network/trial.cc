#include "trial.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>

#include "kernel_watch.h"
#include "load/closed_loop.h"
#include "load/meter.h"
#include "testkit/process.h"

namespace proa::network_bench {
namespace trial {

// Enough for a 99th percentile.
constexpr size_t kChanges = 1000;
// Two worlds in turns.
constexpr int kTurns = 20;
constexpr size_t kChangesOfTurn = 50;
// So many Services are changed in turn, however many there are: what a first change of a Service
// costs is the same share of all.
constexpr size_t kChanged = 10;
// Upstream's lists its table for each, which takes 10 to 20 seconds with 10,000 Services: as many
// as there is time for.
constexpr size_t kUpstreamChanges = 100;
constexpr size_t kLeastChanges = 3;
constexpr auto kUpstreamTime = std::chrono::seconds(60);
constexpr Duration kMostPause = std::chrono::seconds(1);

std::vector<std::string> words_of(const Proxy& proxy, const Node& node, const World& world) {
  std::vector<std::string> words = {"nsenter", "--net=" + Node::path(node.router),
                                    "setpriv", "--pdeathsig",
                                    "KILL",    proxy.binary};
  const auto add = [&](std::vector<std::string> more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  if (!proxy.upstream) {
    add({"proxy", "--proxy-mode", "nftables", "--kubeconfig", world.kubeconfig(),
         "--hostname-override", kNodeName, "--pod-ranges", kPods});
    return words;
  }
  // The limits of the machine's connection tracking are not a namespace's to change. By default
  // it waits for a second after each change; here it need not (the flag is for all modes).
  add({"--proxy-mode=nftables", "--kubeconfig=" + world.kubeconfig(),
       fmt::format("--hostname-override={}", kNodeName), fmt::format("--cluster-cidr={}", kPods),
       "--conntrack-max-per-core=0", "--conntrack-tcp-timeout-established=0s",
       "--conntrack-tcp-timeout-close-wait=0s", "--iptables-min-sync-period=0s"});
  return words;
}

// Of children that have ended.
double children_seconds(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::stringstream text;
  text << file.rdbuf();
  std::stringstream rest(text.str().substr(text.str().rfind(')') + 2));
  std::string word;
  // cutime and cstime are the 16th and 17th of all, the process's state is the third.
  for (int field = 3; field < 16; ++field) rest >> word;
  double user = 0;
  double system = 0;
  rest >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double processor_milliseconds(pid_t process) {
  return (load::processor_seconds(process) + children_seconds(process)) * 1e3;
}

double milliseconds_between(Moment begin, Moment end) {
  return std::max(0.0, std::chrono::duration<double, std::milli>(end - begin).count());
}

// Writes until the kernel has it, with pauses as long as a change takes: what a proxy does after
// a change must not delay the next one.
ChangeFigures try_changes(pid_t process, KernelWatch& kernel, World& world, size_t count,
                          bool other_number) {
  std::vector<double> times;
  std::vector<double> after;
  const double before = processor_milliseconds(process);
  const Moment end = std::chrono::steady_clock::now() + kUpstreamTime;
  for (size_t i = 0; i < count; ++i) {
    if (i >= kLeastChanges && std::chrono::steady_clock::now() > end) break;
    // Each Service twice, so that with another number it ends as it was.
    const size_t service = i / 2 % kChanged * (world.services() / kChanged);
    const World::Change change = world.plan(service, other_number);
    kernel.expect(change.added);
    const Moment sent = std::chrono::steady_clock::now();
    world.write(change);
    const Moment answered = std::chrono::steady_clock::now();
    const Moment seen = kernel.await_expected();
    times.push_back(milliseconds_between(sent, seen));
    after.push_back(milliseconds_between(answered, seen));
    const Moment now = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(
        std::clamp<Duration>(now - sent, std::chrono::milliseconds(5), kMostPause));
  }
  const double used = processor_milliseconds(process) - before;
  return {.changes = times.size(),
          .p50 = load::percentile(times, 0.5),
          .p99 = load::percentile(times, 0.99),
          .after_p50 = load::percentile(after, 0.5),
          .after_p99 = load::percentile(after, 0.99),
          .processor = used / static_cast<double>(times.size())};
}

// A proxy that has brought its world to its node.
struct Running {
  Running(const Proxy& proxy, const Place& place)
      : kernel(place.node.router),
        begin(std::chrono::steady_clock::now()),
        process(words_of(proxy, place.node, place.world), place.log) {
    cold = milliseconds_between(begin, kernel.await_count(place.world.endpoint_count()));
    // What it does afterwards is not a part of changes.
    std::this_thread::sleep_for(std::chrono::seconds(2));
  }

  KernelWatch kernel;
  Moment begin;
  testkit::Process process;
  double cold = 0;
};

}  // namespace trial

Figures try_proxy(const Proxy& proxy, const Place& place) {
  trial::Running running(proxy, place);
  const pid_t process = running.process.pid();
  Figures figures;
  figures.cold = running.cold;
  figures.cold_processor = trial::processor_milliseconds(process);
  const size_t count = proxy.upstream ? trial::kUpstreamChanges : trial::kChanges;
  figures.replaced = trial::try_changes(process, running.kernel, place.world, count, false);
  figures.other_number = trial::try_changes(process, running.kernel, place.world, count, true);
  figures.megabytes = static_cast<double>(load::resident_bytes(process)) / 1e6;
  return figures;
}

Growth processor_growth(const Proxy& proxy, const Place& few, const Place& many) {
  trial::Running small(proxy, few);
  trial::Running large(proxy, many);
  std::vector<double> replaced;
  std::vector<double> other_number;
  for (int turn = 0; turn < trial::kTurns; ++turn) {
    for (const bool other : {false, true}) {
      const auto used = [&](trial::Running& running, World& world) {
        return trial::try_changes(running.process.pid(), running.kernel, world,
                                  trial::kChangesOfTurn, other)
            .processor;
      };
      const double with_few = used(small, few.world);
      (other ? other_number : replaced).push_back(used(large, many.world) / with_few);
    }
  }
  return {.replaced = load::percentile(replaced, 0.5),
          .other_number = load::percentile(other_number, 0.5)};
}

}  // namespace proa::network_bench
