#include "cli/commands/lab/lab_up.h"

#include <gtest/gtest.h>

namespace proa::cli {
namespace {

using Words = std::vector<std::string>;

TEST(SortNodeFlags, GivesEveryFlagToThoseThatKnowIt) {
  const auto sorted = sort_node_flags({"--max-pods", "20", "--node-monitor-grace-period=12s",
                                       "--ca-cert-hash=x", "--log-level=debug", "--new-authority"},
                                      false);
  ASSERT_TRUE(sorted.ok()) << sorted.status().message();
  EXPECT_EQ(sorted->server, (Words{"--max-pods=20", "--node-monitor-grace-period=12s",
                                   "--log-level=debug", "--new-authority"}));
  EXPECT_EQ(sorted->node, (Words{"--max-pods=20", "--ca-cert-hash=x", "--log-level=debug"}));
}

TEST(SortNodeFlags, GivesAServerThatIsApartNoFlagsOfNodes) {
  const auto sorted = sort_node_flags({"--max-pods=20", "--pod-egress=nodes"}, true);
  ASSERT_TRUE(sorted.ok()) << sorted.status().message();
  EXPECT_EQ(sorted->server, Words{"--pod-egress=nodes"});
  EXPECT_EQ(sorted->node, Words{"--max-pods=20"});
  EXPECT_EQ(sort_node_flags({"--bogus=1"}, true).status().message(),
            "--bogus is a flag of neither `proa server` nor `proa node`");
}

TEST(SortNodeFlags, RefusesWhatIsNotForNodes) {
  const auto failure = [](const Words& words) {
    const auto sorted = sort_node_flags(words, false);
    return sorted.ok() ? "accepted" : sorted.status().message();
  };
  EXPECT_EQ(failure({"x"}), "'x' is no flag; `proa lab up` takes flags only");
  EXPECT_EQ(failure({"--bogus=1"}), "--bogus is a flag of neither `proa up` nor `proa node`");
  EXPECT_EQ(failure({"--node-ip=1.2.3.4"}), "--node-ip is set by the lab itself");
  EXPECT_EQ(failure({"--max-pods"}), "--max-pods requires a value");
}

}  // namespace
}  // namespace proa::cli
