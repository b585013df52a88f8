#include "kubelet/runtime/cri/signals.h"

#include <gtest/gtest.h>

#include <string>

namespace proa::kubelet::cri {
namespace signals_test {

TEST(Signals, HaveTheNumbersOfCri) {
  struct Case {
    int64_t number;
    const char* name;
  };
  const Case cases[] = {{1, "SIGABRT"},     {8, "SIGHUP"},       {13, "SIGKILL"},
                        {23, "SIGTERM"},    {34, "SIGXFSZ"},     {35, "SIGRTMIN"},
                        {36, "SIGRTMIN+1"}, {50, "SIGRTMIN+15"}, {51, "SIGRTMAX-14"},
                        {64, "SIGRTMAX-1"}, {65, "SIGRTMAX"}};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    EXPECT_EQ(signal_number(one.name), one.number);
    EXPECT_EQ(signal_name(one.number), one.name);
  }
}

TEST(Signals, UnknownOnesAreTheRuntimesChoice) {
  for (const int64_t number : {-1, 0, 66}) EXPECT_EQ(signal_name(number), "");
  for (const char* name : {"", "TERM", "sigterm", "SIGRTMIN+16"}) EXPECT_EQ(signal_number(name), 0);
}

}  // namespace signals_test
}  // namespace proa::kubelet::cri
