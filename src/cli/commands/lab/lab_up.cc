#include "cli/commands/lab/lab_up.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "cli/commands/cluster/node.h"
#include "cli/commands/cluster/server.h"
#include "cli/commands/cluster/up.h"
#include "cli/commands/lab/lab_settings.h"
#include "cli/host/rights.h"
#include "cli/host/signals.h"

namespace proa::cli {
namespace lab_up {

constexpr Duration kLook = std::chrono::milliseconds(100);

// What the lab decides.
constexpr std::string_view kOwn[] = {
    "listen", "advertise-address", "node-name", "node-ip", "data-dir", "server", "token", "detach"};
// Every command has them.
constexpr std::string_view kGlobal[] = {"log-level", "log-format"};

Status refused(const std::string& message) { return {Reason::kInvalid, message}; }

const Flag* find_flag(const Command& command, std::string_view name) {
  const auto found = std::ranges::find(command.flags, name, &Flag::name);
  return found == command.flags.end() ? nullptr : &*found;
}

lab::Families families_of(const Settings& settings) {
  if (settings.on("dual-stack")) return lab::Families::kDual;
  return settings.on("ipv6") ? lab::Families::kV6 : lab::Families::kV4;
}

Result<void> check(const Invocation& invocation) {
  TRY(check_lab_flags(invocation));
  if (invocation.settings.on("ipv6") && invocation.settings.on("dual-stack")) {
    return refused("--ipv6 and --dual-stack exclude each other");
  }
  TRY(sort_node_flags(invocation.arguments, invocation.settings.on("server-apart")));
  return {};
}

// Turns Ctrl-C and SIGTERM into a stop token, while it exists.
class Interruption {
 public:
  std::stop_token token() { return source_.get_token(); }

 private:
  StopSignals signals_;
  std::stop_source source_;
  std::jthread thread_{[this](const std::stop_token& over) {
    while (!over.stop_requested()) {
      if (!signals_.wait_for(kLook)) continue;
      source_.request_stop();
      return;
    }
  }};
};

Result<void> run(const Invocation& invocation, Terminal& terminal) {
  TRY(require_root("making namespaces"));
  const Settings& settings = invocation.settings;
  const bool apart = settings.on("server-apart");
  LabNodeFlags flags = TRY(sort_node_flags(invocation.arguments, apart));
  lab::Wish wish{.name = settings.text("name"),
                 .nodes = static_cast<int>(settings.number("nodes")),
                 .server_apart = apart,
                 .topology = settings.text("topology") == "routed" ? lab::Topology::kRouted
                                                                   : lab::Topology::kBridged,
                 .families = families_of(settings),
                 .server_flags = std::move(flags.server),
                 .node_flags = std::move(flags.node)};
  LabTools tools(settings, terminal);
  SystemClock clock;
  const Steady begin = clock.steady();
  Interruption interruption;
  lab::Lab made = TRY(lab::Lab::create(tools.context(), wish));
  const Result<bool> up = made.up(interruption.token());
  if (!up.ok()) {
    terminal.error(up.status().message() + "\nRemoving what was started.\n");
    const Result<void> removed = lab::Lab::remove(tools.context(), wish.name);
    if (!removed.ok()) terminal.error(removed.status().message() + "\n");
    return Status(up.status().reason(), "the lab did not start; nothing of it is left");
  }
  const std::chrono::duration<double> time = clock.steady() - begin;
  const std::string name = lab::lab_choice(tools.context().all, wish.name);
  terminal.out(
      fmt::format("{3} after {1:.1f} s{4}. Try:\n"
                  "  proa lab kubectl{0} get nodes\n"
                  "  export KUBECONFIG={2}\n"
                  "  proa lab exec{0} node-1 -- ip address\n"
                  "`proa lab down{0}` removes it.\n",
                  name, time.count(), made.paths().kubeconfig, *up ? "Ready" : "Started",
                  *up ? "" : ", but not all nodes are ready"));
  return {};
}

// Who takes a flag of the words behind `--`.
struct Takers {
  bool server = false;
  bool node = false;
  bool is_switch = false;
};

Result<Takers> takers_of(const std::string& name, bool server_apart) {
  static const Command kUp = up_command();
  static const Command kServer = server_command();
  static const Command kNode = node_command();
  if (std::ranges::find(kOwn, name) != std::end(kOwn)) {
    return refused("--" + name + " is set by the lab itself");
  }
  const bool global = std::ranges::find(kGlobal, name) != std::end(kGlobal);
  const Flag* of_server = find_flag(server_apart ? kServer : kUp, name);
  const Flag* of_node = find_flag(kNode, name);
  const Flag* known = of_server == nullptr ? of_node : of_server;
  if (known == nullptr && !global) {
    return refused("--" + name + " is a flag of neither " +
                   (server_apart ? "`proa server`" : "`proa up`") + " nor `proa node`");
  }
  return Takers{.server = of_server != nullptr || global,
                .node = of_node != nullptr || global,
                .is_switch = known != nullptr && known->kind == ValueKind::kSwitch};
}

}  // namespace lab_up

Result<LabNodeFlags> sort_node_flags(const std::vector<std::string>& words, bool server_apart) {
  using namespace lab_up;  // NOLINT: this unit's own
  LabNodeFlags sorted;
  for (size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i];
    if (!word.starts_with("--"))
      return refused("'" + word + "' is no flag; `proa lab up` takes flags only");
    const std::string name = word.substr(2, word.find('=') - 2);
    const Takers takers = TRY(takers_of(name, server_apart));
    if (word.find('=') == std::string::npos && !takers.is_switch) {
      if (++i == words.size()) return refused("--" + name + " requires a value");
      word += "=" + words[i];
    }
    if (takers.server) sorted.server.push_back(word);
    if (takers.node) sorted.node.push_back(word);
  }
  return sorted;
}

