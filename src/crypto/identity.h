#pragma once

#include <string>
#include <vector>

namespace proa::crypto {

// The identity in a certificate: the subject's attributes and the alternative names. Other
// attributes and kinds of names are left out.
struct CertificateIdentity {
  std::string common_name = {};    // the last one, if there are several
  std::string serial_number = {};  // likewise
  std::vector<std::string> countries = {};
  std::vector<std::string> organizations = {};
  std::vector<std::string> organizational_units = {};
  std::vector<std::string> localities = {};
  std::vector<std::string> provinces = {};
  std::vector<std::string> street_addresses = {};
  std::vector<std::string> postal_codes = {};

  std::vector<std::string> dns_names = {};
  std::vector<std::string> email_addresses = {};
  std::vector<std::string> uris = {};
  std::vector<std::string> ip_addresses = {};  // as text: "10.0.0.1", "fd00::1"

  bool operator==(const CertificateIdentity&) const = default;
};

bool is_ip_address(const std::string& name);

}  // namespace proa::crypto
