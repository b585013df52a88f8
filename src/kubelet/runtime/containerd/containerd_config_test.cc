#include "kubelet/runtime/containerd/containerd_config.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

ContainerdSetup setup() {
  ContainerdSetup setup;
  setup.root = "/data/containerd";
  setup.state = "/run/proa/containerd";
  setup.socket = "/run/proa/containerd.sock";
  setup.sandbox_image = "docker.io/proa/pause:1";
  setup.cni_programs = "/usr/lib/cni";
  setup.cni_config = "/data/cni";
  setup.registries = "/data/registries";
  setup.runtimes = {{"runc", "/usr/sbin/runc"}, {"crun", "/usr/bin/crun"}};
  return setup;
}

bool has(const std::string& text, std::string_view line) {
  return ("\n" + text).find("\n" + std::string(line) + "\n") != std::string::npos;
}

TEST(ContainerdConfig, TheFormThatEveryContainerdTakes) {
  const std::string text = containerd_config(setup());
  for (const char* line :
       {"version = 2", "root = \"/data/containerd\"", "state = \"/run/proa/containerd\"",
        "address = \"/run/proa/containerd.sock\"", "path = \"/data/containerd/opt\"",
        "[plugins.\"io.containerd.grpc.v1.cri\"]", "sandbox_image = \"docker.io/proa/pause:1\"",
        "default_runtime_name = \"runc\"",
        "[plugins.\"io.containerd.grpc.v1.cri\".containerd.runtimes.\"crun\".options]",
        "BinaryName = \"/usr/bin/crun\"", "Root = \"/run/proa/containerd/crun\"",
        "SystemdCgroup = false", "[plugins.\"io.containerd.grpc.v1.cri\".cni]",
        "bin_dir = \"/usr/lib/cni\"", "conf_dir = \"/data/cni\"",
        "stream_server_address = \"127.0.0.1\"", "netns_mounts_under_state_dir = true",
        "stats_collect_period = \"1h\""}) {
    EXPECT_TRUE(has(text, line)) << line << "\n" << text;
  }
}

TEST(ContainerdConfig, WhereScoresCanNotBeLoweredNobodyIsAskedTo) {
  ContainerdSetup bound = setup();
  EXPECT_TRUE(has(containerd_config(bound), "oom_score = -999"));
  EXPECT_TRUE(has(containerd_config(bound), "restrict_oom_score_adj = false"));
  bound.may_lower_oom_score = false;
  EXPECT_TRUE(has(containerd_config(bound), "oom_score = 0"));
  EXPECT_TRUE(has(containerd_config(bound), "restrict_oom_score_adj = true"));
}

TEST(ContainerdConfig, PathsCanNotBreakOutOfTheirQuotes) {
  ContainerdSetup odd = setup();
  odd.root = "/a\"b\\c\nversion = 9";
  EXPECT_TRUE(has(containerd_config(odd), "root = \"/a\\\"b\\\\c\\u000aversion = 9\""));
}

}  // namespace
}  // namespace proa::kubelet
