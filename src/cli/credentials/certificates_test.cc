#include "cli/credentials/certificates.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/encoding.h"
#include "crypto/certificate.h"
#include "crypto/client_verifier.h"
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

  // Of the first certificate in a file.
  static std::string to_der(const std::string& pem) {
    const std::string begin = "-----BEGIN CERTIFICATE-----";
    std::string digits = pem.substr(begin.size(), pem.find("-----END") - begin.size());
    std::erase(digits, '\n');
    return from_base64(digits).value();
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
  for (const char* name : {"/authority.key", "/server.key", "/apiserver-kubelet-client.key",
                           "/front-proxy-ca.key", "/front-proxy-client.key"}) {
    const auto permissions = std::filesystem::status(directory_ + name).permissions();
    EXPECT_EQ(permissions, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write)
        << name;
  }
}

// Its holder may act as any user towards aggregated servers: no other certificate may pass for it.
TEST_F(CertificatesTest, TheFrontProxyHasItsOwnAuthority) {
  const auto made = ensure();
  ASSERT_TRUE(made.ok()) << made.status().message();
  const auto client = crypto::Certificate::parse(made->front_proxy_client_certificate_pem).value();
  const auto key_of = [](const std::string& pem) {
    return crypto::Certificate::parse(pem).value().public_key().value();
  };
  EXPECT_TRUE(client.is_signed_by(key_of(made->front_proxy_authority_pem)));
  EXPECT_FALSE(client.is_signed_by(key_of(made->authority_pem)));
  EXPECT_TRUE(made->front_proxy_client_created);
  const auto again = ensure();
  ASSERT_TRUE(again.ok());
  EXPECT_FALSE(again->front_proxy_client_created);
  EXPECT_EQ(again->front_proxy_authority_pem, made->front_proxy_authority_pem);
  // Nobody but the ConfigMap says who it is, so a damaged one is replaced.
  ASSERT_TRUE(files_.write_file_atomic(directory_ + "/front-proxy-ca.crt", "damaged", 0644).ok());
  const auto repaired = ensure();
  ASSERT_TRUE(repaired.ok()) << repaired.status().message();
  EXPECT_TRUE(repaired->front_proxy_client_created);
  EXPECT_NE(repaired->front_proxy_authority_pem, made->front_proxy_authority_pem);
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

TEST_F(CertificatesTest, WhatWasMadeByAWrongClockIsMadeAgain) {
  const Time today = clock_.now();
  for (const Time wrong : {Time(std::chrono::seconds(5)), today + std::chrono::hours(24 * 4000)}) {
    clock_.set_calendar(wrong);
    ASSERT_TRUE(ensure()->created);
    EXPECT_FALSE(ensure()->created);
    clock_.set_calendar(today);
    const auto made = ensure();
    ASSERT_TRUE(made.ok()) << made.status().message();
    EXPECT_TRUE(made->created);
    EXPECT_TRUE(made->admin_created);
    EXPECT_FALSE(ensure()->created);
  }
}

TEST_F(CertificatesTest, TheAuthorityIsGoodWhateverTheClockSays) {
  const auto load = [&](const std::string& name) {
    return crypto::CertifiedKey{read(directory_ + name + ".crt"), read(directory_ + name + ".key")};
  };
  for (const int64_t days : {0, 4000, 20000, 60000}) {
    clock_.set_calendar(Time(std::chrono::hours(24 * days) + std::chrono::seconds(5)));
    ASSERT_TRUE(ensure().ok());
    // As a client of that day sees it.
    const auto trusted = crypto::ClientVerifier::trust(read(directory_ + "/authority.crt"));
    ASSERT_TRUE(trusted.ok());
    const std::vector<std::string> shown = {to_der(load("/admin").certificate_pem)};
    const auto verified = (*trusted)->verify(shown, clock_.now());
    ASSERT_TRUE(verified.ok()) << days << ": " << verified.status().message();
    EXPECT_EQ(verified->identity()->common_name, "kubernetes-admin");
  }
}

TEST_F(CertificatesTest, KubeletsAreCalledWithACertificateOfItsOwn) {
  const auto made = ensure();
  ASSERT_TRUE(made.ok()) << made.status().message();
  const auto trusted = crypto::ClientVerifier::trust(made->authority_pem);
  ASSERT_TRUE(trusted.ok());
  const std::vector<std::string> shown = {to_der(made->kubelet_client_certificate_pem)};
  const auto verified = (*trusted)->verify(shown, clock_.now());
  ASSERT_TRUE(verified.ok()) << verified.status().message();
  EXPECT_EQ(verified->identity()->common_name, "kube-apiserver-kubelet-client");
  EXPECT_EQ(verified->identity()->organizations, std::vector<std::string>{"proa:kubelet-clients"});
  EXPECT_EQ(read(directory_ + "/apiserver-kubelet-client.key"), made->kubelet_client_key_pem);
}

TEST_F(CertificatesTest, HalfARenewalIsDoneAgain) {
  ASSERT_TRUE(ensure().ok());
  const std::string old_key = read(directory_ + "/server.key");
  clock_.advance(std::chrono::hours(24 * 340));
  ASSERT_TRUE(ensure()->created);
  // The power went between the two files.
  ASSERT_TRUE(files_.write_file_atomic(directory_ + "/server.key", old_key, 0600).ok());
  const auto made = ensure();
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_TRUE(made->created);
  EXPECT_FALSE(ensure()->created);
}

TEST_F(CertificatesTest, RefusesWhatItCantUseInsteadOfReplacingIt) {
  ASSERT_TRUE(ensure().ok());
  ASSERT_TRUE(files_.write_file_atomic(directory_ + "/authority.key", "garbage", 0600).ok());
  EXPECT_NE(ensure().status().message().find("restore it from a backup"), std::string::npos);
  ASSERT_TRUE(files_.remove(directory_ + "/authority.key").ok());
  EXPECT_NE(ensure().status().message().find("only one of"), std::string::npos);
}

}  // namespace
}  // namespace proa::cli
