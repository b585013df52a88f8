#pragma once

#include <string>

#include "apiserver/front/paths/path_handler.h"
#include "apiserver/request/health_checks.h"

namespace proa::apiserver {

// /livez, /readyz, /healthz, with ?verbose, ?exclude=NAME and /livez/NAME, formatted as upstream.
class HealthPaths final : public PathHandler {
 public:
  // The checks outlive it.
  explicit HealthPaths(const HealthChecks& checks) : checks_(checks) {}

  std::optional<http::Response> answer(const http::RequestHead& head,
                                       const http::Target& target) override;

 private:
  http::Response run_all(const std::string& endpoint, const http::Target& target) const;
  http::Response run_one(const std::string& endpoint, std::string_view name) const;

  const HealthChecks& checks_;
};

}  // namespace proa::apiserver
