#include "crypto/certificate.h"

#include <gtest/gtest.h>

#include "crypto/authority.h"
#include "crypto/client_verifier.h"
#include "testkit/crypto/test_certificate.h"

namespace proa::crypto {
namespace certificate_test {

const Time kBegin(std::chrono::seconds(1000));
const Time kNow(std::chrono::seconds(2000));
const Time kEnd(std::chrono::seconds(9000));

CertificateTemplate named(const std::string& name) {
  CertificateTemplate wanted;
  wanted.common_name = name;
  wanted.not_before = kBegin;
  wanted.not_after = kEnd;
  return wanted;
}

CertifiedKey client_of(const CertifiedKey& authority, const std::string& name) {
  CertificateTemplate wanted = named(name);
  wanted.for_client = true;
  return issue_certificate(authority, wanted).value();
}

TEST(Certificate, IsReadFromPemAndDer) {
  const CertifiedKey authority = make_authority(named("authority")).value();
  const Certificate read = Certificate::parse("text before\n" + authority.certificate_pem).value();
  EXPECT_EQ(read.pem(), authority.certificate_pem);
  EXPECT_EQ(Certificate::parse_der(read.der())->pem(), authority.certificate_pem);
  EXPECT_EQ(Certificate::parse_all(authority.certificate_pem + authority.certificate_pem).size(),
            2U);
  for (const char* text : {"", "nothing", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END"}) {
    EXPECT_TRUE(Certificate::parse(text).is(Reason::kInvalid)) << text;
    EXPECT_TRUE(Certificate::parse_der(text).is(Reason::kInvalid)) << text;
    EXPECT_TRUE(Certificate::parse_all(text).empty()) << text;
  }
}

TEST(Certificate, CoversItsNamesAndNoOthers) {
  const CertifiedKey authority = make_authority(named("authority")).value();
  CertificateTemplate wanted = named("n1");
  wanted.dns_names = {"n1", "*.n1.example"};
  wanted.ip_addresses = {"10.0.0.5", "fd00::5"};
  const Certificate made =
      Certificate::parse(issue_certificate(authority, wanted)->certificate_pem).value();
  for (const char* name : {"n1", "N1", "*.n1.example", "10.0.0.5", "fd00::5", "fd00:0::5"}) {
    EXPECT_TRUE(made.covers(name)) << name;
  }
  for (const char* name : {"n2", "a.n1.example", "10.0.0.6", "fd00::6", ""}) {
    EXPECT_FALSE(made.covers(name)) << name;
  }
}

TEST(Certificate, HasAttributesByObjectId) {
  const CertifiedKey authority = make_authority(named("authority")).value();
  const Certificate made = make_test_certificate(
      authority, {{"CN", "a"}, {"1.3.6.1.4.1.57683.2", "x"}, {"1.3.6.1.4.1.57683.2", "y"}}, kNow);
  EXPECT_EQ(made.subject_values("1.3.6.1.4.1.57683.2"), (std::vector<std::string>{"x", "y"}));
  EXPECT_TRUE(made.subject_values("1.2.3").empty());
}

TEST(ClientVerifier, WantsAnAuthorityThatItTrusts) {
  const CertifiedKey authority = make_authority(named("authority")).value();
  const CertifiedKey stranger = make_authority(named("authority")).value();
  const auto verifier = ClientVerifier::trust(authority.certificate_pem).value();
  const auto chain = [](const CertifiedKey& pair) {
    return std::vector<std::string>{Certificate::parse(pair.certificate_pem)->der()};
  };
  const auto good = chain(client_of(authority, "joe"));
  EXPECT_EQ(verifier->verify(good, kNow)->identity()->common_name, "joe");
  EXPECT_TRUE(verifier->verify(good, kBegin - std::chrono::seconds(1)).is(Reason::kUnauthorized));
  EXPECT_TRUE(verifier->verify(good, kEnd + std::chrono::seconds(1)).is(Reason::kUnauthorized));
  EXPECT_TRUE(verifier->verify(chain(client_of(stranger, "joe")), kNow).is(Reason::kUnauthorized));
  CertificateTemplate server = named("joe");
  server.for_server = true;
  const auto not_for_clients = chain(issue_certificate(authority, server).value());
  EXPECT_TRUE(verifier->verify(not_for_clients, kNow).is(Reason::kUnauthorized));
  const std::vector<std::string> garbage = {"garbage"};
  EXPECT_TRUE(verifier->verify(garbage, kNow).is(Reason::kUnauthorized));
  EXPECT_TRUE(ClientVerifier::trust("no certificate").is(Reason::kInvalid));
}

}  // namespace certificate_test
}  // namespace proa::crypto
