#include "apiserver/access/authn/webhook/webhook_tokens.h"

#include <algorithm>

#include "api/object/edit.h"
#include "api/validation/go_text.h"
#include "base/log.h"

namespace proa::apiserver {
namespace webhook_tokens {

using api::Edit;
using api::View;

const Log kLog{"apiserver"};

constexpr ReviewKind kTokenReview{
    .group = "authentication.k8s.io",
    .kind = "TokenReview",
    .status_type = "io.k8s.api.authentication.v1.TokenReviewStatus",
    .empty_status = R"({"user":{}})",
};
// Twice what a cluster of 5,000 nodes and 10,000 namespaces uses.
constexpr size_t kMaxAnswers = 32 * 1024;
// An answer that was cached when may_wait() was called is used even if it has expired since.
constexpr Duration kGrace = std::chrono::seconds(10);

Status refused(std::string why) { return {Reason::kUnauthorized, std::move(why)}; }

std::vector<std::string> texts_of(View list) {
  std::vector<std::string> texts;
  for (const View item : list.items()) texts.emplace_back(item.text());
  return texts;
}

std::vector<std::string> common(std::span<const std::string> wanted,
                                const std::vector<std::string>& given) {
  std::vector<std::string> both;
  for (const std::string& one : wanted) {
    if (std::find(given.begin(), given.end(), one) != given.end()) both.push_back(one);
  }
  return both;
}

json::Document spec_of(std::string_view token, std::span<const std::string> audiences) {
  json::Document document({}, json::Value::object());
  const Edit spec(document);
  spec.set("token", token);
  for (const std::string& audience : audiences) {
    spec.array("audiences").push(json::Value::string(document.arena(), audience));
  }
  return document;
}

UserPtr user_of(View info) {
  auto user = std::make_shared<User>();
  user->name = info["username"].text();
  user->uid = info["uid"].text();
  user->groups = texts_of(info["groups"]);
  for (const json::Member& extra : info["extra"].members()) {
    user->extra.emplace_back(extra.key, texts_of(extra.value));
  }
  return user;
}

// The webhook's message, unless it contains the token.
std::string without_token(std::string_view words, std::string_view token) {
  if (words.find(token) != std::string_view::npos) return "invalid bearer token";
  return std::string(words);
}

// Upstream's message for an unknown version.
Status unknown_version(std::string_view version) {
  return {Reason::kInvalid, "unsupported authentication webhook version " + api::quoted(version) +
                                ", supported versions are \"v1\", \"v1beta1\""};
}

}  // namespace webhook_tokens

Result<std::unique_ptr<WebhookTokens>> WebhookTokens::make(const WebhookContext& context,
                                                           WebhookTokensOptions options) {
  if (options.version != "v1" && options.version != "v1beta1") {
    return webhook_tokens::unknown_version(options.version);
  }
  std::unique_ptr<WebhookClient> client =
      TRY(WebhookClient::make(context, {.connection = options.connection}));
  return std::unique_ptr<WebhookTokens>(
      new WebhookTokens(context, std::move(options), std::move(client)));
}

WebhookTokens::WebhookTokens(const WebhookContext& context, WebhookTokensOptions options,
                             std::unique_ptr<WebhookClient> client)
    : options_(std::move(options)),
      keys_(context.random),
      cache_(context.clock, webhook_tokens::kMaxAnswers),
      reviews_(std::move(client), webhook_tokens::kTokenReview, options_.version),
      failures_logged_(context.clock, 5, std::chrono::seconds(10)) {}

std::string WebhookTokens::key(std::string_view token,
                               std::span<const std::string> audiences) const {
  std::vector<std::string_view> parts{token};
  parts.insert(parts.end(), audiences.begin(), audiences.end());
  return keys_.of(parts);
}

bool WebhookTokens::may_wait(std::string_view token) const {
  return !cache_.find(key(token, options_.api_audiences)).has_value();
}

Result<std::optional<TokenIdentity>> WebhookTokens::authenticate(
    std::string_view token, std::span<const std::string> audiences) {
  using namespace webhook_tokens;
  const std::string key = this->key(token, audiences);
  if (!reviews_.client().may_block_here()) {
    if (std::optional<Identity> known = cache_.find(key, kGrace)) return std::move(*known);
    return refused("the token is not known here yet");
  }
  return cache_.get(key, [&] { return Cache::Asked{ask(token, audiences), options_.cache_ttl}; });
}

Result<WebhookTokens::Identity> WebhookTokens::ask(std::string_view token,
                                                   std::span<const std::string> audiences) {
  using namespace webhook_tokens;
  const json::Document spec = spec_of(token, audiences);
  const Result<json::Document> answer = reviews_.ask(spec.root());
  if (!answer) {
    if (const std::optional<uint64_t> omitted = failures_logged_.next()) {
      kLog.error("token webhook failed", {{"error", answer.status()}, {"omitted", *omitted}});
    }
    return refused(answer.status().message());
  }
  const View status = answer->root();
  TokenIdentity identity;
  if (!audiences.empty()) {
    const std::vector<std::string> named = texts_of(status["audiences"]);
    identity.audiences = common(audiences, named.empty() ? options_.api_audiences : named);
    if (identity.audiences.empty()) return Identity();
  }
  if (!status["authenticated"].flag()) {
    const std::string_view error = status["error"].text();
    if (error.empty()) return Identity();
    return refused(without_token(error, token));
  }
  identity.user = user_of(status["user"]);
  return Identity(std::move(identity));
}

}  // namespace proa::apiserver
