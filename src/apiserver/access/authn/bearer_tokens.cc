#include "apiserver/access/authn/bearer_tokens.h"

#include <algorithm>

#include "api/validation/go_text.h"
#include "base/encoding.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace proa::apiserver {
namespace bearer_tokens {

// Tokens of identity providers with very many groups have tens of thousands of bytes.
constexpr size_t kMaxBytes = 64 * 1024;
constexpr std::string_view kSubprotocol = "base64url.bearer.authorization.k8s.io.";

Status refused(std::string why) { return {Reason::kUnauthorized, std::move(why)}; }

// Returns the bearer token of an Authorization header; empty if there is none.
std::string_view token_in(std::string_view header, std::vector<std::string>* warnings) {
  header = trim(header);
  const auto halves = split_once(header, ' ');
  if (!halves || !equals_ignoring_case(halves->before, "bearer")) return {};
  if (halves->after.starts_with(' ') && warnings != nullptr) {
    warnings->emplace_back(
        "the provided Authorization header contains extra space before the bearer token, and is "
        "ignored");
  }
  return halves->after.substr(0, halves->after.find(' '));
}

bool wants_websocket(const http::Headers& headers) {
  return equals_ignoring_case(headers.get("upgrade"), "websocket") &&
         headers.has_token("connection", "upgrade");
}

// Returns the token in the subprotocols of a WebSocket request; empty if there is none.
Result<std::string> token_in_subprotocols(const http::Headers& headers) {
  std::string token;
  bool seen = false;
  bool has_others = false;
  for (const std::string_view line : headers.all("sec-websocket-protocol")) {
    for (const std::string_view part : split(line, ',')) {
      const std::string_view protocol = trim(part);
      if (!protocol.starts_with(kSubprotocol)) {
        has_others = true;
        continue;
      }
      if (seen) return refused("multiple base64.bearer.authorization tokens specified");
      seen = true;
      std::optional<std::string> decoded = from_base64_url(protocol.substr(kSubprotocol.size()));
      if (!decoded) return refused("invalid base64.bearer.authorization token encoding");
      if (!is_utf8(*decoded)) return refused("invalid base64.bearer.authorization token");
      token = std::move(*decoded);
    }
  }
  // The client must offer another subprotocol for the server to select.
  if (!token.empty() && !has_others) return refused("missing additional subprotocol");
  return token;
}

// Formats several failures as upstream does.
Status all_of(const std::vector<Status>& failures) {
  if (failures.empty()) return refused("invalid bearer token");
  std::vector<std::string> messages;
  for (const Status& failure : failures) messages.push_back(failure.message());
  return refused(api::aggregate_text(messages));
}

UserPtr with_group(const UserPtr& user) {
  auto copy = std::make_shared<User>(*user);
  join_authenticated(*copy);
  return copy;
}

}  // namespace bearer_tokens

BearerTokens::BearerTokens(std::vector<std::unique_ptr<TokenAuthenticator>> kinds,
                           std::vector<std::string> audiences, Random& random, const Clock& clock)
    : kinds_(std::move(kinds)),
      audiences_(std::move(audiences)),
      clock_(clock),
      cache_(random, clock) {}

Result<UserPtr> BearerTokens::authenticate(const Credentials& credentials) {
  using namespace bearer_tokens;
  std::optional<Status> failure;
  const auto identified = [&](std::string_view token) -> UserPtr {
    const Result<TokenAnswerPtr> answer = authenticate_token(token, audiences_);
    if (!answer) {
      if (!failure) failure = answer.status();
      return nullptr;
    }
    const TokenIdentity& identity = (*answer)->identity;
    if (credentials.warnings != nullptr) {
      credentials.warnings->insert(credentials.warnings->end(), identity.warnings.begin(),
                                   identity.warnings.end());
    }
    return identity.user;
  };
  const std::string_view token =
      token_in(credentials.headers.get("authorization"), credentials.warnings);
  if (!token.empty()) {
    if (UserPtr user = identified(token)) return user;
  }
  if (wants_websocket(credentials.headers)) {
    const std::string other = TRY(token_in_subprotocols(credentials.headers));
    if (!other.empty()) {
      if (UserPtr user = identified(other)) return user;
    }
  }
  if (failure) return *failure;
  return UserPtr();
}

