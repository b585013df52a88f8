#pragma once

#include <string>
#include <string_view>

namespace proa::client {

// The config map in every namespace with the CA bundle of the API server.
inline constexpr const char* kRootAuthorityName = "kube-root-ca.crt";
std::string root_authority_json(std::string_view authority_pem);

}  // namespace proa::client
