#include "apiserver/access/webhook/hook_config.h"

#include <fmt/format.h>

#include "api/validation/go_text.h"
#include "api/validation/names.h"
#include "base/encoding.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace hook_config {

constexpr int64_t kUsualPort = 443;

// As upstream, definitions may name services that cannot exist. Their names are never made part of
// a URL or of a key.
bool can_exist(const ServicePort& service) {
  return api::check_dns1123_label(service.name_space).empty() &&
         api::check_dns1123_label(service.name).empty();
}

}  // namespace hook_config

Result<HookConfig> HookConfig::read(api::View client_config) {
  HookConfig config;
  // A bundle of white space only counts as none.
  const std::optional<std::string> bundle = from_base64(client_config["caBundle"].text());
  if (!bundle) return Status(Reason::kInvalid, "the CA bundle is not base64");
  if (!trim(*bundle).empty()) config.authority_pem = *bundle;
  const api::View service = client_config["service"];
  if (!service) {
    config.url = client_config["url"].text();
    if (config.url.empty())
      return Status(Reason::kInvalid, "webhook configuration must have either service or URL");
    return config;
  }
  config.service = ServicePort{.name_space = std::string(service["namespace"].text()),
                               .name = std::string(service["name"].text()),
                               .port = service["port"].integer(hook_config::kUsualPort)};
  if (!hook_config::can_exist(*config.service))
    return Status(Reason::kUnknown, fmt::format("no service of a cluster is named {}",
                                                api::quoted(config.service->name_space + "/" +
                                                            config.service->name)));
  const std::string_view path = service["path"].text();
  config.url =
      fmt::format("https://{}.{}.svc:{}{}{}", config.service->name, config.service->name_space,
                  config.service->port, path.starts_with('/') ? "" : "/", path);
  return config;
}

std::string HookConfig::key() const {
  // Credentials are read once, and live as long as the server.
  return fmt::format("{}\n{}\n{}\n{}", service ? "service" : "url", url, authority_pem,
                     fmt::ptr(credentials.get()));
}

}  // namespace proa::apiserver
