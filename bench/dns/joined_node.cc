#include "joined_node.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "api/schema/builtin.h"
#include "client/remote/remote_client.h"
#include "cluster.h"
#include "json/parse.h"
#include "load/framing.h"
#include "load/server.h"
#include "testkit/kubelet/test_containerd.h"
#include "testkit/process.h"
#include "tests/e2e/program.h"

namespace proa::dns_bench {
namespace joined_node {

constexpr int kWriters = 8;
constexpr double kMostMegabytes = 85;
// The allocator gives pages back ten seconds after their last use.
constexpr int kSettledSeconds = 15;

// Network and mounts of its own, so that nothing of the machine changes.
bool enter_own_host() {
  if (::unshare(CLONE_NEWNET | CLONE_NEWNS) != 0) return false;
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return e2e::run_shell("ip link set lo up").code == 0;
}

class Lab {
 public:
  Lab() {
    const e2e::Outcome up = run("up", "--nodes 2");
    if (up.code != 0) load::fail("proa lab up: " + up.text);
  }
  ~Lab() { run("down"); }
  Lab(const Lab&) = delete;
  Lab& operator=(const Lab&) = delete;

  std::string kubeconfig() const { return folder_.file(name_ + "/kubeconfig"); }
  // Of the process of `proa node`, the only one in its machine.
  double megabytes() const {
    const e2e::Outcome found = run(
        "exec", "node-2 -- sh -c 'cut -d \" \" -f 2 /proc/$(pgrep -o -f \"proa node \")/statm'");
    if (found.code != 0) load::fail("the node's process is not found: " + found.text);
    return std::atof(found.text.c_str()) * 4096 / 1e6;
  }

 private:
  e2e::Outcome run(const std::string& command, const std::string& words = "") const {
    return e2e::run_shell(fmt::format("{} lab {} --name {} --lab-dir {} {}", load::server_binary(),
                                      command, name_, folder_.path(), words));
  }

  const testkit::TempDir folder_;
  const std::string name_ = fmt::format("bench-{}", ::getpid());
};

void create(client::Client& client, std::string_view group, std::string_view resource,
            const std::string& body) {
  const auto made =
      client.create({.resource = api::builtin_schema().find_resource(group, "v1", resource),
                     .name_space = "default",
                     .name = {},
                     .subresource = {}},
                    json::parse_literal(body), {}, {});
  if (!made.ok()) load::fail("creating " + body + ": " + made.status().message());
}

void create_services(const std::string& kubeconfig) {
  SystemClock clock;
  SystemFiles files;
  http::LoopGroup loops(1);
  const auto client =
      client::RemoteClient::make(loops, clock, files,
                                 {.connection = client::read_kubeconfig(files, kubeconfig).value()})
          .value();
  std::atomic<uint32_t> next = 0;
  std::vector<std::jthread> writers;
  for (int i = 0; i < kWriters; ++i) {
    writers.emplace_back([&] {
      for (uint32_t service = next++; service < kServices; service = next++) {
        create(*client, "", "services", service_body(service));
        create(*client, "discovery.k8s.io", "endpointslices", slice_body(service));
      }
    });
  }
  for (std::jthread& writer : writers) writer.join();
}

double settled_megabytes(const Lab& lab) {
  double last = lab.megabytes();
  for (int quiet = 0; quiet < kSettledSeconds; ++quiet) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    const double now = lab.megabytes();
    if (now > last + 0.5 || now < last - 0.5) quiet = 0;
    last = now;
  }
  return last;
}

}  // namespace joined_node

bool measure_joined_node() {
  using namespace joined_node;  // NOLINT: this unit's own
  if (const std::string why = testkit::TestContainerd::missing(); !why.empty()) {
    fmt::print("without a joined node: {}\n", why);
    return true;
  }
  if (!enter_own_host()) {
    fmt::print("without a joined node: no network namespace can be made\n");
    return true;
  }
  const Lab lab;
  const double before = settled_megabytes(lab);
  create_services(lab.kubeconfig());
  const double after = settled_megabytes(lab);
  fmt::print(
      "joined node, resident: {:.1f} MB, with all Services {:.1f} MB, {:.1f} kB for each; at most "
      "{:g} MB: {}\n",
      before, after, (after - before) * 1000 / kServices, kMostMegabytes,
      after <= kMostMegabytes ? "reached" : "MISSED");
  return true;
}

}  // namespace proa::dns_bench
