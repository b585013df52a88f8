#include "kubelet/node/server/node_access.h"

#include <algorithm>

#include "api/object/edit.h"
#include "base/strings.h"
#include "crypto/digest.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::kubelet {
namespace node_access {

// Upstream's defaults: cacheTTL, cacheAuthorizedTTL and cacheUnauthorizedTTL.
constexpr Duration kTokenLifetime = std::chrono::minutes(2);
constexpr Duration kAllowedLifetime = std::chrono::minutes(5);
constexpr Duration kDeniedLifetime = std::chrono::seconds(30);

// The size limit of the caches.
constexpr size_t kMostAnswers = 8192;

constexpr std::string_view kAuthenticated = "system:authenticated";

Status nobody() { return Status(Reason::kUnauthorized, "Unauthorized"); }

// The token of "Bearer abc"; empty when there is none.
std::string_view bearer_token(std::string_view authorization) {
  const std::optional<Halves> halves = split_once(trim(authorization), ' ');
  if (!halves || !equals_ignoring_case(halves->before, "bearer")) return {};
  const std::string_view token = halves->after;
  return token.find(' ') == std::string_view::npos ? token : std::string_view();
}

void add_group(Caller& caller, std::string_view group) {
  if (std::find(caller.groups.begin(), caller.groups.end(), group) != caller.groups.end()) return;
  caller.groups.emplace_back(group);
}

std::vector<std::string> texts(api::View list) {
  std::vector<std::string> found;
  for (const api::View item : list.items()) found.emplace_back(item.text());
  return found;
}

void write_texts(const api::Edit& out, std::string_view name,
                 const std::vector<std::string>& values) {
  const api::Edit list = out.array(name);
  for (const std::string& value : values) list.push(json::Value::string(list.arena(), value));
}

json::Document review(std::string_view group_version, std::string_view kind) {
  json::Document made;
  made.root() = json::Value::object();
  const api::Edit object(made);
  object.set("apiVersion", group_version);
  object.set("kind", kind);
  return made;
}

Caller caller_of(api::View user) {
  Caller caller{.name = std::string(user["username"].text()),
                .uid = std::string(user["uid"].text()),
                .groups = texts(user["groups"])};
  for (const json::Member& member : user["extra"].members()) {
    caller.extra[std::string(member.key)] = texts(member.value);
  }
  add_group(caller, kAuthenticated);
  return caller;
}

}  // namespace node_access

Result<std::unique_ptr<NodeAccess>> NodeAccess::make(client::BoundedClient client,
                                                     const api::Schema& schema, Clock& clock,
                                                     Random& random, api::NodeName node_name,
                                                     const std::string& authority_pem) {
  std::unique_ptr<const crypto::ClientVerifier> authorities;
  if (!authority_pem.empty()) authorities = TRY(crypto::ClientVerifier::trust(authority_pem));
  return std::unique_ptr<NodeAccess>(new NodeAccess(std::move(client), schema, clock, random,
                                                    std::move(node_name), std::move(authorities)));
}

NodeAccess::NodeAccess(client::BoundedClient client, const api::Schema& schema, Clock& clock,
                       Random& random, api::NodeName node_name,
                       std::unique_ptr<const crypto::ClientVerifier> authorities)
    : client_(std::move(client)),
      token_reviews_(*schema.find_resource("authentication.k8s.io", "v1", "tokenreviews")),
      access_reviews_(*schema.find_resource("authorization.k8s.io", "v1", "subjectaccessreviews")),
      clock_(clock),
      node_name_(std::move(node_name)),
      authorities_(std::move(authorities)),
      tokens_(clock, node_access::kMostAnswers),
      permissions_(clock, node_access::kMostAnswers) {
  std::array<unsigned char, 32> key{};
  random.fill(key);
  hash_key_.assign(reinterpret_cast<const char*>(key.data()), key.size());
}

Result<crypto::CertificateIdentity> NodeAccess::verify(const http::PeerCertificates& shown) const {
  const crypto::Certificate certificate = TRY(authorities_->verify(shown.chain_der, clock_.now()));
  return certificate.identity();
}

