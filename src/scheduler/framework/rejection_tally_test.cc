#include "scheduler/framework/rejection_tally.h"

#include <gtest/gtest.h>

#include "scheduler/framework/plugin.h"

namespace proa::scheduler {
namespace {

class Named final : public Plugin {
 public:
  std::string_view name() const override { return "Named"; }
};

TEST(RejectionTally, CountsNodesThatWereRejectedInTheSameWay) {
  const Named one;
  const Named other;
  const Verdict::Reasons full = {"full"};
  const Verdict::Reasons tainted = {"tainted"};
  const Rejection by_one{.verdict = {.code = Code::kUnschedulable, .reasons = &full},
                         .plugin = &one};
  const Rejection by_other{.verdict = {.code = Code::kUnschedulable, .reasons = &full},
                           .plugin = &other};
  const Rejection for_good{.verdict = {.code = Code::kUnresolvable, .reasons = &tainted},
                           .plugin = &one};
  RejectionTally tally;
  tally.add({});
  EXPECT_TRUE(tally.lines().empty()) << "a node that takes the pod is none";
  tally.add(by_one);
  tally.add(by_one, 2);
  tally.add(by_other);
  tally.add(for_good, 0);
  EXPECT_EQ(tally.lines().size(), 2u);
  tally.add(for_good);
  EXPECT_EQ(tally.count(Code::kUnschedulable), 4u);
  EXPECT_EQ(tally.count(Code::kUnresolvable), 1u);
  EXPECT_EQ(tally.count(Code::kError), 0u);
  tally.remove({});
  tally.remove(by_one);
  tally.remove(by_other);
  EXPECT_EQ(tally.count(Code::kUnschedulable), 2u);
  EXPECT_EQ(tally.lines().size(), 2u) << "what no node has any more is no line";
  tally.clear();
  EXPECT_TRUE(tally.lines().empty());
}

}  // namespace
}  // namespace proa::scheduler
