#include "cli/scheduler/scheduler_flags.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace proa::cli {
namespace {

class ReadSchedulerConfig : public testing::Test {
 protected:
  ReadSchedulerConfig() {
    std::string pattern = (std::filesystem::temp_directory_path() / "proa_flags_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~ReadSchedulerConfig() override { std::filesystem::remove_all(folder_); }

  Result<scheduler::SchedulerConfig> read(const std::string& path) {
    Settings settings;
    settings.set("scheduler-config", path);
    return read_scheduler_config(settings, files_);
  }
  std::string file(const std::string& text) {
    std::ofstream(folder_ + "/scheduler.yaml") << text;
    return folder_ + "/scheduler.yaml";
  }

  std::string folder_;
  SystemFiles files_;
};

TEST_F(ReadSchedulerConfig, WithoutAFileItIsTheDefault) {
  const auto config = read("");
  ASSERT_TRUE(config.ok());
  ASSERT_EQ(config->profiles.size(), 1u);
  EXPECT_EQ(config->profiles[0].scheduler_name, "default-scheduler");
  EXPECT_TRUE(config->leader_election.elect);
}

TEST_F(ReadSchedulerConfig, TheFileSaysIt) {
  const auto config =
      read(file("apiVersion: kubescheduler.config.k8s.io/v1\n"
                "kind: KubeSchedulerConfiguration\n"
                "leaderElection: {leaderElect: false}\n"
                "profiles: [{schedulerName: mine}]\n"));
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->profiles[0].scheduler_name, "mine");
  EXPECT_FALSE(config->leader_election.elect);
}

TEST_F(ReadSchedulerConfig, FailuresNameTheFile) {
  const auto missing = read(folder_ + "/missing.yaml");
  EXPECT_TRUE(missing.is(Reason::kNotFound));
  EXPECT_NE(missing.status().message().find("missing.yaml"), std::string::npos)
      << missing.status().message();
  const std::string path = file("kind: Pod\napiVersion: v1\n");
  const auto wrong = read(path);
  ASSERT_FALSE(wrong.ok());
  EXPECT_TRUE(wrong.status().message().starts_with("--scheduler-config " + path + ": "))
      << wrong.status().message();
}

}  // namespace
}  // namespace proa::cli
