#include "cli/node/network/encryption.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "testkit/process.h"

namespace proa::cli {
namespace {

class EncryptionTest : public testing::Test {
 protected:
  testkit::TempDir folder_;
  SystemFiles files_;
  SystemClock clock_;
  SystemRandom random_;
  std::string path_ = folder_.file("tls") + "/wireguard.key";
};

TEST_F(EncryptionTest, TheKeyIsMadeOnce) {
  const EncryptionKeys first = load_encryption_keys(files_, random_, path_).value();
  const EncryptionKeys second = load_encryption_keys(files_, random_, path_).value();
  EXPECT_EQ(first.encryption.private_key, second.encryption.private_key);
  EXPECT_EQ(first.public_key, second.public_key);
  EXPECT_TRUE(netlink::parse_key(first.public_key).has_value());
  struct stat facts {};
  ASSERT_EQ(stat(path_.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
}

TEST_F(EncryptionTest, ABrokenKeyIsNotReplaced) {
  ASSERT_TRUE(files_.make_dirs(folder_.file("tls"), 0700).ok());
  ASSERT_TRUE(files_.write_file_atomic(path_, "what", 0600).ok());
  EXPECT_TRUE(load_encryption_keys(files_, random_, path_).is(Reason::kInvalid));
}

TEST_F(EncryptionTest, AKernelWithoutWireguardIsRefused) {
  if (netlink::Wireguard::open(clock_).ok()) GTEST_SKIP() << "the kernel has WireGuard";
  const auto prepared = prepare_encryption(files_, clock_, random_, path_);
  ASSERT_TRUE(prepared.is(Reason::kNotFound));
  EXPECT_NE(prepared.status().message().find("load the module wireguard"), std::string::npos);
}

}  // namespace
}  // namespace proa::cli
