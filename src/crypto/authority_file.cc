#include "crypto/authority_file.h"

#include "crypto/certificate.h"

namespace proa::crypto {
namespace authority_file {

// Bundles of all public authorities take a quarter of a megabyte.
constexpr size_t kMaxBytes = 4 * 1024 * 1024;

}  // namespace authority_file

Result<std::string> read_authority_file(Files& files, const std::string& path) {
  Result<std::string> text = files.read_file(path, authority_file::kMaxBytes);
  if (text && Certificate::parse_all(*text).empty()) {
    return Status(Reason::kInvalid, path +
                                        " contains no certificate; it must have the CA's "
                                        "certificates in PEM format (-----BEGIN CERTIFICATE-----)");
  }
  return text;
}

}  // namespace proa::crypto
