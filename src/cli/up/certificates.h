#pragma once

#include <span>
#include <string>

#include "base/clock.h"
#include "base/files.h"
#include "base/result.h"

namespace proa::cli {

// Where they lie, as PEM files.
struct ServingCertificate {
  std::string certificate;  // the server's own, then the authority that signed it
  std::string private_key;
  std::string authority;  // what clients are given to trust
  bool created = false;   // now, not by an earlier start
};

// The server's certificate in `directory` (authority.crt, authority.key, server.crt, server.key),
// made and signed by an authority of our own where it is missing, does not name all of `names` (DNS
// names and IP addresses), or ends within thirty days. The authority, once made, is kept: clients
// trust it.
Result<ServingCertificate> ensure_serving_certificate(Files& files, const Clock& clock,
                                                      const std::string& directory,
                                                      std::span<const std::string> names);

}  // namespace proa::cli
