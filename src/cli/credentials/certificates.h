#pragma once

#include <span>
#include <string>

#include "base/clock.h"
#include "base/files.h"
#include "base/result.h"

namespace proa::cli {

// Where they lie, as PEM files, and what was made now.
struct Certificates {
  std::string server_certificate;  // the server's own, then the authority that signed it
  std::string server_key;
  std::string authority;      // what clients are given to trust
  std::string authority_pem;  // the same as text: whose clients are let in
  std::string admin_certificate_pem;
  std::string admin_key_pem;
  bool created = false;        // the server's: now, not by an earlier start
  bool admin_created = false;  // the administrator's
};

// The certificates of a server in `directory` (authority, server, admin: each .crt and .key), made
// and signed by an authority of our own where they are missing or broken, end within thirty days or
// have not begun yet, or where the server's does not name all of `names` (DNS names and IP
// addresses). The authority, once made, is kept: clients trust it. The administrator is
// kubernetes-admin of system:masters.
Result<Certificates> ensure_certificates(Files& files, const Clock& clock,
                                         const std::string& directory,
                                         std::span<const std::string> names);

// The certificate of a node's own server, in `directory` as kubelet.crt and .key, kept as those
// above are. REQUIRES: the authority is there.
Result<void> ensure_node_certificate(Files& files, const Clock& clock, const std::string& directory,
                                     const std::string& node_name,
                                     std::span<const std::string> names);

}  // namespace proa::cli
