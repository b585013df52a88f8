#include "cli/commands/cluster/uninstall.h"

#include <gtest/gtest.h>

namespace proa::cli {
namespace {

TEST(Uninstall, SaysWhatIsRemovedAndWhatIsNot) {
  EXPECT_EQ(uninstall_warning("/d", ""),
            "This stops all pods and removes the cluster in /d with its data.");
  EXPECT_EQ(uninstall_warning("/d", "node-2"),
            "This stops all pods of node node-2 and removes its data in /d. The Node stays in the "
            "cluster; `proa node leave`, before, moves its pods to others and deletes it.");
}

}  // namespace
}  // namespace proa::cli
