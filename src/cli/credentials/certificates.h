#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/object/names.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/result.h"

namespace proa::cli {

// Paths and contents of a server's certificates (PEM).
struct Certificates {
  std::string server_certificate;  // the server's certificate, followed by the CA's
  std::string server_key;
  std::string authority;      // path of the CA certificate
  std::string authority_pem;  // contents of the CA certificate
  std::string admin_certificate_pem;
  std::string admin_key_pem;
  std::string kubelet_client_certificate_pem;  // with which the API server calls kubelets
  std::string kubelet_client_key_pem;
  std::string front_proxy_authority_pem;  // by which aggregated API servers trust this server
  std::string front_proxy_client_certificate_pem;  // with which it passes requests on to them
  std::string front_proxy_client_key_pem;
  bool created = false;        // the server's certificate was created or renewed by this call
  bool admin_created = false;  // so was the administrator's
  bool kubelet_client_created = false;
  bool front_proxy_client_created = false;
};

// The common name of the front proxy's certificate: kubeadm's.
inline constexpr std::string_view kFrontProxyName = "front-proxy-client";

// Creates or renews the certificates of a server in `directory` (authority, server, admin,
// apiserver-kubelet-client: each .crt and .key), signed by our own CA; and front-proxy-client,
// signed by another one (front-proxy-ca), since whoever has such a certificate may act as any user
// towards aggregated API servers. A certificate is replaced if
// it is missing or damaged, expires within thirty days, is not valid yet, or if the server's does
// not contain all of `names` (DNS names and IP addresses). An existing CA is kept, since clients
// trust it; one of the front proxy is replaced if damaged, since servers read it from a ConfigMap.
// The administrator is kubernetes-admin of system:masters; the client of kubelets may use
// their API, nothing else.
Result<Certificates> ensure_certificates(Files& files, const Clock& clock,
                                         const std::string& directory,
                                         std::span<const std::string> names);

// kConflict, with advice, if a data directory has a store but not the CA that its nodes and clients
// trust: creating another one would silently lock them out.
Result<void> refuse_lost_authority(Files& files, const std::string& data_dir);

// As ensure_certificates() for the kubelet's serving certificate, kubelet.crt and .key in
// `directory`. REQUIRES: the CA exists.
Result<void> ensure_node_certificate(Files& files, const Clock& clock, const std::string& directory,
                                     api::NodeNameView node_name,
                                     std::span<const std::string> names);

}  // namespace proa::cli