Command lab_up_command() {
  return {
      .name = "up",
      .summary = "Make a cluster of several machines on this host.",
      .description =
          "Each machine has its own network, processes, mounts, cgroups, host name and\n"
          "containerd. node-1 runs `proa up`: the control plane, and a node that takes pods, too.\n"
          "The other nodes run `proa node`. The machine `client` is a host outside of the\n"
          "cluster, `switch` connects them all.\n"
          "Flags after -- are passed to `proa up` and `proa node`, to whichever has them:\n"
          "  proa lab up --nodes 3 --topology routed -- --max-pods 20\n"
          "Waits until all nodes are ready. If it fails or is interrupted, the lab is deleted.\n"
          "From this host only the API server is reached, by `proa lab kubectl` or a kubeconfig.\n"
          "Node ports and load balancers are reached from `client`:\n"
          "  proa lab exec client -- curl http://node-2:30080\n"
          "Images of this host are brought to each node:\n"
          "  docker save IMAGE | proa lab exec node-2 -- proa images import -",
      .arguments = {{.word = "-- FLAG", .required = false, .repeats = true}},
      .flags = lab_flags({{.name = "nodes",
                           .kind = ValueKind::kNumber,
                           .word = "COUNT",
                           .fallback = "3",
                           .summary = "number of nodes, node-1 included",
                           .least = 1,
                           .most = lab::kMostNodes},
                          {.name = "topology",
                           .kind = ValueKind::kChoice,
                           .fallback = "bridged",
                           .summary = "bridged: one subnet for all nodes; routed: a subnet for "
                                      "each, and a router",
                           .choices = {"bridged", "routed"}},
                          {.name = "server-apart",
                           .kind = ValueKind::kSwitch,
                           .fallback = "false",
                           .summary = "run the API server on a machine of its own, `server`, "
                                      "which is no node"},
                          {.name = "ipv6",
                           .kind = ValueKind::kSwitch,
                           .fallback = "false",
                           .summary = "IPv6 only, for machines, pods and Services; default: "
                                      "IPv4 only"},
                          {.name = "dual-stack",
                           .kind = ValueKind::kSwitch,
                           .fallback = "false",
                           .summary = "IPv4 and IPv6, for machines, pods and Services"}}),
      .run = lab_up::run,
      .check = lab_up::check};
}

}  // namespace proa::cli
