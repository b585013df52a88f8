#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace proa::crypto {

// A certificate request, good or bad.
struct TestRequest {
  // In this order; a kind may occur several times: {"O", "system:nodes"}, {"CN", "joe"}.
  std::vector<std::pair<std::string, std::string>> subject;
  std::string names;  // as OpenSSL writes them: "DNS:a.example,IP:10.0.0.1"; empty: none
  std::string key = "P-256";
  const char* digest = "SHA256";
  bool other_signature = false;  // by a key that is not the one in the request

  std::string der() const;
  static std::string to_pem(std::string_view der);
  std::string pem() const { return to_pem(der()); }
};

// The same request with another public key, whose owner signed it. Empty if it cannot be parsed.
std::string with_good_signature(std::string_view pem);

}  // namespace proa::crypto
