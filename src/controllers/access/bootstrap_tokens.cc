#include "controllers/access/bootstrap_tokens.h"

#include <algorithm>

#include "base/encoding.h"
#include "crypto/digest.h"
#include "json/print.h"
#include "json/text/scan.h"

namespace proa::controllers {
namespace bootstrap_tokens {

constexpr std::string_view kNamePrefix = "bootstrap-token-";
constexpr size_t kIdLength = 6;

// The id in a Secret's name; empty if the name has another form.
std::string_view id_in(std::string_view name) {
  if (!name.starts_with(kNamePrefix)) return {};
  const std::string_view id = name.substr(kNamePrefix.size());
  const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return id.size() == kIdLength && std::all_of(id.begin(), id.end(), is_plain) ? id
                                                                               : std::string_view();
}

}  // namespace bootstrap_tokens

std::string_view secret_type(const api::Object& secret) {
  return json::Scan::unquoted(json::Scan::find(secret.json(), "type"));
}

std::string secret_value(api::View secret, std::string_view key) {
  return from_base64(secret["data"][key].text()).value_or("");
}

bool is_bootstrap_token(const api::Object& secret) {
  return secret.metadata().name_space == "kube-system" &&
         secret_type(secret) == "bootstrap.kubernetes.io/token";
}

std::optional<Time> end_of_bootstrap_token(api::View secret) {
  const std::string text = secret_value(secret, "expiration");
  if (text.empty()) return std::nullopt;
  const Result<Time> end = parse_time(text);
  return end ? *end : Time::min();
}

std::optional<BootstrapToken> signing_token(api::View secret, Time now) {
  BootstrapToken token{.id = secret_value(secret, "token-id"),
                       .secret = secret_value(secret, "token-secret")};
  if (token.id.empty() || token.secret.empty()) return std::nullopt;
  if (bootstrap_tokens::id_in(secret["metadata"]["name"].text()) != token.id) return std::nullopt;
  const std::optional<Time> end = end_of_bootstrap_token(secret);
  if (end && *end <= now) return std::nullopt;
  if (secret_value(secret, "usage-bootstrap-signing") != "true") return std::nullopt;
  return token;
}

std::string detached_signature(std::string_view content, const BootstrapToken& token) {
  std::string header = R"({"alg":"HS256","kid":)";
  json::print_string_to(header, token.id);
  header += '}';
  const std::string front = to_base64_url(header);
  const std::string signed_text = front + "." + to_base64_url(content);
  return front + ".." + to_base64_url(crypto::hmac_sha256(token.secret, signed_text).view());
}

}  // namespace proa::controllers
