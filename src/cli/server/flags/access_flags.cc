#include "cli/server/flags/access_flags.h"

#include "apiserver/access/authn/jwt/configuration.h"
#include "apiserver/access/authn/jwt/oidc_flags.h"
#include "apiserver/access/authn/token_kinds/token_file.h"
#include "apiserver/access/authz/configuration/configuration.h"
#include "base/strings.h"
#include "cli/host/candidate.h"
#include "cli/server/flags/admission_configuration.h"
#include "client/kubeconfig.h"
#include "crypto/authority_file.h"

namespace proa::cli {
namespace access {

using apiserver::AnonymousScope;

constexpr size_t kMaxBytes = 16 << 20;  // of a file

std::vector<std::string> list_of(const std::string& text) {
  std::vector<std::string> names;
  for (const std::string_view name : split(text, ',')) {
    if (!trim(name).empty()) names.emplace_back(trim(name));
  }
  return names;
}

std::vector<std::string> lower_list(const std::string& text) {
  std::vector<std::string> names = list_of(text);
  for (std::string& name : names) name = to_lower(name);
  return names;
}

// The content of the file that a flag names; empty if it is not set.
Result<std::string> read_file(const Settings& settings, Files& files, std::string_view flag) {
  const std::string& path = settings.text(flag);
  if (path.empty()) return std::string();
  Result<std::string> text = files.read_file(path, kMaxBytes);
  if (!text) return text.status().in("--" + std::string(flag));
  return text;
}

// The same, for certificates of authorities.
Result<std::string> read_authorities(const Settings& settings, Files& files,
                                     std::string_view flag) {
  const std::string& path = settings.text(flag);
  if (path.empty()) return std::string();
  Result<std::string> text = crypto::read_authority_file(files, path);
  if (!text) return text.status().in("--" + std::string(flag));
  return text;
}

AnonymousScope anonymous_scope(const std::string& word) {
  if (word == "true") return AnonymousScope::kEverywhere;
  return word == "false" ? AnonymousScope::kNowhere : AnonymousScope::kHealth;
}

Result<void> read_front_proxy(const Settings& settings, Files& files,
                              apiserver::AuthenticationOptions& options) {
  std::string authorities = TRY(read_authorities(settings, files, "requestheader-client-ca-file"));
  if (authorities.empty()) return {};
  options.front_proxy = {
      .authorities_pem = std::move(authorities),
      .allowed_names = list_of(settings.text("requestheader-allowed-names")),
      .user_headers = lower_list(settings.text("requestheader-username-headers")),
      .uid_headers = lower_list(settings.text("requestheader-uid-headers")),
      .group_headers = lower_list(settings.text("requestheader-group-headers")),
      .extra_prefixes = lower_list(settings.text("requestheader-extra-headers-prefix"))};
  return {};
}

Result<void> read_issuers(const Settings& settings, Files& files,
                          apiserver::AccessOptions& options) {
  const std::string configuration = TRY(read_file(settings, files, "authentication-config"));
  const std::string& issuer = settings.text("oidc-issuer-url");
  const std::string& file = settings.text("authentication-config");
  if (!file.empty() && !issuer.empty()) {
    return Status(Reason::kInvalid,
                  "--authentication-config and --oidc-issuer-url are mutually exclusive");
  }
  const std::vector<std::string> own{apiserver::ServiceAccountTokens::Options{}.issuer};
  apiserver::AuthenticationConfiguration read;
  if (!file.empty()) {
    auto parsed = apiserver::read_authentication_configuration(configuration, own);
    if (!parsed) return parsed.status().in("--authentication-config");
    read = std::move(*parsed);
    options.authentication_file = {.path = file, .text = configuration};
  } else if (!issuer.empty()) {
    apiserver::OidcFlags flags;
    flags.issuer_url = issuer;
    flags.client_id = settings.text("oidc-client-id");
    flags.ca_pem = TRY(read_authorities(settings, files, "oidc-ca-file"));
    flags.username_claim = settings.text("oidc-username-claim");
    flags.username_prefix = settings.text("oidc-username-prefix");
    flags.groups_claim = settings.text("oidc-groups-claim");
    flags.groups_prefix = settings.text("oidc-groups-prefix");
    flags.signing_algorithms = list_of(settings.text("oidc-signing-algs"));
    for (const std::string& pair : list_of(settings.text("oidc-required-claim"))) {
      const auto halves = split_once(pair, '=');
      if (!halves) {
        return Status(Reason::kInvalid, "--oidc-required-claim must be CLAIM=VALUE, not " + pair);
      }
      flags.required_claims.emplace(halves->before, halves->after);
    }
    read = TRY(apiserver::configuration_of(flags, own));
  }
  if (read.anonymous && settings.is_given("anonymous-auth")) {
    return Status(Reason::kInvalid,
                  "--authentication-config: anonymous: Forbidden: --anonymous-auth flag cannot be "
                  "set when anonymous field is configured in authentication configuration file");
  }
  options.token_issuers = std::move(read.issuers);
  if (read.anonymous) options.authentication.anonymous = std::move(*read.anonymous);
  return {};
}

Result<client::Connection> read_connection(Files& files, const std::string& path,
                                           std::string_view flag) {
  Result<client::Connection> connection = client::read_kubeconfig(files, path);
  if (!connection) return connection.status().in("--" + std::string(flag));
  return connection;
}

Result<void> read_webhooks(const Settings& settings, Files& files,
                           apiserver::AccessOptions& options) {
  const std::string& tokens = settings.text("authentication-token-webhook-config-file");
  if (!tokens.empty()) {
    apiserver::WebhookTokensOptions& wanted = options.token_webhook.emplace();
    wanted.connection =
        TRY(read_connection(files, tokens, "authentication-token-webhook-config-file"));
    wanted.version = settings.text("authentication-token-webhook-version");
    wanted.cache_ttl = settings.duration("authentication-token-webhook-cache-ttl");
  }
  const std::string& reviews = settings.text("authorization-webhook-config-file");
  if (!reviews.empty()) {
    apiserver::WebhookAuthorizerOptions& wanted = options.authorization.webhook.emplace();
    wanted.connection = TRY(read_connection(files, reviews, "authorization-webhook-config-file"));
    wanted.version = settings.text("authorization-webhook-version");
    wanted.keep_allowed = settings.duration("authorization-webhook-cache-authorized-ttl");
    wanted.keep_refused = settings.duration("authorization-webhook-cache-unauthorized-ttl");
  }
  return {};
}

Result<void> read_authorization(const Settings& settings, Files& files,
                                apiserver::AccessOptions& access) {
  constexpr std::string_view kFlag = "authorization-config";
  apiserver::AuthorizationOptions& options = access.authorization;
  options.modes = list_of(settings.text("authorization-mode"));
  if (settings.text(kFlag).empty()) return {};
  for (const std::string_view other :
       {"authorization-mode", "authorization-webhook-config-file", "authorization-webhook-version",
        "authorization-webhook-cache-authorized-ttl",
        "authorization-webhook-cache-unauthorized-ttl"}) {
    if (!settings.is_given(other)) continue;
    return Status(Reason::kInvalid,
                  "--authorization-config can not be specified when --authorization-mode or "
                  "--authorization-webhook-* flags are defined");
  }
  std::string text = TRY(read_file(settings, files, kFlag));
  auto configured = apiserver::read_authorization_configuration(text, files);
  if (!configured) return configured.status().in("--" + std::string(kFlag));
  options.configured = std::move(configured->authorizers);
  access.authorization_file = {.path = settings.text(kFlag), .text = std::move(text)};
  return {};
}

Flag text_flag(std::string_view name, std::string_view word, std::string fallback,
               std::string_view summary) {
  return {.name = name, .word = word, .fallback = std::move(fallback), .summary = summary};
}

Flag file_flag(std::string_view name, std::string_view summary) {
  return {
      .name = name, .kind = ValueKind::kFile, .word = "FILE", .fallback = {}, .summary = summary};
}

Flag time_flag(std::string_view name, std::string fallback, std::string_view summary) {
  return {.name = name,
          .kind = ValueKind::kDuration,
          .word = "TIME",
          .fallback = std::move(fallback),
          .summary = summary};
}

Flag version_flag(std::string_view name) {
  return {.name = name,
          .kind = ValueKind::kChoice,
          .word = "VERSION",
          .fallback = "v1",
          .summary = "API version of the reviews sent to the webhook",
          .choices = {"v1", "v1beta1"}};
}

}  // namespace access

std::vector<Flag> access_flags() {
  using namespace access;
  return {
      {.name = "anonymous-auth",
       .kind = ValueKind::kChoice,
       .word = "WHERE",
       .fallback = "health",
       .summary = "paths open to anonymous requests: all, none, or health and version",
       .choices = {"true", "false", "health"}},
      file_flag("token-auth-file", "static bearer tokens, lines of token,user,uid,\"group,group\""),
      file_flag("authentication-config", "AuthenticationConfiguration with JWT issuers"),
      text_flag("oidc-issuer-url", "URL", "", "OpenID Connect issuer"),
      text_flag("oidc-client-id", "ID", "", "required audience of OIDC tokens"),
      file_flag("oidc-ca-file", "CA certificates of the OIDC issuer"),
      text_flag("oidc-username-claim", "CLAIM", "sub", "claim with the user name"),
      text_flag("oidc-username-prefix", "TEXT", "", "prefix of OIDC user names; - for none"),
      text_flag("oidc-groups-claim", "CLAIM", "", "claim with the groups"),
      text_flag("oidc-groups-prefix", "TEXT", "", "prefix of OIDC groups"),
      text_flag("oidc-signing-algs", "NAME,...", "RS256", "accepted signing algorithms"),
      text_flag("oidc-required-claim", "CLAIM=VALUE,...", "", "required claims"),
      file_flag("authentication-token-webhook-config-file",
                "kubeconfig of the token review webhook"),
      version_flag("authentication-token-webhook-version"),
      time_flag("authentication-token-webhook-cache-ttl", "2m", "how long its answers are cached"),
      file_flag("requestheader-client-ca-file", "CA certificates of authenticating proxies"),
      text_flag("requestheader-allowed-names", "NAME,...", "",
                "accepted common names of authenticating proxies; default: any"),
      text_flag("requestheader-username-headers", "HEADER,...", "X-Remote-User",
                "headers with the user name"),
      text_flag("requestheader-uid-headers", "HEADER,...", "X-Remote-Uid",
                "headers with the user's UID"),
      text_flag("requestheader-group-headers", "HEADER,...", "X-Remote-Group",
                "headers with the user's groups"),
      text_flag("requestheader-extra-headers-prefix", "PREFIX,...", "X-Remote-Extra-",
                "prefixes of headers with extra user information"),
      text_flag("authorization-mode", "MODE,...", "Node,RBAC",
                "authorizers in order: Node, RBAC, Webhook, AlwaysAllow, AlwaysDeny"),
      file_flag("authorization-config",
                "AuthorizationConfiguration with the authorizers, instead of a mode"),
      file_flag("authorization-webhook-config-file",
                "kubeconfig of the authorization webhook, for the mode Webhook"),
      version_flag("authorization-webhook-version"),
      time_flag("authorization-webhook-cache-authorized-ttl", "5m",
                "how long allowed answers are cached"),
      time_flag("authorization-webhook-cache-unauthorized-ttl", "30s",
                "how long denied answers are cached"),
      text_flag("enable-admission-plugins", "PLUGIN,...", "",
                "admission plugins to enable in addition to the default ones"),
      text_flag("disable-admission-plugins", "PLUGIN,...", "", "admission plugins to disable"),
      file_flag("admission-control-config-file", "AdmissionConfiguration file"),
  };
}

Result<apiserver::AccessOptions> read_access_options(const Settings& settings, Files& files) {
  using namespace access;
  apiserver::AccessOptions options;
  apiserver::AuthenticationOptions& authentication = options.authentication;
  authentication.anonymous.scope = anonymous_scope(settings.text("anonymous-auth"));
  authentication.token_file = TRY(read_file(settings, files, "token-auth-file"));
  TRY(read_front_proxy(settings, files, authentication));
  TRY(read_issuers(settings, files, options));
  TRY(read_webhooks(settings, files, options));
  TRY(read_authorization(settings, files, options));
  options.server = host_name();
  options.plugins.enabled = list_of(settings.text("enable-admission-plugins"));
  options.plugins.disabled = list_of(settings.text("disable-admission-plugins"));
  const std::string& configuration = settings.text("admission-control-config-file");
  if (!configuration.empty()) {
    options.plugins.configuration = TRY(read_admission_configuration(configuration, files));
    options.plugins.configuration_file = configuration;
  }
  TRY(apiserver::check_modes(options.authorization));
  TRY(apiserver::check_plugins(options.plugins));
  TRY(apiserver::read_credentials(options.plugins, files));
  const auto tokens = apiserver::TokenFile::parse(authentication.token_file);
  if (!tokens) return tokens.status().in("--token-auth-file");
  return options;
}

}  // namespace proa::cli
