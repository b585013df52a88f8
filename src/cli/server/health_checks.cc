#include "cli/server/health_checks.h"

namespace proa::cli {
namespace health_checks {

template <typename Component>
void add(apiserver::HealthChecks& checks, std::string name, const Component* component) {
  if (component == nullptr) return;
  checks.add({.name = std::move(name),
              .run = [component] { return component->health(); },
              .scope = apiserver::HealthScope::kReadiness});
}

}  // namespace health_checks

void add_health_checks(apiserver::HealthChecks& checks, const CheckedComponents& components) {
  health_checks::add(checks, "controllers", components.controllers);
  health_checks::add(checks, "scheduler", components.scheduler);
  health_checks::add(checks, "runtime", components.node);
  health_checks::add(checks, "certificates", components.certificates);
}

}  // namespace proa::cli
