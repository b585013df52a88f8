#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/files.h"
#include "crypto/certificate.h"
#include "kubelet/node/certificates/signing.h"

namespace proa::kubelet {

// A certificate and its key lie in one file, so that they always belong together. Who reads one of
// the two (http::CertificateFiles) is given the path twice.
std::string client_certificate_path(
    const std::string& root);  // ROOT/pki/kubelet-client-current.pem
std::string serving_certificate_path(
    const std::string& root);  // ROOT/pki/kubelet-server-current.pem

// kNotFound when there is none, kInvalid when the two don't belong together.
Result<crypto::CertifiedKey> read_certified_key(Files& files, const std::string& path);
// For its owner only, and at once or not at all.
Result<void> write_certified_key(Files& files, const std::string& path,
                                 const crypto::CertifiedKey& pair);

struct JoinContext {
  client::Client& client;  // as who joins: with a bootstrap token
  const api::Schema& schema;
  Clock& clock;
  Files& files;
};
// The certificate by which a node speaks to the API server: the one in the file if it is in force
// and for this node, else a new one, which is put there.
Result<crypto::CertifiedKey> ensure_client_certificate(const JoinContext& context,
                                                       const std::string& node_name,
                                                       const std::string& path, const Until& until);
// Whether that file has one that is in force and for this node: then nobody need be asked.
bool has_client_certificate(Files& files, const Clock& clock, const std::string& node_name,
                            const std::string& path);

// A certificate for the node's own server, signed by nobody that others know, for as long as the
// cluster has not signed one. What is there already and fits stays.
Result<void> ensure_serving_certificate(Files& files, Clock& clock, const std::string& node_name,
                                        const crypto::CertificateIdentity& identity,
                                        const std::string& path);
// Whether it is one of those.
bool is_own_making(const crypto::Certificate& certificate, const std::string& node_name);
// Whether it is valid for all DNS names and addresses of the identity.
bool covers_names(const crypto::Certificate& certificate,
                  const crypto::CertificateIdentity& identity);

// When a certificate is to be renewed: after 70 to 90 % of its life, as `random` decides.
Time renewal_time(Time not_before, Time not_after, Random& random);

}  // namespace proa::kubelet
