#include "http/server/certificate_files.h"

#include <gtest/gtest.h>

#include <thread>

#include "crypto/certificate.h"
#include "testkit/http/test_server.h"
#include "testkit/process.h"

namespace proa::http {
namespace {

class CertificateFilesTest : public testing::Test {
 protected:
  CertificateFilesTest() { write(testkit::test_server_key()); }

  void write(const crypto::CertifiedKey& key) {
    ASSERT_TRUE(files_.write_file_atomic(paths().private_key, key.private_key_pem, 0600).ok());
    ASSERT_TRUE(files_.write_file_atomic(paths().certificate, key.certificate_pem, 0600).ok());
  }
  CertificateFiles::Paths paths() const {
    return {directory_.file("tls.crt"), directory_.file("tls.key")};
  }

  // Until the context is another one; the test's time limit is the patience.
  static void wait_for_change(const CertificateFiles& files,
                              const std::shared_ptr<const TlsContext>& from) {
    while (files.source().get() == from) std::this_thread::yield();
  }

  SystemFiles files_;
  Loop loop_;
  testkit::TempDir directory_;
};

TEST_F(CertificateFilesTest, NewFilesBecomeANewContext) {
  auto opened = CertificateFiles::open(loop_, files_, paths(), {});
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const auto before = (*opened)->source().get();
  ASSERT_NE(before, nullptr);
  write(testkit::test_client_key());
  wait_for_change(**opened, before);
}

TEST_F(CertificateFilesTest, BrokenFilesLeaveTheOldCertificateInForce) {
  auto opened = CertificateFiles::open(loop_, files_, paths(), {});
  ASSERT_TRUE(opened.ok());
  const auto before = (*opened)->source().get();
  ASSERT_TRUE(files_.write_file_atomic(paths().certificate, "garbage", 0600).ok());
  // A good pair written behind it is taken, so the broken one did no harm.
  write(testkit::test_client_key());
  wait_for_change(**opened, before);
  EXPECT_NE((*opened)->source().get(), nullptr);
}

TEST_F(CertificateFilesTest, MissingOrMismatchedFilesAreRefusedAtTheStart) {
  ASSERT_TRUE(
      files_
          .write_file_atomic(paths().private_key, testkit::test_client_key().private_key_pem, 0600)
          .ok());
  auto opened = CertificateFiles::open(loop_, files_, paths(), {});
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.status().message().find("private key"), std::string::npos)
      << opened.status().message();

  ASSERT_TRUE(files_.remove(paths().certificate).ok());
  EXPECT_TRUE(CertificateFiles::open(loop_, files_, paths(), {}).is(Reason::kNotFound));
}

}  // namespace
}  // namespace proa::http
