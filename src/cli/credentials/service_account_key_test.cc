#include "cli/credentials/service_account_key.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "apiserver/access/tokens/keys.h"

namespace proa::cli {
namespace {

class ServiceAccountKeyTest : public testing::Test {
 protected:
  ServiceAccountKeyTest() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "proa_account_key_XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
  }
  ~ServiceAccountKeyTest() override { std::filesystem::remove_all(directory_); }

  Result<std::string> ensure() { return ensure_service_account_key(files_, directory_); }
  std::string path(const std::string& name) const { return directory_ + "/" + name; }

  SystemFiles files_;
  std::string directory_;
};

TEST_F(ServiceAccountKeyTest, IsMadeOnceForTheOwnerOnly) {
  const auto first = ensure();
  ASSERT_TRUE(first.ok()) << first.status().message();
  EXPECT_TRUE(apiserver::TokenKey::read(*first).ok());
  const auto permissions = std::filesystem::status(path("service-account.key")).permissions();
  EXPECT_EQ(permissions, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const auto second = ensure();
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(*first, *second);
}

TEST_F(ServiceAccountKeyTest, PublishesItsPublicHalf) {
  const auto made = ensure();
  ASSERT_TRUE(made.ok());
  const std::string published = files_.read_file(path("service-account.pub"), 4096).value();
  ASSERT_TRUE(files_.remove(path("service-account.pub")).ok());
  ASSERT_TRUE(ensure().ok());
  EXPECT_EQ(files_.read_file(path("service-account.pub"), 4096).value(), published);
  EXPECT_EQ(apiserver::TokenKey::read(published).value()->id(),
            apiserver::TokenKey::read(*made).value()->id());
}

TEST_F(ServiceAccountKeyTest, RefusesWhatItCantUseInsteadOfReplacingIt) {
  ASSERT_TRUE(ensure().ok());
  const std::string published = files_.read_file(path("service-account.pub"), 4096).value();
  for (const std::string& bad : {std::string("garbage"), std::string(), published}) {
    ASSERT_TRUE(files_.write_file_atomic(path("service-account.key"), bad, 0600).ok());
    EXPECT_TRUE(ensure().is(Reason::kInvalid)) << bad;
    EXPECT_EQ(files_.read_file(path("service-account.key"), 4096).value(), bad);
  }
}

}  // namespace
}  // namespace proa::cli
