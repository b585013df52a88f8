#include "scheduler/plugins/basic/untolerated.h"

#include <gtest/gtest.h>

namespace proa::scheduler {
namespace {

using kinds::pods::Taint;
using kinds::pods::Toleration;

TEST(FirstUntolerated, LooksOnlyAtTaintsThatKeepPodsAway) {
  const std::vector<Taint> taints{{.key = "a", .effect = "PreferNoSchedule"},
                                  {.key = "b", .effect = "NoSchedule"},
                                  {.key = "c", .effect = "NoExecute"}};
  const Toleration b{.key = "b", .op = "Exists"};
  const Toleration c{.key = "c", .op = "Exists"};
  EXPECT_EQ(first_untolerated(taints, {}), &taints[1]);
  EXPECT_EQ(first_untolerated(taints, std::vector{b}), &taints[2]);
  EXPECT_EQ(first_untolerated(taints, std::vector{c, b}), nullptr);
  EXPECT_EQ(first_untolerated({}, {}), nullptr);
}

TEST(DescribeTaint, IsWhatKubectlWrites) {
  EXPECT_EQ(describe(Taint{.key = "k", .effect = "NoSchedule"}), "k:NoSchedule");
  EXPECT_EQ(describe(Taint{.key = "k", .value = "v", .effect = "NoExecute"}), "k=v:NoExecute");
}

}  // namespace
}  // namespace proa::scheduler
