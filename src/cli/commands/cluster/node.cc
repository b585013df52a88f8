#include "cli/commands/cluster/node.h"

#include <fmt/format.h>

#include <thread>

#include "base/random.h"
#include "cli/command_line/build_info.h"
#include "cli/commands/cluster/leave.h"
#include "cli/host/instance_lock.h"
#include "cli/host/notify.h"
#include "cli/host/rights.h"
#include "cli/node/join/discovery.h"
#include "cli/node/join/joined_node.h"
#include "cli/server/flags/server_flags.h"

namespace proa::cli {
namespace node {

Result<void> check(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  if (settings.text("server").empty()) {
    return Status(Reason::kInvalid, "--server is required, for example https://10.0.0.1:6443");
  }
  TRY(check_server_url(settings.text("server")));
  if (const std::string& token = settings.text("token"); !token.empty()) {
    TRY(parse_join_token(token, settings.text("ca-cert-hash")));
  }
  return check_node_flags(settings);
}

Result<void> run(const Invocation& invocation, Terminal& terminal) {
  const Settings& settings = invocation.settings;
  TRY(require_root("running containers"));
  StopSignals signals;
  SystemFiles files;
  SystemClock clock;
  SystemRandom random;
  const Steady begin = clock.steady();
  if (settings.text("token").empty() && !TRY(files.exists(settings.text("data-dir")))) {
    return no_token();  // and leaves no empty directory behind
  }
  TRY(files.make_dirs(settings.text("data-dir"), 0700));
  TRY(require_private(settings.text("data-dir")));
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
    notify_own_service_manager("READY=1");
    terminal.out(fmt::format(
        "Ready after {} ms. On the server: kubectl get nodes\n"
        "Ctrl-C or SIGTERM stops it; pods keep running.\n",
        std::chrono::duration_cast<std::chrono::milliseconds>(clock.steady() - begin).count()));
    signal = signals.wait();
  }
  notify_own_service_manager("STOPPING=1");
  signals.release();
  terminal.out(fmt::format("{}: stopping\n", *signal));
  if (const auto grace = signals.pods_grace()) joined.stop_pods(*grace, terminal);
  joined.stop();
  terminal.out("Stopped.\n");
  return {};
}

}  // namespace node

Command node_command() {
  std::vector<Flag> flags{
      data_dir_flag(),
      server_flag(),
      {.name = "token",
       .word = "TOKEN",
       .summary = "join token from `proa token create`; only needed for the first start"},
      {.name = "ca-cert-hash",
       .word = "HASH",
       .summary = "SHA-256 hash of the cluster CA's public key, for tokens without one"}};
  for (Flag& flag : node_flags()) flags.push_back(std::move(flag));
  return {
      .name = "node",
      .summary = "Join a cluster as a node and run its pods, in the foreground.",
      .description =
          "The server is verified with the CA hash in the token. The cluster then signs a\n"
          "certificate for this node, which is stored and renewed; later starts need no token.\n"
          "Pods run in a containerd that is started if necessary, and keep running when this\n"
          "process stops; `proa down` stops them. The server gives this node its part of the\n"
          "pod network.\n"
          "Set PROA_TOKEN to keep the token out of the process list.",
      .flags = std::move(flags),
      .commands = {leave_command()},
      .run = node::run,
      .check = node::check};
}

}  // namespace proa::cli
