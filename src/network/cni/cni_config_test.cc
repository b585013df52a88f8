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

class CniFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("cni_config_test." + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  SystemFiles files_;
  std::string folder_;
};

TEST_F(CniFolder, IsWrittenOnlyIfItChanges) {
  EXPECT_TRUE(write_config(files_, folder_, setup_of("10.1.0.0/24")).value());
  EXPECT_FALSE(write_config(files_, folder_, setup_of("10.1.0.0/24")).value());
  EXPECT_TRUE(write_config(files_, folder_, setup_of("10.2.0.0/24")).value());
  EXPECT_FALSE(has_foreign_config(files_, folder_).value());
  EXPECT_TRUE(remove_config(files_, folder_).ok());
  EXPECT_TRUE(remove_config(files_, folder_).ok());
}

TEST_F(CniFolder, ConfigurationsOfOthersAreSeen) {
  EXPECT_FALSE(has_foreign_config(files_, folder_ + "/missing").value());
  ASSERT_TRUE(files_.write_file_atomic(folder_ + "/README", "x", 0600).ok());
  EXPECT_FALSE(has_foreign_config(files_, folder_).value());
  ASSERT_TRUE(files_.write_file_atomic(folder_ + "/05-mine.conflist", "{}", 0600).ok());
  EXPECT_TRUE(has_foreign_config(files_, folder_).value());
}

}  // namespace
}  // namespace proa::network
