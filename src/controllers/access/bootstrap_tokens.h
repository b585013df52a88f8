#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/object/object.h"
#include "api/object/view.h"
#include "base/time.h"

// Bootstrap tokens: Secrets in kube-system.

namespace proa::controllers {

// The field `type`, without parsing the whole object.
std::string_view secret_type(const api::Object& secret);
// Decoded; empty if absent.
std::string secret_value(api::View secret, std::string_view key);

bool is_bootstrap_token(const api::Object& secret);

// When it expires; nullopt: never. An unreadable time counts as expired.
std::optional<Time> end_of_bootstrap_token(api::View secret);

struct BootstrapToken {
  std::string id;
  std::string secret;
};
// Nullopt if it must not sign: its name does not match its id, it has expired, or its usages do not
// include signing.
std::optional<BootstrapToken> signing_token(api::View secret, Time now);

// A JSON Web Signature of `content` without the content itself (RFC 7515, appendix F).
std::string detached_signature(std::string_view content, const BootstrapToken& token);

}  // namespace proa::controllers
