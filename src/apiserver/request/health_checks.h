#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/threads/mutex.h"

namespace proa::apiserver {

// Which of /livez and /readyz ask. /healthz is /readyz.
enum class HealthScope : uint8_t {
  kBoth,
  kLiveness,
  kReadiness,  // a restart would not help
};

struct HealthCheck {
  std::string name;
  // What is wrong, in a Status. Must not block; called from any thread.
  std::function<Result<void>()> run;
  HealthScope scope = HealthScope::kBoth;
};

// The health checks of a server, in the order in which components added them. A check whose result
// changed is logged, once. Thread-safe.
class HealthChecks {
 public:
  // REQUIRES: what it refers to outlives the last request.
  void add(HealthCheck check) EXCLUDES(mutex_);

  struct Outcome {
    std::string name;
    Result<void> result;
  };
  // Runs those of a scope, kLiveness or kReadiness, whose name `wanted` accepts.
  std::vector<Outcome> run(HealthScope scope,
                           const std::function<bool(std::string_view name)>& wanted) const
      EXCLUDES(mutex_);
  // Of readiness; OK if there is no check with this name.
  Result<void> run(std::string_view name) const;

 private:
  struct Entry;
  mutable Mutex mutex_;
  std::vector<std::shared_ptr<Entry>> entries_ GUARDED_BY(mutex_);
};

}  // namespace proa::apiserver
