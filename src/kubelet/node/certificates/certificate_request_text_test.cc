#include "kubelet/node/certificates/certificate_request_text.h"

#include <gtest/gtest.h>

#include "client/certificates/signer_rules.h"
#include "kubelet/node/certificates/signing.h"

namespace proa::kubelet {

TEST(CertificateRequestText, IsWhatTheSignersTake) {
  const std::string key = make_private_key().value();
  const SigningWish wishes[] = {
      SigningWish::for_client("n1"),
      SigningWish::for_server("n1", {"n1", "n1.example.com"}, {"10.0.0.5", "fd00::5"})};
  for (const SigningWish& wish : wishes) {
    SCOPED_TRACE(wish.signer);
    const std::string pem = make_certificate_request(key, wish.identity).value();
    const client::CertificateRequest request = client::CertificateRequest::parse(pem).value();
    EXPECT_TRUE(request.check_signature().ok());
    EXPECT_EQ(request.subject().common_name, "system:node:n1");
    EXPECT_EQ(request.names().dns_names, wish.identity.dns_names);
    EXPECT_EQ(request.names().ip_addresses.size(), wish.identity.ip_addresses.size());
    const std::vector<std::string_view> usages(wish.usages.begin(), wish.usages.end());
    EXPECT_TRUE(client::check_for_signer(wish.signer, request, usages).ok());
  }
}

TEST(CertificateRequestText, RefusesNamesThatAreSeveral) {
  const std::string key = make_private_key().value();
  for (const char* name : {"", "a,DNS:b", "a\nb"}) {
    CertificateIdentity identity = CertificateIdentity::of_node("n1");
    identity.dns_names = {name};
    EXPECT_FALSE(make_certificate_request(key, identity).ok()) << name;
  }
  CertificateIdentity identity = CertificateIdentity::of_node("n1");
  identity.ip_addresses = {"no address"};
  EXPECT_FALSE(make_certificate_request(key, identity).ok());
  EXPECT_FALSE(make_certificate_request("no key", CertificateIdentity::of_node("n1")).ok());
}

TEST(ReadCertificate, TellsWhomItSpeaksFor) {
  http::CertificateTemplate wanted;
  wanted.common_name = "ca";
  wanted.not_before = Time(std::chrono::seconds(1000));
  wanted.not_after = Time(std::chrono::seconds(5000));
  const http::CertifiedKey authority = http::make_authority(wanted).value();
  wanted.common_name = "system:node:n1";
  wanted.organizations = {"system:nodes"};
  wanted.dns_names = {"n1"};
  wanted.ip_addresses = {"10.0.0.5"};
  wanted.for_server = true;
  const http::CertifiedKey pair = http::issue_certificate(authority, wanted).value();
  const CertificateFacts facts = read_certificate(pair.certificate_pem).value();
  EXPECT_EQ(facts.common_name, "system:node:n1");
  EXPECT_EQ(facts.issuer_name, "ca");
  EXPECT_EQ(facts.organizations, std::vector<std::string>{"system:nodes"});
  EXPECT_EQ(facts.not_before, wanted.not_before);
  EXPECT_EQ(facts.not_after, wanted.not_after);
  EXPECT_TRUE(
      speaks_for(pair.certificate_pem, {.dns_names = {"n1"}, .ip_addresses = {"10.0.0.5"}}));
  EXPECT_FALSE(speaks_for(pair.certificate_pem, {.dns_names = {"n2"}}));
  EXPECT_FALSE(speaks_for(pair.certificate_pem, {.ip_addresses = {"10.0.0.6"}}));
  EXPECT_FALSE(read_certificate("nothing").ok());
}

}  // namespace proa::kubelet
