#include "cli/commands/cluster/node.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "testkit/process.h"

namespace proa::cli {
namespace {

class Silent final : public Terminal {
 public:
  void out(std::string_view) override {}
  void error(std::string_view) override {}
};

TEST(NodeCommand, LeavesNothingBehindWithoutAToken) {
  const testkit::TempDir folder;
  const Command command = node_command();
  Invocation invocation;
  for (const Flag& flag : command.flags) invocation.settings.set(flag.name, flag.fallback);
  invocation.settings.set("server", "https://192.0.2.1:6443");
  invocation.settings.set("data-dir", folder.file("data"));
  Silent terminal;
  EXPECT_FALSE(command.run(invocation, terminal).ok());
  EXPECT_FALSE(SystemFiles().exists(folder.file("data")).value());
}

}  // namespace
}  // namespace proa::cli
