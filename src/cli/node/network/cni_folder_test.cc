#include "cli/node/network/cni_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "testkit/process.h"

namespace proa::cli {
namespace {

class CniFolderTest : public testing::Test {
 protected:
  void add_plugin(const std::string& folder) {
    ASSERT_TRUE(files_.make_dirs(root_ + folder, 0755).ok());
    ASSERT_TRUE(files_.write_file_atomic(root_ + folder + "/bridge", "", 0755).ok());
  }
  Result<std::string> prepare(std::optional<bool> foreign) {
    return prepare_cni_folder(files_, cni_, foreign, root_);
  }

  testkit::TempDir folder_;
  SystemFiles files_;
  std::string root_ = folder_.file("root");
  std::string cni_ = folder_.file("cni");
};

TEST_F(CniFolderTest, IsOurOwnOrALinkToTheUsers) {
  add_plugin("/usr/lib/cni");
  EXPECT_EQ(prepare(false).value(), root_ + "/usr/lib/cni");
  ASSERT_TRUE(files_.write_file_atomic(cni_ + "/10-proa.conflist", "{}", 0600).ok());
  // The network becomes the user's, and stays so until a start says otherwise.
  EXPECT_EQ(prepare(true).value(), root_ + "/usr/lib/cni");
  EXPECT_TRUE(std::filesystem::is_symlink(cni_));
  ASSERT_TRUE(files_.write_file_atomic(root_ + "/etc/cni/net.d/05-x.conflist", "{}", 0600).ok());
  add_plugin("/opt/cni/bin");
  EXPECT_EQ(prepare(std::nullopt).value(), root_ + "/opt/cni/bin");
  EXPECT_TRUE(files_.exists(cni_ + "/05-x.conflist").value());
  EXPECT_EQ(prepare(false).value(), root_ + "/usr/lib/cni");
  EXPECT_FALSE(std::filesystem::is_symlink(cni_));
  EXPECT_TRUE(files_.list(cni_)->empty());
  EXPECT_TRUE(files_.exists(root_ + "/etc/cni/net.d/05-x.conflist").value());
}

TEST_F(CniFolderTest, SaysWhatToInstall) {
  const auto missing = prepare(false);
  ASSERT_TRUE(missing.is(Reason::kNotFound));
  EXPECT_NE(missing.status().message().find("containernetworking-plugins"), std::string::npos);
}

}  // namespace
}  // namespace proa::cli
