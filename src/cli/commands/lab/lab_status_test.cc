#include "cli/commands/lab/lab_status.h"

#include <gtest/gtest.h>

#include "lab/machine/service_state.h"

namespace proa::cli {
namespace {

TEST(LabStatus, ExplainsEveryStateInItsHelp) {
  const Command command = lab_status_command();
  for (const lab::ServicePhase phase : {lab::ServicePhase::kStarting, lab::ServicePhase::kRunning,
                                        lab::ServicePhase::kStopped, lab::ServicePhase::kFailing}) {
    const std::string row = "\n  " + std::string(lab::name_of(phase)) + "  ";
    EXPECT_NE(command.description.find(row), std::string_view::npos) << row;
  }
  EXPECT_NE(command.description.find("\n  off  "), std::string_view::npos);
}

}  // namespace
}  // namespace proa::cli
