#pragma once

#include <string>

#include "api/object/names.h"
#include "api/schema/schema.h"
#include "base/random.h"
#include "client/client.h"
#include "crypto/certificate.h"
#include "crypto/identity.h"

namespace proa::kubelet {

// The identity of a node: "system:node:NAME" in the group "system:nodes".
crypto::CertificateIdentity node_identity(api::NodeNameView node_name);

// The parameters of a certificate signing request.
struct SigningWish {
  std::string signer = {};
  std::vector<std::string> usages = {};
  crypto::CertificateIdentity identity = {};

  // For the client certificate of a node.
  static SigningWish for_client(api::NodeNameView node_name);
  // For the serving certificate of a node. It requires approval.
  static SigningWish for_server(api::NodeNameView node_name, std::vector<std::string> dns_names,
                                std::vector<std::string> ip_addresses);
};

// Creates a key, requests a certificate for it and waits until it is signed. kForbidden if the
// request is denied, kTimeout if `until` is over first. The private key never leaves the process.
Result<crypto::CertifiedKey> have_signed(client::Client& client, const api::Schema& schema,
                                         Clock& clock, const SigningWish& wish, const Until& until);

}  // namespace proa::kubelet
