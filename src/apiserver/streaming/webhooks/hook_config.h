#pragma once

#include <optional>
#include <string>

#include "api/object/view.h"
#include "apiserver/streaming/service_origin.h"
#include "base/result.h"

namespace proa::apiserver {

// Where a webhook is, as definitions and configurations state it in `clientConfig`.
struct HookConfig {
  std::string url;  // of a Service: "https://NAME.NAMESPACE.svc:443/path"
  std::optional<ServicePort> service = {};
  std::string authority_pem;  // empty: the system's trust store

  static Result<HookConfig> read(api::View client_config);
  // For caches: different ones have different keys.
  std::string key() const;
};

}  // namespace proa::apiserver
