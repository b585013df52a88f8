#include "crypto/certificate_request.h"

#include <gtest/gtest.h>

#include "testkit/crypto/test_request.h"

namespace proa::crypto {
namespace {

using Texts = std::vector<std::string>;

std::string failure_of(std::string_view pem) {
  const auto request = CertificateRequest::parse(pem);
  return request.ok() ? "" : request.status().message();
}

TEST(CertificateRequest, SaysWhomItIsFor) {
  const TestRequest wanted{.subject = {{"C", "DE"},
                                       {"O", "one"},
                                       {"CN", "first"},
                                       {"O", "two"},
                                       {"OU", "unit"},
                                       {"emailAddress", "a@b.example"},
                                       {"CN", "last"}}};
  const auto request = CertificateRequest::parse(wanted.pem());
  ASSERT_TRUE(request.ok()) << request.status().message();
  EXPECT_EQ(request->identity().common_name, "last");
  EXPECT_EQ(request->identity().organizations, (Texts{"one", "two"}));
  EXPECT_EQ(request->identity().organizational_units, Texts{"unit"});
  EXPECT_EQ(request->identity().countries, Texts{"DE"});
  EXPECT_TRUE(request->check_signature().ok());
}

TEST(CertificateRequest, SaysWhatForBesides) {
  const TestRequest wanted{
      .names =
          "DNS:a.example,DNS:b.example,IP:10.0.0.1,IP:fd00::1,email:a@b.example,URI:"
          "https://x.example/y,RID:1.2.3.4"};
  const auto request = CertificateRequest::parse(wanted.pem());
  ASSERT_TRUE(request.ok()) << request.status().message();
  const CertificateIdentity& names = request->identity();
  EXPECT_EQ(names.dns_names, (Texts{"a.example", "b.example"}));
  EXPECT_EQ(names.email_addresses, Texts{"a@b.example"});
  EXPECT_EQ(names.uris, Texts{"https://x.example/y"});
  EXPECT_EQ(names.ip_addresses, (Texts{"10.0.0.1", "fd00::1"}));
  EXPECT_TRUE(request->identity().common_name.empty());
}

TEST(CertificateRequest, RefusesWhatIsNone) {
  const TestRequest good{.subject = {{"CN", "joe"}}};
  const std::string no_block = "PEM block type must be CERTIFICATE REQUEST";
  EXPECT_EQ(failure_of(""), no_block);
  EXPECT_EQ(failure_of("this is not a CSR"), no_block);
  EXPECT_EQ(failure_of("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"), no_block);
  EXPECT_TRUE(failure_of(TestRequest::to_pem("")).starts_with("asn1: structure error: "));
  EXPECT_TRUE(failure_of(TestRequest::to_pem("\x30\x03\x02\x01\x05"))
                  .starts_with("asn1: structure error: "));
  EXPECT_EQ(failure_of(TestRequest::to_pem(good.der() + "x")), "asn1: syntax error: trailing data");
}

TEST(CertificateRequest, SurvivesEveryCutAndEveryBrokenByte) {
  const TestRequest good{.subject = {{"O", "system:nodes"}, {"CN", "system:node:a"}},
                         .names = "DNS:a.example,IP:10.0.0.1"};
  const std::string der = good.der();
  for (size_t i = 0; i < der.size(); ++i) {
    EXPECT_FALSE(CertificateRequest::parse(TestRequest::to_pem(der.substr(0, i))).ok()) << i;
    for (const char flip : {'\x01', '\x80', '\xff'}) {
      std::string broken = der;
      broken[i] = static_cast<char>(broken[i] ^ flip);
      const auto request = CertificateRequest::parse(TestRequest::to_pem(broken));
      // Whatever is read of it: nobody signed that.
      EXPECT_FALSE(request.ok() && request->check_signature().ok()) << i;
    }
  }
}

TEST(CertificateRequest, RefusesNamesWithZeroBytes) {
  using namespace std::string_literals;
  const TestRequest subject{.subject = {{"CN", "admin\0.example"s}}};
  EXPECT_NE(failure_of(subject.pem()).find("zero byte"), std::string::npos);
  std::string der = TestRequest{.names = "DNS:a-b.example"}.der();
  der.replace(der.find("a-b.example"), 11, "a\0b.example"s);
  EXPECT_EQ(failure_of(TestRequest::to_pem(der)), "x509: SAN dNSName is malformed");
  der.replace(der.find("a\0b.example"s), 11, "a\xff"s + "b.example");
  EXPECT_EQ(failure_of(TestRequest::to_pem(der)), "x509: SAN dNSName is malformed");
}

TEST(CertificateRequest, RefusesAddressesOfOddLengths) {
  std::string der = TestRequest{.names = "IP:fd00::1"}.der();
  // A name of sixteen bytes becomes one of fourteen and an empty one.
  const size_t at = der.find("\x87\x10\xfd");
  ASSERT_NE(at, std::string::npos);
  der[at + 1] = 14;
  der.replace(at + 16, 2, std::string("\x82\x00", 2));
  EXPECT_EQ(failure_of(TestRequest::to_pem(der)), "x509: cannot parse IP address of length 14");
}

TEST(CertificateRequest, RefusesTextThatIsNone) {
  std::string der = TestRequest{.subject = {{"O", "good!"}}}.der();
  der[der.find("good!") + 4] = '\xff';
  EXPECT_NE(failure_of(TestRequest::to_pem(der)), "");
}

TEST(CertificateRequest, KnowsGoodKeysAndSignatures) {
  const struct {
    const char* name;
    TestRequest request;
    const char* expected;
  } cases[] = {
      {"P-256", {.key = "P-256"}, ""},
      {"P-384", {.key = "P-384"}, ""},
      {"P-521", {.key = "P-521"}, ""},
      {"RSA", {.key = "RSA-2048"}, ""},
      {"Ed25519", {.key = "Ed25519"}, ""},
      {"SHA-1, as upstream", {.key = "P-256", .digest = "SHA1"}, ""},
      {"short RSA", {.key = "RSA-768"}, "x509: cannot verify signature: algorithm unimplemented"},
      {"a curve that nobody uses",
       {.key = "secp256k1"},
       "x509: cannot verify signature: algorithm unimplemented"},
      {"MD5",
       {.key = "RSA-2048", .digest = "MD5"},
       "x509: cannot verify signature: insecure algorithm RSA-MD5"},
      {"somebody else's key",
       {.key = "P-256", .other_signature = true},
       "x509: ECDSA verification failure"},
      {"somebody else's RSA key",
       {.key = "RSA-2048", .other_signature = true},
       "crypto/rsa: verification error"},
      {"somebody else's Ed25519 key",
       {.key = "Ed25519", .other_signature = true},
       "x509: Ed25519 verification failure"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto request = CertificateRequest::parse(c.request.pem());
    ASSERT_TRUE(request.ok()) << request.status().message();
    const auto checked = request->check_signature();
    EXPECT_EQ(checked.ok() ? "" : checked.status().message(), c.expected);
  }
}

TEST(MakeCertificateRequest, CarriesTheIdentity) {
  const PrivateKey key = PrivateKey::generate();
  const CertificateIdentity identity{.common_name = "system:node:n1",
                                     .organizations = {"system:nodes"},
                                     .dns_names = {"n1", "n1.example.com"},
                                     .ip_addresses = {"10.0.0.5", "fd00::5"}};
  const auto request = CertificateRequest::parse(make_certificate_request(key, identity).value());
  ASSERT_TRUE(request.ok()) << request.status().message();
  EXPECT_TRUE(request->check_signature().ok());
  EXPECT_EQ(request->identity(), identity);
  EXPECT_EQ(request->public_key()->der(), key.public_key().der());
}

TEST(MakeCertificateRequest, RefusesNamesThatAreNone) {
  const PrivateKey key = PrivateKey::generate();
  for (const char* name : {"", "a,DNS:b", "a\nb", "\xff"}) {
    EXPECT_FALSE(make_certificate_request(key, {.dns_names = {name}}).ok()) << name;
  }
  EXPECT_FALSE(make_certificate_request(key, {.ip_addresses = {"not an address"}}).ok());
}

}  // namespace
}  // namespace proa::crypto
