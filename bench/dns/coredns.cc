#include "coredns.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>
#include <vector>

#include "api/schema/builtin.h"
#include "base/random.h"
#include "client/remote/remote_client.h"
#include "cluster.h"
#include "dns/agent.h"
#include "dnsperf.h"
#include "load/closed_loop.h"
#include "load/server.h"
#include "netlink/netns.h"
#include "testkit/dns/dns_client.h"
#include "testkit/process.h"

namespace proa::dns_bench {
namespace coredns {

// How much more a core answers than one with CoreDNS.
constexpr double kLeastRatio = 4;
constexpr int kRounds = 5;
constexpr auto kPatience = std::chrono::minutes(2);
constexpr const char* kOurAddress = "10.96.0.10";
// A load that both carry with ease, so that neither gains by packets that wait for it.
constexpr int kSteadyRate = 5000;

// kubeadm's Corefile as far as names of the cluster are concerned: there they are not cached
// either, and all else that it has (metrics, the order of answers, health) costs CoreDNS more.
std::string corefile(int port, const std::string& kubeconfig) {
  return fmt::format(
      ".:{} {{\n  errors\n  kubernetes cluster.local in-addr.arpa ip6.arpa {{\n"
      "    kubeconfig {}\n    pods insecure\n    ttl 30\n  }}\n}}\n",
      port, kubeconfig);
}

struct Figures {
  std::vector<double> rate;      // answers a second
  std::vector<double> per_core;  // answers for a second of processor time
  double lost = 0;
};

// A server that answers for all Services.
class Subject {
 public:
  Subject(std::string name, std::vector<std::string> words, const std::string& log,
          std::string_view address, int port)
      : name_(std::move(name)),
        process_(dying_with_us(std::move(words)), log),
        address_(parse_ip(address).value()),
        port_(port) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!answers()) {
      if (std::chrono::steady_clock::now() > end)
        load::fail(name_ + " does not answer: see " + log);
    }
  }

  void measure(const std::string& queries, int seconds, int rate, Figures& figures) const {
    const double before = load::processor_seconds(process_.pid());
    const Run run = dnsperf(address_, port_, queries, seconds, rate);
    const double used = load::processor_seconds(process_.pid()) - before;
    figures.rate.push_back(run.rate);
    figures.per_core.push_back(used > 0 ? run.answers / used : 0);
    figures.lost += run.lost;
  }
  double megabytes() const {
    return static_cast<double>(load::resident_bytes(process_.pid())) / 1e6;
  }
  const std::string& name() const { return name_; }

 private:
  static std::vector<std::string> dying_with_us(std::vector<std::string> words) {
    words.insert(words.begin(), {"setpriv", "--pdeathsig", "KILL"});
    return words;
  }
  // The last of all names that were created has an address.
  bool answers() const {
    const auto query = testkit::make_query(1, name_of(kServices - 1) + ".default.svc.cluster.local",
                                           dns::Type::kA);
    const auto answer = testkit::ask_udp(address_, static_cast<uint16_t>(port_), query, 200);
    if (answer.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return answer.size() > 7 && answer[7] > 0;
  }

  const std::string name_;
  const testkit::Process process_;
  const IpAddress address_;
  const int port_;
};

// In turns, so that a machine that is slow for a while is slow for both. Returns the ratio of the
// rates per core: ours, of theirs.
double compare(const std::vector<const Subject*>& subjects, const std::string& queries, int seconds,
               int rate) {
  std::vector<Figures> figures(subjects.size());
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < subjects.size(); ++i) {
      subjects[i]->measure(queries, seconds, rate, figures[i]);
    }
  }
  for (size_t i = 0; i < subjects.size(); ++i) {
    Figures& of = figures[i];
    const auto [least, most] = std::minmax_element(of.per_core.begin(), of.per_core.end());
    const double low = *least;  // what follows reorders them
    const double high = *most;
    fmt::print(
        "{:>10}{}: {:.0f} answers/s, {:.0f} lost; {:.0f} answers for a second of processor "
        "({:.0f} to {:.0f})\n",
        subjects[i]->name(), rate == 0 ? "" : fmt::format(", asked {} a second", rate),
        load::percentile(of.rate, 0.5), of.lost, load::percentile(of.per_core, 0.5), low, high);
  }
  return load::percentile(figures[0].per_core, 0.5) / load::percentile(figures[1].per_core, 0.5);
}

