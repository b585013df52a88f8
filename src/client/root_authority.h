#pragma once

#include <string>
#include <string_view>

namespace proa::client {

// The config map of every namespace that says whom to trust when talking to the API server.
inline constexpr const char* kRootAuthorityName = "kube-root-ca.crt";
std::string root_authority_json(std::string_view authority_pem);

}  // namespace proa::client
