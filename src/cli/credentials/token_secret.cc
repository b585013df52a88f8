#include "cli/credentials/token_secret.h"

#include <algorithm>

#include "api/object/view.h"
#include "base/encoding.h"
#include "base/strings.h"
#include "json/print.h"

namespace proa::cli {
namespace token_secret {

using api::View;

constexpr std::string_view kNamePrefix = "bootstrap-token-";
constexpr std::string_view kType = "bootstrap.kubernetes.io/token";
constexpr std::string_view kUsagePrefix = "usage-bootstrap-";
constexpr std::string_view kUsages[] = {"authentication", "signing"};
constexpr std::string_view kGroupPrefix = "system:bootstrappers:";
constexpr size_t kMaxGroup = 256;  // after the prefix

// system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9], as the server validates it.
bool is_group(std::string_view name) {
  if (!name.starts_with(kGroupPrefix)) return false;
  const std::string_view rest = name.substr(kGroupPrefix.size());
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789:-";
  return !rest.empty() && rest.size() <= kMaxGroup &&
         rest.find_first_not_of(kLetters) == std::string_view::npos && rest.back() != ':' &&
         rest.back() != '-';
}

std::vector<std::string> list_of(std::string_view text) {
  std::vector<std::string> list;
  for (const std::string_view part : split(text, ',')) {
    const std::string_view word = trim(part);
    if (!word.empty() && std::ranges::find(list, word) == list.end()) list.emplace_back(word);
  }
  return list;
}

std::string value_of(View secret, std::string_view key) {
  return from_base64(secret["data"][key].text()).value_or("");
}

}  // namespace token_secret

bool TokenFacts::is_over(Time now) const {
  if (expiration.empty()) return false;
  const Result<Time> end = parse_time(expiration);
  return !end || *end <= now;
}

Result<std::vector<std::string>> parse_groups(std::string_view text) {
  std::vector<std::string> groups = token_secret::list_of(text);
  for (const std::string& group : groups) {
    if (token_secret::is_group(group)) continue;
    return Status(Reason::kInvalid,
                  "--groups: " + group +
                      " is not a valid group: it must start with system:bootstrappers: and contain "
                      "only a-z, 0-9, ':' and '-'");
  }
  return groups;
}

Result<std::vector<std::string>> parse_usages(std::string_view text) {
  std::vector<std::string> usages = token_secret::list_of(text);
  for (const std::string& usage : usages) {
    if (std::ranges::find(token_secret::kUsages, usage) != std::end(token_secret::kUsages)) {
      continue;
    }
    return Status(Reason::kInvalid,
                  "--usages: " + usage + " is neither authentication nor signing");
  }
  if (usages.empty()) {
    return Status(Reason::kInvalid,
                  "--usages: at least one of authentication, signing is required");
  }
  return usages;
}

std::string token_secret_name(std::string_view id) {
  return std::string(token_secret::kNamePrefix) + std::string(id);
}

std::string make_token_secret(const JoinToken& token, const TokenFacts& facts) {
  using namespace token_secret;
  json::Document document;
  json::Arena& arena = document.arena();
  json::Value& root = document.root() = json::Value::object();
  root.set(arena, "apiVersion", json::Value::borrowed("v1"));
  root.set(arena, "kind", json::Value::borrowed("Secret"));
  json::Value metadata = json::Value::object();
  metadata.set(arena, "name", json::Value::string(arena, token_secret_name(token.id)));
  metadata.set(arena, "namespace", json::Value::borrowed("kube-system"));
  root.set(arena, "metadata", std::move(metadata));
  root.set(arena, "type", json::Value::borrowed(kType));
  json::Value data = json::Value::object();
  const auto set = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) data.set(arena, key, json::Value::string(arena, to_base64(value)));
  };
  set("token-id", token.id);
  set("token-secret", token.secret);
  set("expiration", facts.expiration);
  set("description", facts.description);
  set("auth-extra-groups", join(facts.groups, ","));
  for (const std::string& usage : facts.usages) set(std::string(kUsagePrefix) + usage, "true");
  root.set(arena, "data", std::move(data));
  return json::print(root);
}

std::optional<TokenFacts> read_token_secret(const api::Object& secret) {
  using namespace token_secret;
  const auto document = secret.document();
  if (!document) return std::nullopt;
  const View root = document->root();
  const std::string_view name = root["metadata"]["name"].text();
  if (root["type"].text() != kType || !name.starts_with(kNamePrefix)) return std::nullopt;
  TokenFacts facts{.id = std::string(name.substr(kNamePrefix.size())),
                   .description = value_of(root, "description"),
                   .usages = {},
                   .groups = list_of(value_of(root, "auth-extra-groups")),
                   .expiration = value_of(root, "expiration")};
  for (const std::string_view usage : kUsages) {
    if (value_of(root, std::string(kUsagePrefix) + std::string(usage)) == "true") {
      facts.usages.emplace_back(usage);
    }
  }
  return facts;
}

}  // namespace proa::cli
