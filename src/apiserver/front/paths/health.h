#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "apiserver/front/paths/path_handler.h"
#include "base/result.h"

namespace proa::apiserver {

// A health check. `run` must not block; called from any thread.
struct HealthCheck {
  std::string name;
  std::function<Result<void>()> run;
  bool for_liveness = true;  // false: readiness only, as a restart would not help
};

// /livez, /readyz, /healthz, with ?verbose, ?exclude=NAME and /livez/NAME, formatted as upstream.
class HealthPaths final : public PathHandler {
 public:
  explicit HealthPaths(std::vector<HealthCheck> checks);

  std::optional<http::Response> answer(const http::RequestHead& head,
                                       const http::Target& target) override;

  // True from the end of startup to the beginning of shutdown.
  void set_ready(bool ready) { ready_.store(ready, std::memory_order_relaxed); }

 private:
  http::Response run_all(const std::string& endpoint, const http::Target& target) const;

  std::atomic<bool> ready_{false};
  std::vector<HealthCheck> checks_;
};

}  // namespace proa::apiserver
