#include "apiserver/access/webhook/hook_credentials.h"

#include "api/validation/go_text.h"
#include "http/wire/url.h"

namespace proa::apiserver {
namespace hook_credentials {

constexpr std::string_view kKind = "WebhookAdmissionConfiguration";
constexpr std::string_view kGroup = "apiserver.config.k8s.io/";
constexpr std::string_view kDefaultPort = ":443";

Status invalid(std::string why) { return {Reason::kInvalid, std::move(why)}; }

// The path of the kubeconfig; empty: none is configured.
Result<std::string> kubeconfig_of(api::View configuration) {
  if (!configuration || configuration.is(json::Kind::kNull)) return std::string();
  const std::string_view version = configuration["apiVersion"].text();
  const bool ours =
      version.starts_with(kGroup) && (version.ends_with("/v1") || version.ends_with("/v1alpha1"));
  if (!ours || configuration["kind"].text() != kKind) {
    return invalid("expected a " + std::string(kKind) + " of " + std::string(kGroup) + "v1, got " +
                   api::quoted(configuration["kind"].text()) + " of " + api::quoted(version));
  }
  for (const json::Member& member : configuration.members()) {
    if (member.key == "apiVersion" || member.key == "kind" || member.key == "kubeConfigFile")
      continue;
    return invalid("strict decoding error: unknown field " + api::quoted(member.key));
  }
  std::string path(configuration["kubeConfigFile"].text());
  if (!path.empty() && !path.starts_with('/')) {
    return invalid("kubeConfigFile: Invalid value: " + api::quoted(path) +
                   ": must be an absolute file path");
  }
  return path;
}

// "NAME.NAMESPACE.svc:443", "[::1]:8443".
std::string target_of(const http::Url& url) {
  const bool brackets = url.host.find(':') != std::string::npos;
  return (brackets ? "[" + url.host + "]" : url.host) + ":" + std::to_string(url.port);
}

}  // namespace hook_credentials

Result<std::shared_ptr<const HookCredentials>> HookCredentials::read(api::View configuration,
                                                                     Files& files) {
  auto read = std::make_shared<HookCredentials>();
  const std::string path = TRY(hook_credentials::kubeconfig_of(configuration));
  if (!path.empty()) {
    client::KubeconfigUsers users = TRY(client::read_kubeconfig_users(files, path));
    read->current_ = std::move(users.current);
    for (auto& [name, user] : users.users) {
      read->users_.emplace(name, std::make_shared<const client::Connection>(std::move(user)));
    }
  }
  return std::shared_ptr<const HookCredentials>(std::move(read));
}

std::shared_ptr<const client::Connection> HookCredentials::find_user(std::string_view name) const {
  const auto found = users_.find(name);
  return found == users_.end() ? nullptr : found->second;
}

// As upstream's defaultAuthenticationInfoResolver: the longest suffix first.
std::shared_ptr<const client::Connection> HookCredentials::find_target(
    std::string_view target) const {
  if (auto exact = find_user(target)) return exact;
  for (size_t dot = target.find('.'); dot != std::string_view::npos;
       dot = target.find('.', dot + 1)) {
    if (auto found = find_user("*" + std::string(target.substr(dot)))) return found;
  }
  return nullptr;
}

std::shared_ptr<const client::Connection> HookCredentials::find(const HookConfig& config) const {
  if (users_.empty()) return nullptr;
  const Result<http::Url> url = http::parse_url(config.url);
  if (!url) return nullptr;
  const std::string target = hook_credentials::target_of(*url);
  if (auto found = find_target(target)) return found;
  if (target.ends_with(hook_credentials::kDefaultPort)) {
    const size_t length = target.size() - hook_credentials::kDefaultPort.size();
    if (auto found = find_target(std::string_view(target).substr(0, length))) return found;
  }
  if (auto any = find_user("*")) return any;
  return current_.empty() ? nullptr : find_user(current_);
}

}  // namespace proa::apiserver
