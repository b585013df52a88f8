#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/net/certificate.h"

namespace proa::kubelet {

// Whom a certificate shall speak for.
struct CertificateIdentity {
  std::string common_name = {};
  std::vector<std::string> organizations = {};
  std::vector<std::string> dns_names = {};
  std::vector<std::string> ip_addresses = {};

  // How a node is known: "system:node:NAME", one of "system:nodes".
  static CertificateIdentity of_node(const std::string& node_name);
};

// A new key, ECDSA P-256, as PEM.
Result<std::string> make_private_key();
// A PKCS#10 request that this key signed, as PEM. kInvalid for names that no certificate can have.
Result<std::string> make_certificate_request(const std::string& private_key_pem,
                                             const CertificateIdentity& identity);

// What a certificate says about itself.
struct CertificateFacts {
  Time not_before = {};
  Time not_after = {};
  std::string common_name = {};
  std::string issuer_name = {};
  std::vector<std::string> organizations = {};
};
// Of the first certificate in the text. kInvalid when there is none.
Result<CertificateFacts> read_certificate(std::string_view pem);
// Whether it speaks for all that the identity names.
bool speaks_for(std::string_view pem, const CertificateIdentity& identity);

}  // namespace proa::kubelet
