#include "cli/node/node_flags.h"

#include <gtest/gtest.h>

#include "testkit/process.h"

namespace proa::cli {
namespace {

class NodeFlags : public testing::Test {
 protected:
  NodeFlags() {
    settings_.set("data-dir", folder_.path());
    for (const Flag& flag : node_flags()) settings_.set(flag.name, flag.fallback);
  }

  testkit::TempDir folder_;
  Settings settings_;
};

TEST_F(NodeFlags, WithoutAnyTheNodeIsTheMachineWithARuntimeOfItsOwn) {
  const auto read = read_node_settings(settings_);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->kubelet.node_name, default_node_name());
  EXPECT_EQ(read->kubelet.addresses.size(), 1u);
  EXPECT_TRUE(read->own_runtime);
  EXPECT_EQ(read->kubelet.runtime_socket, read->place.socket);
  EXPECT_EQ(read->kubelet.root, read->place.data_dir + "/kubelet");
  EXPECT_EQ(read->kubelet.port, 10250);
  EXPECT_TRUE(read->network.pod_cidrs.empty());
  EXPECT_EQ(read->network.options.mode, network::Mode::kAuto);
  EXPECT_TRUE(read->network.policies);
  EXPECT_TRUE(read->network.guard);
}

TEST_F(NodeFlags, EveryOneGetsWhereItBelongs) {
  for (const auto& [name, value] : std::map<std::string, std::string>{
           {"node-name", "n1"},
           {"node-ip", "10.0.0.5,fd00::5"},
           {"node-labels", "a=1,b="},
           {"register-with-taints", "k=v:NoSchedule,x:NoExecute"},
           {"max-pods", "7"},
           {"system-reserved", "cpu=200m"},
           {"pod-manifest-path", "/etc/manifests"},
           {"container-runtime-endpoint", "unix:///run/containerd/containerd.sock"},
           {"default-runtime", "crun"},
           {"cluster-dns", "10.96.0.10"},
           {"network-policy", "none"},
           {"pod-guard", "off"}}) {
    settings_.set(name, value);
  }
  const auto read = read_node_settings(settings_);
  ASSERT_TRUE(read.ok()) << read.status().message();
  const kubelet::KubeletOptions& options = read->kubelet;
  EXPECT_EQ(options.node_name, "n1");
  EXPECT_EQ(options.addresses, (std::vector<std::string>{"10.0.0.5", "fd00::5"}));
  EXPECT_EQ(options.labels, (std::map<std::string, std::string>{{"a", "1"}, {"b", ""}}));
  EXPECT_EQ(options.taints, (std::vector<std::string>{"k=v:NoSchedule", "x:NoExecute"}));
  EXPECT_EQ(options.max_pods, 7);
  EXPECT_EQ(options.system_reserved.at("cpu"), "200m");
  EXPECT_EQ(options.manifests, "/etc/manifests");
  EXPECT_FALSE(read->own_runtime);
  EXPECT_EQ(options.runtime_socket, "/run/containerd/containerd.sock");
  EXPECT_EQ(read->default_runtime, "crun");
  EXPECT_FALSE(read->network.policies);
  EXPECT_FALSE(read->network.guard);
  EXPECT_EQ(options.cluster_dns, std::vector<std::string>{"10.96.0.10"});
}

TEST_F(NodeFlags, WhatMakesNoSenseIsRefusedWithTheNameOfTheFlag) {
  for (const auto& [name, value] : std::multimap<std::string, std::string>{
           {"node-name", "A B"},
           {"node-ip", "here"},
           {"node-ip", "10.0.0.5,::"},
           {"node-ip", "0.0.0.0"},
           {"node-labels", "a"},
           {"node-labels", "a b=c"},
           {"node-labels", "a=b c"},
           {"register-with-taints", "a"},
           {"register-with-taints", "a=b:Never"},
           {"register-with-taints", "a b:NoExecute"},
           {"kube-reserved", "=1"},
           {"kube-reserved", "cpu=lots"},
           {"system-reserved", "memory=-1Gi"},
           {"system-reserved", "gpu=1"},
           {"pod-cidr", "10.244.0.0"},
           {"pod-cidr", "10.244.0.7/24"},
           {"pod-cidr", "10.244.0.0/33"},
           {"pod-cidr", "10.244.0.0/31"},
           {"pod-cidr", "10.244.0.0/24,10.244.1.0/24"},
           {"pod-cidr", "10.244.0.0/24,fd00::/64,fd01::/64"},
           {"non-masquerade-cidrs", "10.0.0.1"},
           {"cluster-dns", "dns"},
           {"cluster-dns", "10.0.0.1,,10.0.0.2"},
           {"cluster-dns", "10.0.0.1,"},
           {"cluster-domain", "a b"},
           {"default-runtime", "kata"},
           {"container-runtime-endpoint", "tcp://127.0.0.1:1"}}) {
    SCOPED_TRACE(name + " " + value);
    Settings settings = settings_;
    settings.set(name, value);
    const auto read = read_node_settings(settings);
    ASSERT_TRUE(read.is(Reason::kInvalid));
    EXPECT_NE(read.status().message().find("--" + name), std::string::npos);
    // The same before there is a data directory.
    settings.set("data-dir", folder_.path() + "/missing");
    EXPECT_EQ(check_node_flags(settings).status().message(), read.status().message());
  }
}

}  // namespace
}  // namespace proa::cli
