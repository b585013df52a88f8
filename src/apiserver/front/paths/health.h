#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "apiserver/front/paths/path_handler.h"
#include "base/result.h"

namespace proa::apiserver {

// One thing that must be well. `run` must not wait; from any thread.
struct HealthCheck {
  std::string name;
  std::function<Result<void>()> run;
  bool for_liveness = true;  // a restart may help; otherwise it only says whether to send requests
};

// /livez, /readyz, /healthz, with ?verbose, ?exclude=NAME and /livez/NAME, in upstream's words.
class HealthPaths final : public PathHandler {
 public:
  explicit HealthPaths(std::vector<HealthCheck> checks);

  std::optional<http::Response> answer(const http::RequestHead& head,
                                       const http::Target& target) override;

  // Ready from the end of the start to the begin of the stop.
  void set_ready(bool ready) { ready_.store(ready, std::memory_order_relaxed); }

 private:
  http::Response run_all(const std::string& endpoint, const http::Target& target) const;

  std::atomic<bool> ready_{false};
  std::vector<HealthCheck> checks_;
};

}  // namespace proa::apiserver
