#include "kubelet/pod/handlers/probes/health_message.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

TEST(HealthMessage, AsksForAService) {
  EXPECT_EQ(print_health_request(""), "");
  EXPECT_EQ(print_health_request("db"), std::string("\x0a\x02"
                                                    "db"));
}

TEST(HealthMessage, ReadsTheStatusWhateverElseIsThere) {
  using namespace std::string_view_literals;
  EXPECT_EQ(read_health_answer(""), "UNKNOWN");
  EXPECT_EQ(read_health_answer("\x08\x01"sv), "SERVING");
  EXPECT_EQ(read_health_answer("\x08\x02"sv), "NOT_SERVING");
  EXPECT_EQ(read_health_answer("\x08\x03"sv), "SERVICE_UNKNOWN");
  EXPECT_EQ(read_health_answer("\x08\x09"sv), "9");
  EXPECT_EQ(read_health_answer("\x12\x03"
                               "abc\x08\x01"sv),
            "SERVING");
  EXPECT_EQ(read_health_answer("\x12\x7f"
                               "abc"sv),
            "UNKNOWN");
  EXPECT_EQ(read_health_answer("\x08"sv), "UNKNOWN");
}

}  // namespace
}  // namespace proa::kubelet
