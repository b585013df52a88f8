#include "apiserver/request/health_checks.h"

#include <atomic>

#include "base/log.h"

namespace proa::apiserver {
namespace health_checks {

const Log kLog{"apiserver"};

bool concerns(const HealthCheck& check, HealthScope scope) {
  return check.scope == HealthScope::kBoth || check.scope == scope;
}

}  // namespace health_checks

struct HealthChecks::Entry {
  HealthCheck check;
  std::atomic<bool> failing = false;

  Result<void> run() {
    Result<void> result = check.run();
    if (failing.exchange(!result.ok()) == !result.ok()) return result;
    if (result) {
      health_checks::kLog.info("health check passed again", {{"check", check.name}});
    } else {
      health_checks::kLog.warn("health check failed",
                               {{"check", check.name}, {"error", result.status()}});
    }
    return result;
  }
};

void HealthChecks::add(HealthCheck check) {
  auto entry = std::make_shared<Entry>();
  entry->check = std::move(check);
  MutexLock lock(mutex_);
  entries_.push_back(std::move(entry));
}

std::vector<HealthChecks::Outcome> HealthChecks::run(
    HealthScope scope, const std::function<bool(std::string_view name)>& wanted) const {
  std::vector<std::shared_ptr<Entry>> entries;
  {
    MutexLock lock(mutex_);
    entries = entries_;
  }
  std::vector<Outcome> outcomes;
  for (const std::shared_ptr<Entry>& entry : entries) {
    if (!health_checks::concerns(entry->check, scope) || !wanted(entry->check.name)) continue;
    outcomes.push_back({entry->check.name, entry->run()});
  }
  return outcomes;
}

Result<void> HealthChecks::run(std::string_view name) const {
  for (Outcome& outcome :
       run(HealthScope::kReadiness, [&](std::string_view one) { return one == name; })) {
    if (!outcome.result) return outcome.result;
  }
  return {};
}

}  // namespace proa::apiserver