Result<Caller> NodeAccess::authenticate(const http::PeerCertificates& shown,
                                        std::string_view authorization) {
  if (authorities_ != nullptr && !shown.chain_der.empty()) {
    const Result<crypto::CertificateIdentity> identity = verify(shown);
    if (identity && !identity->common_name.empty()) {
      Caller caller{.name = identity->common_name, .groups = identity->organizations};
      node_access::add_group(caller, node_access::kAuthenticated);
      return caller;
    }
  }
  const std::string_view token = node_access::bearer_token(authorization);
  if (token.empty()) return node_access::nobody();
  return review_token(token);
}

Result<Caller> NodeAccess::review_token(std::string_view token) {
  const auto ask = [&] {
    return AnswerCache<std::optional<Caller>>::Asked{.answer = ask_token(token),
                                                     .keep = node_access::kTokenLifetime};
  };
  std::optional<Caller> known = TRY(tokens_.get(hash_of(token), ask));
  if (!known) return node_access::nobody();
  return std::move(*known);
}

Result<std::optional<Caller>> NodeAccess::ask_token(std::string_view token) {
  json::Document question = node_access::review("authentication.k8s.io/v1", "TokenReview");
  api::Edit(question).object("spec").set("token", token);
  const api::ObjectPtr answer = TRY(
      client_.create({.resource = &token_reviews_, .name_space = {}, .name = {}, .subresource = {}},
                     std::move(question), {}));
  const json::Document document = TRY(answer->document());
  const api::View status = api::View(document.root())["status"];
  const api::View user = status["user"];
  if (!status["authenticated"].flag() || user["username"].text().empty()) {
    return std::optional<Caller>();
  }
  return std::optional<Caller>(node_access::caller_of(user));
}

Result<bool> NodeAccess::authorize(const Caller& caller, const RequestAccess& wanted) {
  for (const std::string& subresource : wanted.subresources) {
    const bool allowed = TRY(review_access(access_spec(caller, wanted.verb, subresource)));
    if (allowed) return true;
  }
  return false;
}

Result<bool> NodeAccess::review_access(const std::string& spec) {
  return permissions_.get(spec, [&] {
    const Result<bool> allowed = ask_access(spec);
    const bool yes = allowed.ok() && *allowed;
    return AnswerCache<bool>::Asked{
        .answer = allowed,
        .keep = yes ? node_access::kAllowedLifetime : node_access::kDeniedLifetime};
  });
}

Result<bool> NodeAccess::ask_access(const std::string& spec) {
  const api::ObjectPtr answer = TRY(client_.create(
      {.resource = &access_reviews_, .name_space = {}, .name = {}, .subresource = {}},
      json::parse_literal(spec), {}));
  const json::Document document = TRY(answer->document());
  const api::View status = api::View(document.root())["status"];
  return status["allowed"].flag() && !status["denied"].flag();
}

std::string NodeAccess::access_spec(const Caller& caller, const std::string& verb,
                                    const std::string& subresource) const {
  json::Document question = node_access::review("authorization.k8s.io/v1", "SubjectAccessReview");
  const api::Edit spec = api::Edit(question).object("spec");
  const api::Edit attributes = spec.object("resourceAttributes");
  attributes.set("verb", verb);
  attributes.set("version", "v1");
  attributes.set("resource", "nodes");
  attributes.set("subresource", subresource);
  attributes.set("name", node_name_.view());
  spec.set("user", caller.name);
  node_access::write_texts(spec, "groups", caller.groups);
  for (const auto& [name, values] : caller.extra) {
    node_access::write_texts(spec.object("extra"), name, values);
  }
  if (!caller.uid.empty()) spec.set("uid", caller.uid);
  return json::print(question.root());
}

std::string NodeAccess::hash_of(std::string_view token) const {
  return crypto::hmac_sha256(hash_key_, token).str();
}

}  // namespace proa::kubelet
