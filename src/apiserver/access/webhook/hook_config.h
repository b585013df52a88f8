#pragma once

#include <memory>
#include <optional>
#include <string>

#include "api/object/view.h"
#include "base/result.h"
#include "client/kubeconfig.h"

namespace proa::apiserver {

// A port of a Service that this server calls itself.
struct ServicePort {
  std::string name_space = {};
  std::string name = {};
  int64_t port = 443;
};

// Where a webhook is, as definitions and configurations state it in `clientConfig`.
struct HookConfig {
  std::string url;  // of a Service: "https://NAME.NAMESPACE.svc:443/path"
  std::optional<ServicePort> service = {};
  std::string authority_pem;  // empty: the system's trust store
  // Who this server is to the webhook; null: nobody.
  std::shared_ptr<const client::Connection> credentials = nullptr;

  static Result<HookConfig> read(api::View client_config);
  // For caches: different ones have different keys.
  std::string key() const;
};

}  // namespace proa::apiserver
