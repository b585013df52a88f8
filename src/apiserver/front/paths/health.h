#pragma once

#include <string>

#include "apiserver/front/paths/path_handler.h"
#include "apiserver/front/paths/slis.h"
#include "apiserver/request/health_checks.h"

namespace proa::apiserver {

// /livez, /readyz, /healthz, with ?verbose, ?exclude=NAME and /livez/NAME, formatted as upstream.
class HealthPaths final : public PathHandler {
 public:
  // Both outlive it. `slis` counts the results.
  HealthPaths(const HealthChecks& checks, SlisPath& slis) : checks_(checks), slis_(slis) {}

  std::optional<http::Response> answer(const http::RequestHead& head,
                                       const http::Target& target) override;

 private:
  http::Response run_all(const std::string& endpoint, const http::Target& target) const;
  http::Response run_one(const std::string& endpoint, std::string_view name) const;

  const HealthChecks& checks_;
  SlisPath& slis_;
};

}  // namespace proa::apiserver