bool BearerTokens::may_wait(const Credentials& credentials) const {
  using namespace bearer_tokens;
  const std::string_view token = token_in(credentials.headers.get("authorization"), nullptr);
  if (!token.empty() && may_wait(token)) return true;
  if (!wants_websocket(credentials.headers)) return false;
  const Result<std::string> other = token_in_subprotocols(credentials.headers);
  return other && !other->empty() && may_wait(*other);
}

bool BearerTokens::may_wait(std::string_view token) const {
  if (token.size() > bearer_tokens::kMaxBytes) return false;
  const bool may = std::any_of(kinds_.begin(), kinds_.end(),
                               [&](const auto& kind) { return kind->may_wait(token); });
  if (!may) return false;
  const TokenCache::Key key = cache_.key_of(token, audiences_);
  if (still_holds(cache_.find(key))) return false;
  // Tokens of this cluster must not queue behind those that another server is asked about.
  std::optional<Asked> asked = ask(token, audiences_, Waiting::kNever);
  if (!asked) return true;
  if (asked->answer == nullptr) return false;
  metrics_.begin_fetch();
  metrics_.end_fetch(false);
  cache_.prepare(key, std::move(asked->answer));
  return false;
}

Result<TokenAnswerPtr> BearerTokens::review(std::string_view text,
                                            std::vector<std::string> audiences) {
  const std::string header = "Bearer " + std::string(text);
  const std::string_view token = bearer_tokens::token_in(header, nullptr);
  if (token.empty()) return TokenAnswerPtr();
  return authenticate_token(token, audiences.empty() ? audiences_ : audiences);
}

void BearerTokens::write_metrics(MetricsText& text) const {
  metrics_.write(text);
  for (const std::unique_ptr<TokenAuthenticator>& kind : kinds_) kind->write_metrics(text);
}

bool BearerTokens::still_holds(const TokenAnswerPtr& answer) const {
  return answer != nullptr && answer->by->still_holds(answer->identity);
}

Result<TokenAnswerPtr> BearerTokens::authenticate_token(std::string_view token,
                                                        std::span<const std::string> audiences) {
  if (token.size() > bearer_tokens::kMaxBytes) {
    return bearer_tokens::refused("invalid bearer token");
  }
  const TokenCache::Key key = cache_.key_of(token, audiences);
  if (TokenCache::Use cached = cache_.use(key); still_holds(cached.answer)) {
    cached.prepared ? metrics_.count_miss({}) : metrics_.count_hit();
    return std::move(cached.answer);
  }
  const Steady begin = clock_.steady();
  metrics_.begin_fetch();
  Asked asked = *ask(token, audiences, Waiting::kAllowed);
  metrics_.end_fetch(asked.answer == nullptr && !asked.failures.empty());
  metrics_.count_miss(clock_.steady() - begin);
  if (asked.answer == nullptr) {
    cache_.forget(key);
    return bearer_tokens::all_of(asked.failures);
  }
  cache_.remember(key, asked.answer);
  return std::move(asked.answer);
}

std::optional<BearerTokens::Asked> BearerTokens::ask(std::string_view token,
                                                     std::span<const std::string> audiences,
                                                     Waiting waiting) const {
  Asked asked;
  for (const std::unique_ptr<TokenAuthenticator>& kind : kinds_) {
    if (waiting == Waiting::kNever && kind->may_wait(token)) return std::nullopt;
    Result<std::optional<TokenIdentity>> identity = kind->authenticate(token, audiences);
    if (!identity) asked.failures.push_back(identity.status());
    if (!identity || !*identity) continue;
    TokenIdentity found = std::move(**identity);
    if (found.audiences.empty() && !audiences.empty()) {
      found.audiences = in_both(audiences_, audiences);
      if (found.audiences.empty()) continue;
    }
    found.user = bearer_tokens::with_group(found.user);
    asked.answer = std::make_shared<TokenAnswer>(TokenAnswer{std::move(found), kind.get()});
    break;
  }
  return asked;
}

}  // namespace proa::apiserver
