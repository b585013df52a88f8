#include "lab/machine/service_state.h"

#include <gtest/gtest.h>

namespace proa::lab {
namespace {

TEST(ServiceState, IsReadAsItWasPrinted) {
  for (const ServicePhase phase : {ServicePhase::kStarting, ServicePhase::kRunning,
                                   ServicePhase::kStopped, ServicePhase::kFailing}) {
    const ServiceState state{.phase = phase, .restarts = 3, .exit_code = 137};
    EXPECT_EQ(parse_service_state(print_service_state(state)), state);
  }
  EXPECT_EQ(print_service_state({.phase = ServicePhase::kFailing, .restarts = 3, .exit_code = 1}),
            "failing 3 1\n");
}

TEST(ServiceState, IsTheFirstLine) {
  EXPECT_EQ(parse_service_state("running 0 0\n4 137\n"),
            (ServiceState{.phase = ServicePhase::kRunning}));
}

TEST(ServiceState, IsNotReadFromAnythingElse) {
  for (const char* text : {"", "\n", "running", "running 0", "running 0 x", "gone 0 0"}) {
    EXPECT_EQ(parse_service_state(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace proa::lab
