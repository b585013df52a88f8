#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace proa::http {

// A certificate and its private key, as PEM text.
struct CertifiedKey {
  std::string certificate_pem;
  std::string private_key_pem;
};

// What a certificate is to say.
struct CertificateTemplate {
  std::string common_name;
  std::vector<std::string> organizations;
  std::vector<std::string> dns_names;
  std::vector<std::string> ip_addresses;
  bool for_server = false;
  bool for_client = false;
  Time not_before;
  Time not_after;
};

// A certificate authority of our own: ECDSA P-256, signs itself. REQUIRES: template names no uses.
Result<CertifiedKey> make_authority(const CertificateTemplate& wanted);
// A new key with a certificate that `authority` signed.
Result<CertifiedKey> issue_certificate(const CertifiedKey& authority,
                                       const CertificateTemplate& wanted);

bool is_ip_address(const std::string& name);
// Whether both can be read and belong together.
Result<void> check_pair(const CertifiedKey& pair);
// Whether `authority` signed it, it names all of `names`, and it does not end before `until`.
Result<bool> is_good_for(const CertifiedKey& pair, const CertifiedKey& authority,
                         std::span<const std::string> names, Time until);

}  // namespace proa::http
