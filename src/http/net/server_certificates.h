#pragma once

#include <string>

#include "base/result.h"
#include "base/time.h"
#include "http/net/tls.h"

namespace proa::http {

// The certificates that a TLS server shows, without verifying them: for callers that know a hash of
// the one to trust. Does the handshake only, so that nothing is sent to an unknown server. Blocks
// for up to `timeout`. kServiceUnavailable if there is no TLS server.
Result<PeerCertificates> fetch_server_certificates(const std::string& host, int port,
                                                   Duration timeout);

}  // namespace proa::http
