#include "crypto/authority_file.h"

#include <gtest/gtest.h>

#include "crypto/authority.h"
#include "testkit/memory_files.h"

namespace proa::crypto {
namespace authority_file_test {

CertifiedKey authority() {
  CertificateTemplate wanted;
  wanted.common_name = "authority";
  wanted.not_after = Time(std::chrono::hours(1));
  return make_authority(wanted).value();
}

TEST(AuthorityFile, IsReadAsItIs) {
  testkit::MemoryFiles files;
  files.content["/ca.crt"] = "# ours\n" + authority().certificate_pem + authority().certificate_pem;
  const auto read = read_authority_file(files, "/ca.crt");
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(*read, files.content["/ca.crt"]);
}

TEST(AuthorityFile, HasACertificate) {
  testkit::MemoryFiles files;
  for (const std::string& text :
       {std::string(), std::string("\n"), std::string("none"), authority().private_key_pem}) {
    files.content["/ca.crt"] = text;
    const auto read = read_authority_file(files, "/ca.crt");
    ASSERT_TRUE(read.is(Reason::kInvalid)) << text;
    EXPECT_EQ(read.status().message(),
              "/ca.crt contains no certificate; it must have the CA's certificates in PEM format "
              "(-----BEGIN CERTIFICATE-----)");
  }
  EXPECT_TRUE(read_authority_file(files, "/none").is(Reason::kNotFound));
}

}  // namespace authority_file_test
}  // namespace proa::crypto
