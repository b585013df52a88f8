#include "cli/commands/cluster/proxy.h"

#include <gtest/gtest.h>

#include <algorithm>

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
  EXPECT_FALSE(command.check(invocation).ok());
  invocation.settings.set("cleanup", "true");
  EXPECT_TRUE(command.check(invocation).ok());
}

}  // namespace
}  // namespace proa::cli
