#pragma once

#include <string>

namespace proa::cli {

struct KubeconfigContent {
  std::string server;  // "https://127.0.0.1:6443"
  std::string authority_pem;
  std::string client_certificate_pem;
  std::string client_key_pem;
};

// A kubeconfig with one cluster, user and context, all named "proa".
std::string make_kubeconfig(const KubeconfigContent& content);

}  // namespace proa::cli
