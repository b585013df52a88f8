#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/result.h"
#include "crypto/certificate.h"
#include "http/net/tls.h"
#include "http/wire/message.h"

namespace proa::client {

// How to connect to an API server: its address, trust and credentials.
struct Connection {
  std::string server;         // "https:  // "https://10.0.0.1:6443", possibly with a path
  std::string server_name;    // expected in its certificate; empty: the host
  std::string authority_pem;  // empty: the system's trust store
  bool insecure_skip_verify = false;
  crypto::CertifiedKey certificate;  // empty: none
  std::string token;                 // empty: none
  std::string token_file;            // reread periodically; takes precedence over `token`
  http::Headers impersonation;       // sent with each request; empty: one acts as oneself
  std::string name_space = "default";

  http::TlsOptions tls() const;
};

// Reads a context of a kubeconfig file: `context`, or the current one. Paths are relative to the
// file. Exec credentials and proxies are rejected.
Result<Connection> read_kubeconfig(Files& files, const std::string& path,
                                   std::string_view context = {});
// The same for its text; `folder` is the base of relative paths.
Result<Connection> parse_kubeconfig(Files& files, std::string_view text, std::string_view folder,
                                    std::string_view context = {});

// The users of a kubeconfig, which need no contexts and clusters: credentials for several servers.
struct KubeconfigUsers {
  std::map<std::string, Connection> users;  // by name, with nothing but their credentials
  std::string current;                      // the one of the current context; empty: none
};
Result<KubeconfigUsers> read_kubeconfig_users(Files& files, const std::string& path);

}  // namespace proa::client
