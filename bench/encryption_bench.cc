// What encryption at rest costs writes: their rate at a server that encrypts ConfigMaps with
// aesgcm, beside that of a server that does not. A round of one follows a round of the other.
//   encryption_bench [ROUNDS]
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "load/in_turns.h"
#include "load/objects.h"
#include "load/server.h"
#include "testkit/process.h"

namespace proa::load {
namespace encryption_bench {

constexpr double kSeconds = 1;   // a round
constexpr double kLeast = 0.85;  // the goal: the rate with encryption, of that without
constexpr std::string_view kNamespace = "bench";
constexpr int kStreams = 64;  // on each connection

constexpr const char* kConfiguration = R"(apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- resources: [configmaps]
  providers:
  - aesgcm:
      keys:
      - name: key1
        secret: AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=
)";

int streams_of(int clients) { return std::min(clients, kStreams); }

Shape shape_of(int clients) {
  return {Protocol::kHttp2, clients / streams_of(clients), streams_of(clients)};
}

double rate_of_creates(const Server& server, int clients) {
  Creates workload(std::string(kNamespace), static_cast<size_t>(clients));
  Meter unread(server.pid());
  const double rate =
      run_closed_loop(server.target(), shape_of(clients), workload, kSeconds, unread).per_second();
  workload.turn();
  run_closed_loop(server.target(), shape_of(clients), workload, 0, unread);
  return rate;
}

double rate_of_updates(const Server& server, int clients) {
  Updates workload(server.target(), std::string(kNamespace), static_cast<size_t>(clients));
  Meter unread(server.pid());
  return run_closed_loop(server.target(), shape_of(clients), workload, kSeconds, unread)
      .per_second();
}

void run(int rounds) {
  constexpr int kMostClients = 512;
  const testkit::TempDir place;
  const std::string configuration = place.file("encryption.yaml");
  std::ofstream(configuration) << kConfiguration;
  const Server plain(server_binary(), place.file("plain"));
  const Server sealed(server_binary(), place.file("sealed"), "127.0.0.1",
                      {"--encryption-provider-config=" + configuration});
  for (const Server* server : {&plain, &sealed}) {
    ask(server->target(), create_namespace(kNamespace));
    Fill fill(Fill::Kind::kConfigMap, std::string(kNamespace), kMostClients, 1024, kMostClients);
    Meter unread(server->pid());
    run_closed_loop(server->target(), shape_of(kMostClients), fill, 0, unread);
  }
  fmt::print(
      "writes of 1 kB a second, without and with aesgcm; medians of {} rounds in turns; goal: "
      "ratio at least {}\n\n{:24} {:>10} {:>10} {:>8}\n",
      rounds, kLeast, "", "without", "with", "ratio");
  const auto compare = [&](const char* name, int clients, double (*measure)(const Server&, int)) {
    const InTurns rates = measure_in_turns(
        rounds, [&] { return measure(plain, clients); }, [&] { return measure(sealed, clients); });
    fmt::print("{:24} {:10.0f} {:10.0f} {:8.3f}  {}\n",
               fmt::format("{}, {} clients", name, clients), rates.first, rates.second,
               rates.ratio(), rates.ratio() >= kLeast ? "reached" : "MISSED");
  };
  for (const int clients : {1, 64, kMostClients}) {
    compare("create", clients, rate_of_creates);
    compare("update", clients, rate_of_updates);
  }
}

}  // namespace encryption_bench
}  // namespace proa::load

int main(int argc, char** argv) {
  proa::load::encryption_bench::run(argc > 1 ? std::max(std::atoi(argv[1]), 1) : 7);
  return 0;
}
