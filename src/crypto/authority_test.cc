#include "crypto/authority.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "testkit/crypto/test_certificate.h"
#include "testkit/crypto/test_key.h"

namespace proa::crypto {
namespace authority_test {

CertificateTemplate valid(const std::string& name) {
  CertificateTemplate wanted;
  wanted.common_name = name;
  wanted.not_before = Time(std::chrono::seconds(1000));
  wanted.not_after = Time(std::chrono::seconds(5000));
  return wanted;
}

TEST(IssueCertificate, SaysWhatWasAskedFor) {
  const CertifiedKey authority = make_authority(valid("authority")).value();
  CertificateTemplate wanted = valid("system:node:a");
  wanted.organizations = {"other", "system:nodes"};
  wanted.dns_names = {"a.example", "localhost"};
  wanted.ip_addresses = {"10.0.0.1", "::1"};
  wanted.for_server = wanted.for_client = true;
  const auto issued = issue_certificate(authority, wanted);
  ASSERT_TRUE(issued.ok());
  const Certificate parent = Certificate::parse(authority.certificate_pem).value();
  const Certificate child = KeyPair::parse(*issued).value().certificate;
  EXPECT_TRUE(child.is_signed_by(parent.public_key().value()));
  EXPECT_FALSE(child.is_signed_by(child.public_key().value()));
  EXPECT_EQ(child.identity().value(), static_cast<const CertificateIdentity&>(wanted));
  EXPECT_EQ(child.issuer_name(), "authority");
  EXPECT_EQ(child.not_before(), wanted.not_before);
  EXPECT_EQ(child.not_after(), wanted.not_after);
  EXPECT_TRUE(parent.is_authority());
  EXPECT_FALSE(child.is_authority());
  EXPECT_EQ(extension_text(child, "extendedKeyUsage"),
            "TLS Web Server Authentication, TLS Web Client Authentication");
  EXPECT_EQ(extension_text(child, "keyUsage"), "critical Digital Signature, Key Encipherment");
}

TEST(IssueCertificate, GivesEachItsOwnSerialNumber) {
  const CertifiedKey authority = make_authority(valid("authority")).value();
  const auto serial = [&] {
    const CertifiedKey made = issue_certificate(authority, valid("a")).value();
    return serial_number(Certificate::parse(made.certificate_pem).value());
  };
  EXPECT_NE(serial(), serial());
}

TEST(IssueCertificate, RefusesNamesThatWouldSayMore) {
  const CertifiedKey authority = make_authority(valid("authority")).value();
  for (const auto* name : {"", "a,DNS:evil.example", "a\nb", "a=b"}) {
    CertificateTemplate wanted = valid("a");
    wanted.dns_names = {name};
    EXPECT_FALSE(issue_certificate(authority, wanted).ok()) << name;
  }
  CertificateTemplate wanted = valid("a");
  wanted.ip_addresses = {"300.1.1.1"};
  EXPECT_FALSE(issue_certificate(authority, wanted).ok());
  EXPECT_FALSE(issue_certificate({"not a certificate", "not a key"}, valid("a")).ok());
}

TEST(Authority, NeedsTheKeyOfItsCertificate) {
  const CertifiedKey authority = make_authority(valid("authority")).value();
  EXPECT_TRUE(Authority::parse(authority).ok());
  EXPECT_TRUE(Authority::parse({authority.certificate_pem, PrivateKey::generate().pem()})
                  .is(Reason::kInvalid));
  EXPECT_TRUE(Authority::parse({authority.certificate_pem, "garbage"}).is(Reason::kInvalid));
}

}  // namespace authority_test
}  // namespace proa::crypto
