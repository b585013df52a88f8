#include "cli/commands/cluster/node.h"

#include <fmt/format.h>
#include <unistd.h>

#include <thread>

#include "base/random.h"
#include "cli/command_line/build_info.h"
#include "cli/host/instance_lock.h"
#include "cli/node/join/joined_node.h"
#include "cli/server/run.h"

namespace proa::cli {
namespace node {

Result<void> run(const Invocation& invocation, Terminal& terminal) {
  const Settings& settings = invocation.settings;
  if (geteuid() != 0) {
    return Status(Reason::kForbidden, "only root can run containers: call it by sudo");
  }
  if (settings.text("server").empty()) {
    return Status(Reason::kInvalid, "which cluster? --server says it, as https://10.0.0.1:6443");
  }
  StopSignals signals;
  SystemFiles files;
  SystemClock clock;
  SystemRandom random;
  const Steady begin = clock.steady();
  TRY(files.make_dirs(settings.text("data-dir"), 0700));
  NodeSettings wanted = TRY(read_node_settings(settings));
  const InstanceLock lock = TRY(InstanceLock::take(wanted.place.lock));
  terminal.out(
      fmt::format("Proa {}, Kubernetes {}\n", build_info().version, build_info().kubernetes));
  http::LoopGroup loops(std::max(1u, std::thread::hardware_concurrency()));
  JoinedNode joined({.files = files,
                     .clock = clock,
                     .random = random,
                     .loops = loops,
                     .settings = std::move(wanted),
                     .server = settings.text("server"),
                     .token = settings.text("token"),
                     .authority_hash = settings.text("ca-cert-hash")});
  std::optional<std::string_view> signal = TRY(joined.start(signals, terminal));
  if (!signal) {
    terminal.out(fmt::format(
        "Ready after {} ms. On the server: kubectl get nodes\n"
        "Ctrl-C or SIGTERM stops it; pods run on.\n",
        std::chrono::duration_cast<std::chrono::milliseconds>(clock.steady() - begin).count()));
    signal = signals.wait();
  }
  signals.release();
  terminal.out(fmt::format("{}: stopping\n", *signal));
  joined.stop();
  terminal.out("Stopped.\n");
  return {};
}

}  // namespace node

Command node_command() {
  std::vector<Flag> flags{
      data_dir_flag(),
      {.name = "server", .word = "URL", .summary = "of the cluster to join"},
      {.name = "token", .word = "TOKEN", .summary = "of `proa token create`; needed once, to join"},
      {.name = "ca-cert-hash",
       .word = "HASH",
       .summary = "of the cluster's authority, for tokens that lack it"}};
  for (Flag& flag : node_flags()) flags.push_back(std::move(flag));
  return {
      .name = "node",
      .summary = "Join a cluster and run its pods on this machine, in the foreground.",
      .description =
          "The server is believed by the hash of its authority, which is a part of the token;\n"
          "then the cluster signs a certificate for this node, which is kept and renewed.\n"
          "Later starts need no token. Pods run in a containerd that is started if need be, and\n"
          "run on when this stops; `proa down` ends them. Give each machine a --pod-cidr of\n"
          "its own. PROA_TOKEN keeps the token out of lists of processes.",
      .flags = std::move(flags),
      .run = node::run};
}

}  // namespace proa::cli
