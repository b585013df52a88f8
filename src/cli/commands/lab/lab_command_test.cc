#include <gtest/gtest.h>

#include "cli/commands/lab/lab.h"

namespace proa::cli {
namespace {

TEST(LabKubectl, SaysWhereItsFlagsBelong) {
  const Status failure(Reason::kNotFound, "there is no lab");
  const auto explained = [&](const std::vector<std::string>& words) {
    return explain_late_flags(failure, words).message();
  };
  EXPECT_EQ(explained({"get", "nodes", "--name", "newc"}),
            "there is no lab; --name belongs before the words of kubectl: proa lab kubectl --name "
            "NAME get ...");
  EXPECT_EQ(explained({"get", "--lab-dir=/x"}),
            "there is no lab; --lab-dir belongs before the words of kubectl: proa lab kubectl "
            "--lab-dir DIR get ...");
  EXPECT_EQ(explained({"get", "nodes"}), "there is no lab");
  EXPECT_EQ(explained({"exec", "pod", "--", "--name"}), "there is no lab");
}

}  // namespace
}  // namespace proa::cli
