#include "cli/commands/cluster/proxy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace proa::cli {
namespace {

TEST(ProxyCommand, CleansUpWhereTheConfigurationSaysNone) {
  const Command command = proxy_command();
  Invocation invocation;
  for (const Flag& flag : command.flags) invocation.settings.set(flag.name, flag.fallback);
  const auto mode = std::find_if(command.flags.begin(), command.flags.end(),
                                 [](const Flag& flag) { return flag.name == "proxy-mode"; });
  ASSERT_NE(mode, command.flags.end());
  // A choice that is not offered would be refused before.
  EXPECT_NE(std::find(mode->choices.begin(), mode->choices.end(), "none"), mode->choices.end());
  invocation.settings.set("proxy-mode", "none");
  invocation.settings.set("kubeconfig", "kubeconfig");
  const Result<void> checked = command.check(invocation);
  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.status().message(), "--proxy-mode: \"none\": use nftables or iptables");
  invocation.settings.set("cleanup", "true");
  EXPECT_TRUE(command.check(invocation).ok());
}

TEST(ProxyCommand, KnowsFlagsAsKubeProxyHasThem) {
  struct Case {
    std::string name;
    std::map<std::string, std::string> flags;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"ranges of pods", {{"cluster-cidr", "10.244.0.0/16,fd00::/64"}}, ""},
      {"no servers", {{"healthz-bind-address", ""}, {"metrics-bind-address", ""}}, ""},
      {"no range",
       {{"cluster-cidr", "pods"}},
       "--cluster-cidr must be CIDRs such as 10.244.0.0/16, not pods"},
      {"both names",
       {{"cluster-cidr", "10.1.0.0/16"}, {"pod-ranges", "10.2.0.0/16"}},
       "--pod-ranges and --cluster-cidr must not both be set"},
  };
  const Command command = proxy_command();
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Invocation invocation;
    for (const Flag& flag : command.flags) invocation.settings.set(flag.name, flag.fallback);
    invocation.settings.set("kubeconfig", "kubeconfig");
    for (const auto& [name, value] : c.flags) {
      EXPECT_TRUE(invocation.settings.all().contains(name)) << name;
      invocation.settings.set(name, value);
    }
    const Result<void> checked = command.check(invocation);
    EXPECT_EQ(checked.ok() ? "" : checked.status().message(), c.message);
  }
}

}  // namespace
}  // namespace proa::cli
