#pragma once

#include <string>
#include <string_view>

#include "base/files.h"
#include "base/result.h"
#include "crypto/certificate.h"
#include "http/net/tls.h"

namespace proa::client {

// Where an API server is, whom to believe that it is the one, and how to say who asks.
struct Connection {
  std::string server;         // "https://10.0.0.1:6443", with or without a path
  std::string server_name;    // whom its certificate must be for; empty: the host
  std::string authority_pem;  // empty: whom the system trusts
  bool insecure_skip_verify = false;
  crypto::CertifiedKey certificate;  // empty: none
  std::string token;                 // empty: none
  std::string token_file;            // read again now and then; goes before `token`
  std::string name_space = "default";

  http::TlsOptions tls() const;
};

// One context of a kubeconfig file: `context`, or its current one. Paths in it begin where the file
// lies. Credentials from programs (exec) and proxies are refused.
Result<Connection> read_kubeconfig(Files& files, const std::string& path,
                                   std::string_view context = {});
// The same of its text; `folder` is where relative paths begin.
Result<Connection> parse_kubeconfig(Files& files, std::string_view text, std::string_view folder,
                                    std::string_view context = {});

}  // namespace proa::client
