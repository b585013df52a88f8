#include "network/cni/cni_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

namespace proa::network {
namespace {

CniSetup setup_of(std::string_view range) {
  CniSetup setup;
  setup.state = "/run/proa/networks";
  setup.ranges.push_back(parse_prefix(range).value());
  return setup;
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
  EXPECT_EQ(foreign_configs(files_, folder_)->first, "");
  EXPECT_TRUE(remove_config(files_, folder_).ok());
  EXPECT_TRUE(remove_config(files_, folder_).ok());
}

TEST_F(CniFolder, ConfigurationsOfOthersAreSeen) {
  EXPECT_EQ(foreign_configs(files_, folder_ + "/missing")->first, "");
  const auto write = [&](const std::string& name, const std::string& text) {
    ASSERT_TRUE(files_.write_file_atomic(folder_ + "/" + name, text, 0600).ok());
  };
  write("README", "x");
  write("20-second.conf", R"({"name":"n","type":"bridge"})");
  EXPECT_EQ(foreign_configs(files_, folder_)->first, "20-second.conf");
  write("05-mine.conflist", R"({"name":"n","plugins":[{"type":"bridge"}]})");
  const auto found = foreign_configs(files_, folder_);
  EXPECT_EQ(found->first, "05-mine.conflist");
  EXPECT_TRUE(found->broken.empty());
}

TEST_F(CniFolder, WhatIsNoConfigurationDoesNotCount) {
  ASSERT_TRUE(files_.write_file_atomic(folder_ + "/00-note.json", "{bad", 0600).ok());
  ASSERT_TRUE(files_.write_file_atomic(folder_ + "/01-empty.conf", "", 0600).ok());
  ASSERT_TRUE(files_.write_file_atomic(folder_ + "/02-other.json", R"({"a":1})", 0600).ok());
  ASSERT_TRUE(files_.make_dirs(folder_ + "/03-folder.conf", 0700).ok());
  ASSERT_EQ(::mkfifo((folder_ + "/04-pipe.conflist").c_str(), 0600), 0);
  const auto found = foreign_configs(files_, folder_);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->first, "");
  EXPECT_EQ(found->broken.size(), 5u);
}

// A pipe in the place of our own would be waited for.
TEST_F(CniFolder, OnlyFilesAreRead) {
  const std::string own = folder_ + "/" + std::string(kOwnConfig);
  ASSERT_EQ(::mkfifo(own.c_str(), 0600), 0);
  EXPECT_TRUE(write_config(files_, folder_, setup_of("10.1.0.0/24")).value());
  EXPECT_FALSE(write_config(files_, folder_, setup_of("10.1.0.0/24")).value());
}

}  // namespace
}  // namespace proa::network