void run(const std::string& program, int seconds) {
  const testkit::TempDir place;
  const std::string directory = place.file("data");
  const load::Server server(
      load::server_binary(), directory, "127.0.0.1",
      {"--service-cluster-ip-range", "10.96.0.0/12", "--controllers", "none", "--scheduler=false"});
  create_all(server.target(), server.pid());
  const std::string kubeconfig = directory + "/admin.kubeconfig";
  const std::string queries = place.file("queries");
  write_queries(queries);
  const Subject ours(
      "proa", {std::filesystem::read_symlink("/proc/self/exe").string(), "serve", kubeconfig},
      place.file("ours.log"), kOurAddress, 53);
  const int port = testkit::free_port();
  const Subject theirs("CoreDNS",
                       {program, "-conf", place.write("Corefile", corefile(port, kubeconfig))},
                       place.file("coredns.log"), "127.0.0.1", port);
  fmt::print("\nBeside CoreDNS, medians of {} rounds in turns\n", kRounds);
  const double ratio = compare({&ours, &theirs}, queries, seconds, 0);
  const double steady = compare({&ours, &theirs}, queries, seconds, kSteadyRate);
  fmt::print("resident after it: proa {:.1f} MB, CoreDNS {:.1f} MB\n", ours.megabytes(),
             theirs.megabytes());
  const auto judge = [](std::string_view what, double value) {
    fmt::print("{:60} {:6.2f}  at least {:g}: {}\n", what, value, kLeastRatio,
               value >= kLeastRatio ? "reached" : "MISSED");
  };
  judge("answers per core, of CoreDNS's, as many as each answers", ratio);
  judge(fmt::format("answers per core, of CoreDNS's, both asked {} a second", kSteadyRate), steady);
}

}  // namespace coredns

int serve(const std::string& kubeconfig) {
  SystemClock clock;
  SystemFiles files;
  SystemRandom random;
  http::LoopGroup loops(1);
  const auto connection = client::read_kubeconfig(files, kubeconfig);
  if (!connection.ok()) return 1;
  auto client = client::RemoteClient::make(loops, clock, files, {.connection = *connection});
  if (!client.ok()) return 1;
  WorkerPool pool(WorkerPool::Options{.max_threads = 1});
  const testkit::TempDir place;
  auto agent =
      dns::DnsAgent::make({.client = **client,
                           .schema = api::builtin_schema(),
                           .clock = clock,
                           .random = random,
                           .files = files,
                           .loops = loops,
                           .pool = pool,
                           .node = api::NodeName("bench"),
                           .options = {.addresses = {parse_ip(coredns::kOurAddress).value()},
                                       .resolv_conf = place.write("resolv.conf", ""),
                                       .record = place.file("dns-addresses"),
                                       .metrics_port = 0}});
  if (!agent.ok() || !(*agent)->start().ok()) return 1;
  while (true) ::pause();
}

bool compare_with_coredns(const std::string& coredns, int seconds) {
  const auto place = netlink::NetworkNamespace::create();
  if (place.is(Reason::kForbidden)) {
    fmt::print("without CoreDNS: it takes root, for a network namespace\n");
    return true;
  }
  if (!place.ok()) {
    fmt::print("no network namespace: {}\n", place.status().message());
    return false;
  }
  const Result<void> done = place->run([&]() -> Result<void> {
    if (std::system("ip link set lo up") != 0) load::fail("ip link set lo up failed");
    coredns::run(coredns, seconds);
    return {};
  });
  return done.ok();
}

}  // namespace proa::dns_bench
