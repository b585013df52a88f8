#include "cli/server/flags/encryption_flags.h"

#include <gtest/gtest.h>

#include "testkit/memory_files.h"

namespace proa::cli {
namespace {

class EncryptionFlagsTest : public testing::Test {
 protected:
  Result<encryption::EncryptionOptions> read(const std::string& path, bool reload) {
    Settings settings;
    settings.set("encryption-provider-config", path);
    settings.set("encryption-provider-config-automatic-reload", reload ? "true" : "false");
    return read_encryption_options(settings, files_);
  }

  testkit::MemoryFiles files_;
};

TEST_F(EncryptionFlagsTest, AreOptional) {
  const auto options = read("", false);
  ASSERT_TRUE(options.ok()) << options.status().message();
  EXPECT_EQ(options->path, "");
}

TEST_F(EncryptionFlagsTest, ReloadingNeedsAFile) {
  EXPECT_EQ(read("", true).status().message(),
            "--encryption-provider-config-automatic-reload must be set with "
            "--encryption-provider-config");
}

TEST_F(EncryptionFlagsTest, TheFileIsReadAtOnce) {
  files_.content["/e.yaml"] =
      "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources: []\n";
  EXPECT_EQ(read("/e.yaml", false).status().message(),
            "--encryption-provider-config: error while parsing file: resources: Required value: at "
            "least one resources is required");
  files_.content["/e.yaml"] =
      "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n"
      "- {resources: [secrets], providers: [{identity: {}}]}\n";
  const auto options = read("/e.yaml", true);
  ASSERT_TRUE(options.ok()) << options.status().message();
  EXPECT_TRUE(options->reload);
}

}  // namespace
}  // namespace proa::cli
