#include "apiserver/access/admission/certificates/signer_permission.h"

namespace proa::apiserver {

bool may_for_signer(Authorizer& authorizer, const User& user, std::string_view verb,
                    std::string_view signer) {
  const auto is_allowed = [&](std::string_view name) {
    return authorizer
        .authorize({.user = &user,
                    .verb = verb,
                    .group = "certificates.k8s.io",
                    .version = "*",
                    .resource = "signers",
                    .name = name})
        .allowed();
  };
  if (is_allowed(signer)) return true;
  return is_allowed(std::string(signer.substr(0, signer.find('/'))) + "/*");
}

}  // namespace proa::apiserver
