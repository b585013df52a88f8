#include "network/cni/cni_config.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "testkit/golden.h"

namespace proa::network {
namespace {

CniSetup setup_of(std::string_view ranges) {
  CniSetup setup;
  setup.state = "/run/proa/networks";
  for (size_t at = 0; at < ranges.size();) {
    const size_t end = std::min(ranges.find(' ', at), ranges.size());
    setup.ranges.push_back(parse_prefix(ranges.substr(at, end - at)).value());
    at = end + 1;
  }
  return setup;
}

// The command: the ranges.
TEST(CniConfig, IsWhatThePluginsRead) {
  testkit::run_golden(std::filesystem::path(__FILE__).parent_path() / "testdata/cni_config.txt",
                      [](std::string_view command) {
                        CniSetup setup = setup_of(command);
                        setup.mtu = setup.ranges.size() > 1 ? 1450 : 0;
                        return cni_config(setup);
                      });
}

TEST(CniConfig, LeavesOutSettingsThatTheKernelDoesNotHave) {
  CniSetup setup = setup_of("10.1.0.0/24");
  setup.ipv6 = false;
  EXPECT_EQ(cni_config(setup).find("tuning"), std::string::npos);
}

}  // namespace
}  // namespace proa::network
