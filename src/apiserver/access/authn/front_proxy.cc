#include "apiserver/access/authn/front_proxy.h"

#include <algorithm>
#include <set>

#include "api/validation/go_text.h"
#include "apiserver/access/authn/identity_headers.h"
#include "base/strings.h"
#include "crypto/certificate.h"
#include "crypto/client_verifier.h"

namespace proa::apiserver {
namespace front_proxy {

// Compares keys rather than certificates, since an authority may have been renewed.
std::set<std::string> keys_in(std::string_view pem) {
  std::set<std::string> keys;
  for (const crypto::Certificate& one : crypto::Certificate::parse_all(pem)) {
    const Result<crypto::PublicKey> key = one.public_key();
    if (key) keys.insert(key->der());
  }
  return keys;
}

bool share_a_key(std::string_view one_pem, std::string_view other_pem) {
  const std::set<std::string> others = keys_in(other_pem);
  const std::set<std::string> ones = keys_in(one_pem);
  return std::any_of(ones.begin(), ones.end(),
                     [&](const std::string& key) { return others.contains(key); });
}

// Returns the first non-empty header.
std::string_view first_of(const http::Headers& headers, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const std::string_view value = headers.get(name);
    if (!value.empty()) return value;
  }
  return {};
}

Result<void> check_names(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (!http::is_token(name) || name != to_lower(name)) {
      return Status(Reason::kInvalid, "not a valid front proxy header: " + api::quoted(name));
    }
  }
  return {};
}

}  // namespace front_proxy

Result<std::unique_ptr<FrontProxy>> FrontProxy::make(const FrontProxyOptions& options,
                                                     std::string_view client_authorities_pem,
                                                     const Clock& clock) {
  for (const auto* names : {&options.user_headers, &options.uid_headers, &options.group_headers,
                            &options.extra_prefixes}) {
    TRY(front_proxy::check_names(*names));
  }
  auto authorities = TRY(crypto::ClientVerifier::trust(options.authorities_pem));
  if (front_proxy::share_a_key(options.authorities_pem, client_authorities_pem)) {
    return Status(Reason::kInvalid, "--requestheader-client-ca-file must not be the client CA");
  }
  return std::unique_ptr<FrontProxy>(new FrontProxy(std::move(authorities), options, clock));
}

Result<UserPtr> FrontProxy::authenticate(const Credentials& credentials) {
  using namespace front_proxy;
  const std::string_view name = first_of(credentials.headers, options_.user_headers);
  if (name.empty()) return UserPtr();
  const UserPtr proxy = TRY(verifier_.verify(credentials.peer));
  if (proxy == nullptr) return UserPtr();
  const std::vector<std::string>& allowed = options_.allowed_names;
  if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), proxy->name) == allowed.end()) {
    return Status(Reason::kUnauthorized,
                  "x509: subject with cn=" + proxy->name + " is not in the allowed list");
  }
  auto user = std::make_shared<User>();
  user->name = name;
  user->uid = first_of(credentials.headers, options_.uid_headers);
  for (const std::string& header : options_.group_headers) {
    for (const std::string_view group : credentials.headers.all(header)) {
      if (!group.empty()) user->groups.emplace_back(group);
    }
  }
  for (const std::string& prefix : options_.extra_prefixes) {
    read_extra(credentials.headers, prefix, user->extra);
  }
  join_authenticated(*user);
  return UserPtr(std::move(user));
}

}  // namespace proa::apiserver
