#include "http/net/certificate.h"

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>

#include "base/clock.h"

namespace proa::http {
namespace certificate_test {

struct Free {
  void operator()(X509* certificate) const { X509_free(certificate); }
};
using Certificate = std::unique_ptr<X509, Free>;

Certificate parse(const std::string& pem) {
  BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  Certificate certificate(PEM_read_bio_X509(bio, nullptr, nullptr, nullptr));
  BIO_free(bio);
  return certificate;
}

CertificateTemplate valid(const std::string& name) {
  CertificateTemplate wanted;
  wanted.common_name = name;
  wanted.not_before = SystemClock().now() - std::chrono::hours(1);
  wanted.not_after = SystemClock().now() + std::chrono::hours(1);
  return wanted;
}

std::string subject(X509* certificate, int field) {
  std::string all;
  X509_NAME* name = X509_get_subject_name(certificate);
  for (int i = X509_NAME_get_index_by_NID(name, field, -1); i >= 0;
       i = X509_NAME_get_index_by_NID(name, field, i)) {
    const ASN1_STRING* value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, i));
    all += std::string(reinterpret_cast<const char*>(ASN1_STRING_get0_data(value)),
                       static_cast<size_t>(ASN1_STRING_length(value))) +
           ";";
  }
  return all;
}

TEST(Certificate, SaysWhatWasAskedFor) {
  const auto authority = make_authority(valid("authority"));
  ASSERT_TRUE(authority.ok());
  auto wanted = valid("system:node:a");
  wanted.organizations = {"system:nodes", "other"};
  wanted.dns_names = {"a.example", "localhost"};
  wanted.ip_addresses = {"10.0.0.1", "::1"};
  wanted.for_server = wanted.for_client = true;
  const auto issued = issue_certificate(*authority, wanted);
  ASSERT_TRUE(issued.ok());
  const auto parent = parse(authority->certificate_pem);
  const auto child = parse(issued->certificate_pem);
  ASSERT_TRUE(parent && child);
  EXPECT_EQ(X509_verify(child.get(), X509_get0_pubkey(parent.get())), 1);
  EXPECT_EQ(X509_check_issued(parent.get(), child.get()), X509_V_OK);
  EXPECT_EQ(subject(child.get(), NID_commonName), "system:node:a;");
  EXPECT_EQ(subject(child.get(), NID_organizationName), "system:nodes;other;");
  EXPECT_EQ(X509_check_host(child.get(), "a.example", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_host(child.get(), "b.example", 0, 0, nullptr), 0);
  EXPECT_EQ(X509_check_ip_asc(child.get(), "10.0.0.1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(child.get(), "::1", 0), 1);
  EXPECT_EQ(X509_check_ca(parent.get()), 1);
  EXPECT_EQ(X509_check_ca(child.get()), 0);
  EXPECT_EQ(X509_get_extended_key_usage(child.get()),
            static_cast<uint32_t>(XKU_SSL_SERVER | XKU_SSL_CLIENT));
}

TEST(Certificate, HasASerialNumberOfItsOwn) {
  const auto authority = make_authority(valid("authority"));
  const auto first = parse(issue_certificate(*authority, valid("a"))->certificate_pem);
  const auto second = parse(issue_certificate(*authority, valid("a"))->certificate_pem);
  EXPECT_NE(
      ASN1_INTEGER_cmp(X509_get0_serialNumber(first.get()), X509_get0_serialNumber(second.get())),
      0);
}

TEST(Certificate, RefusesNamesThatWouldSayMore) {
  const auto authority = make_authority(valid("authority"));
  for (const auto* name : {"", "a,DNS:evil.example", "a\nb", "a=b"}) {
    auto wanted = valid("a");
    wanted.dns_names = {name};
    EXPECT_FALSE(issue_certificate(*authority, wanted).ok()) << name;
  }
  auto wanted = valid("a");
  wanted.ip_addresses = {"300.1.1.1"};
  EXPECT_FALSE(issue_certificate(*authority, wanted).ok());
  EXPECT_FALSE(issue_certificate({"not a certificate", "not a key"}, valid("a")).ok());
}

}  // namespace certificate_test
}  // namespace proa::http
