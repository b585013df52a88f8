#pragma once

#include <string>
#include <utility>
#include <vector>

#include "crypto/certificate.h"

namespace proa::crypto {

// A certificate with any attributes in its subject, by their names or object ids, in this order:
// {"CN", "alice"}, {"1.3.6.1.4.1.57683.2", "uid"}. Valid for an hour from `now`.
Certificate make_test_certificate(const CertifiedKey& authority,
                                  const std::vector<std::pair<std::string, std::string>>& subject,
                                  Time now);

// "O=a+O=b,CN=c"
std::string subject_text(const Certificate& certificate);
// What `openssl x509 -text` prints of an extension, after "critical " if it is: "subjectAltName".
// Empty if there is none.
std::string extension_text(const Certificate& certificate, const char* name);
std::string serial_number(const Certificate& certificate);  // hexadecimal

}  // namespace proa::crypto
