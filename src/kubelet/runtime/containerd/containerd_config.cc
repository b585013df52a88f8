#include "kubelet/runtime/containerd/containerd_config.h"

#include <fmt/format.h>

namespace proa::kubelet {
namespace containerd_config_text {

// A TOML basic string.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// The CRI plugin. containerd 2.x split it, and accepts this name for all its parts in a file of
// this version.
constexpr std::string_view kCri = "\"io.containerd.grpc.v1.cri\"";

// Unused snapshotters only slow down the start.
constexpr std::string_view kDisabled =
    "disabled_plugins = [\"io.containerd.snapshotter.v1.aufs\", "
    "\"io.containerd.snapshotter.v1.btrfs\", \"io.containerd.snapshotter.v1.devmapper\", "
    "\"io.containerd.snapshotter.v1.zfs\"]\n";

std::string general(const ContainerdSetup& setup) {
  return fmt::format(
      "# Written by proa at every start; changes are lost.\n"
      "version = 2\n"
      "root = {}\n"
      "state = {}\n"
      "oom_score = {}\n"
      "{}\n"
      // Every pod would cost some lines else.
      "[debug]\n"
      "level = \"warn\"\n"
      "\n"
      "[grpc]\n"
      "address = {}\n"
      "\n"
      "[plugins.\"io.containerd.internal.v1.opt\"]\n"
      "path = {}\n"
      "\n"
      // Its sockets lie in folders of the machine, outside of ours.
      "[plugins.\"io.containerd.nri.v1.nri\"]\n"
      "disable = true\n",
      quoted(setup.root), quoted(setup.state), setup.may_lower_oom_score ? -999 : 0, kDisabled,
      quoted(setup.socket), quoted(setup.root + "/opt"));
}

std::string runtimes(const ContainerdSetup& setup) {
  std::string text = fmt::format(
      "\n[plugins.{0}.containerd]\n"
      "default_runtime_name = {1}\n",
      kCri, quoted(setup.runtimes.empty() ? "runc" : setup.runtimes.front().name));
  for (const OciRuntime& runtime : setup.runtimes) {
    text += fmt::format(
        "\n[plugins.{0}.containerd.runtimes.{1}]\n"
        "runtime_type = \"io.containerd.runc.v2\"\n"
        "\n[plugins.{0}.containerd.runtimes.{1}.options]\n"
        "BinaryName = {2}\n"
        "Root = {3}\n"
        "SystemdCgroup = {4}\n",
        kCri, quoted(runtime.name), quoted(runtime.path), quoted(setup.state + "/" + runtime.name),
        setup.systemd_cgroups);
  }
  return text;
}

std::string network(const ContainerdSetup& setup) {
  return fmt::format(
      "\n[plugins.{}.cni]\n"
      "bin_dir = {}\n"
      "conf_dir = {}\n"
      "max_conf_num = 1\n",
      kCri, quoted(setup.cni_programs), quoted(setup.cni_config));
}

// Streams of exec, attach and port-forward pass through the kubelet: no other client connects to
// them.
constexpr std::string_view kStreaming =
    "stream_server_address = \"127.0.0.1\"\n"
    "stream_server_port = \"0\"\n";

// Network namespaces of pods are below its state, apart from those of others: leftovers of a killed
// containerd are ours to remove.
constexpr std::string_view kOwnNamespaces = "netns_mounts_under_state_dir = true\n";

// containerd 2.4 collects the usage of every container each second for CRI's stats; nobody uses
// those here. Older versions ignore the plugin.
constexpr std::string_view kRareStatistics =
    "\n[plugins.\"io.containerd.cri.v1.runtime\"]\n"
    "stats_collect_period = \"1h\"\n";

std::string cri_plugin(const ContainerdSetup& setup) {
  return fmt::format(
      "\n[plugins.{0}]\n"
      "sandbox_image = {1}\n"
      "restrict_oom_score_adj = {2}\n"
      "{3}"
      "{4}"
      "\n[plugins.{0}.registry]\n"
      "config_path = {5}\n"
      "{6}",
      kCri, quoted(setup.sandbox_image), !setup.may_lower_oom_score, kOwnNamespaces, kStreaming,
      quoted(setup.registries), kRareStatistics);
}

}  // namespace containerd_config_text

std::string containerd_config(const ContainerdSetup& setup) {
  using namespace containerd_config_text;  // NOLINT: this unit's own
  return general(setup) + cri_plugin(setup) + runtimes(setup) + network(setup);
}

}  // namespace proa::kubelet
