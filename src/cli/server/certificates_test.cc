#include "cli/server/certificates.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "http/net/tls.h"
#include "testkit/fake_clock.h"

namespace proa::cli {
namespace {

class CertificatesTest : public testing::Test {
 protected:
  CertificatesTest() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "proa_certificates_XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
  }
  ~CertificatesTest() override { std::filesystem::remove_all(directory_); }

  Result<Certificates> ensure(const std::vector<std::string>& names = {"localhost", "127.0.0.1"}) {
    return ensure_certificates(files_, clock_, directory_, names);
  }

  std::string read(const std::string& path) { return files_.read_file(path, 1 << 20).value(); }

  SystemFiles files_;
  testkit::FakeClock clock_;
  std::string directory_;
};

TEST_F(CertificatesTest, MakesACertificateThatTlsAccepts) {
  const auto made = ensure();
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_TRUE(made->created);
  http::TlsOptions options;
  options.certificate_pem = read(made->server_certificate);
  options.private_key_pem = read(made->server_key);
  const auto context = http::TlsContext::server(options);
  EXPECT_TRUE(context.ok()) << context.status().message();
}

TEST_F(CertificatesTest, KeysAreForTheOwnerOnly) {
  ASSERT_TRUE(ensure().ok());
  for (const char* name : {"/authority.key", "/server.key"}) {
    const auto permissions = std::filesystem::status(directory_ + name).permissions();
    EXPECT_EQ(permissions, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write)
        << name;
  }
}

TEST_F(CertificatesTest, TheNextStartUsesTheSameOnes) {
  const auto first = ensure();
  ASSERT_TRUE(first.ok()) << first.status().message();
  const std::string before = read(first->server_certificate);
  const auto second = ensure();
  ASSERT_TRUE(second.ok()) << second.status().message();
  EXPECT_FALSE(second->created);
  EXPECT_EQ(before, read(second->server_certificate));
}

TEST_F(CertificatesTest, ANewNameMakesANewCertificateUnderTheSameAuthority) {
  const auto first = ensure();
  ASSERT_TRUE(first.ok()) << first.status().message();
  const std::string authority = read(first->authority);
  const auto second = ensure({"localhost", "127.0.0.1", "box.example", "::1"});
  ASSERT_TRUE(second.ok()) << second.status().message();
  EXPECT_TRUE(second->created);
  EXPECT_EQ(read(second->authority), authority);
  EXPECT_TRUE(read(second->server_certificate).ends_with(authority));
}

TEST_F(CertificatesTest, IsRenewedInItsLastMonth) {
  ASSERT_TRUE(ensure().ok());
  clock_.advance(std::chrono::hours(24 * 334));
  EXPECT_FALSE(ensure()->created);
  clock_.advance(std::chrono::hours(24 * 2));
  EXPECT_TRUE(ensure()->created);
}

TEST_F(CertificatesTest, RefusesWhatItCantUseInsteadOfReplacingIt) {
  ASSERT_TRUE(ensure().ok());
  ASSERT_TRUE(files_.write_file_atomic(directory_ + "/authority.key", "garbage", 0600).ok());
  EXPECT_NE(ensure().status().message().find("remove both to have them made anew"),
            std::string::npos);
  ASSERT_TRUE(files_.remove(directory_ + "/authority.key").ok());
  EXPECT_NE(ensure().status().message().find("only one of"), std::string::npos);
}

}  // namespace
}  // namespace proa::cli
