#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/files.h"
#include "crypto/certificate.h"
#include "kubelet/node/certificates/signing.h"

namespace proa::kubelet {

// A certificate and its key are in one file, so that they always match. Readers of either
// (http::CertificateFiles) get that path twice.
std::string client_certificate_path(
    const std::string& root);  // ROOT/pki/kubelet-client-current.pem
std::string serving_certificate_path(
    const std::string& root);  // ROOT/pki/kubelet-server-current.pem

// kNotFound if there is none, kInvalid if the two do not match.
Result<crypto::CertifiedKey> read_certified_key(Files& files, const std::string& path);
// Readable by its owner only; written atomically.
Result<void> write_certified_key(Files& files, const std::string& path,
                                 const crypto::CertifiedKey& pair);

struct JoinContext {
  client::Client& client;  // authenticated by a bootstrap token
  const api::Schema& schema;
  Clock& clock;
  Files& files;
};
// The client certificate of a node: the one in the file if it is valid and for this node, else a
// new one, which is written there.
Result<crypto::CertifiedKey> ensure_client_certificate(const JoinContext& context,
                                                       api::NodeNameView node_name,
                                                       const std::string& path, const Until& until);
// Whether that file has a valid certificate for this node: no request is needed then.
bool has_client_certificate(Files& files, const Clock& clock, api::NodeNameView node_name,
                            const std::string& path);

// A self-signed certificate for the node's server, until the cluster has signed one. An existing
// one that fits stays.
Result<void> ensure_serving_certificate(Files& files, Clock& clock, api::NodeNameView node_name,
                                        const crypto::CertificateIdentity& identity,
                                        const std::string& path);
// Whether it is self-signed.
bool is_own_making(const crypto::Certificate& certificate, api::NodeNameView node_name);
// Whether it is valid for all DNS names and addresses of the identity.
bool covers_names(const crypto::Certificate& certificate,
                  const crypto::CertificateIdentity& identity);

// When a certificate is to be renewed: after 70 to 90 % of its life, as `random` decides.
Time renewal_time(Time not_before, Time not_after, Random& random);

}  // namespace proa::kubelet
