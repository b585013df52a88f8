#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/object/object.h"
#include "api/object/view.h"
#include "base/time.h"

// Secrets in kube-system that hold the tokens which nodes join with.

namespace proa::controllers {

// The field `type`, without a tree of the whole object.
std::string_view secret_type(const api::Object& secret);
// Decoded; empty when there is none.
std::string secret_value(api::View secret, std::string_view key);

bool is_bootstrap_token(const api::Object& secret);

// When it is over; nullopt: never. What can't be read is over already.
std::optional<Time> end_of_bootstrap_token(api::View secret);

struct BootstrapToken {
  std::string id;
  std::string secret;
};
// Nullopt for those that are not to sign: of another name than their id, over, or not made for it.
std::optional<BootstrapToken> signing_token(api::View secret, Time now);

// A JSON Web Signature of `content` without the content itself (RFC 7515, appendix F).
std::string detached_signature(std::string_view content, const BootstrapToken& token);

}  // namespace proa::controllers
