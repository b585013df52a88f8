#include "apiserver/front/paths/health.h"

#include <set>

#include "base/log.h"

namespace proa::apiserver {
namespace health {

const Log kLog{"apiserver"};

bool is_endpoint(std::string_view name) {
  return name == "livez" || name == "readyz" || name == "healthz";
}

bool concerns(const HealthCheck& check, std::string_view endpoint) {
  return endpoint != "livez" || check.for_liveness;
}

std::set<std::string, std::less<>> excluded(const http::Target& target) {
  std::set<std::string, std::less<>> names;
  for (const auto& [name, value] : target.query) {
    if (name == "exclude") names.insert(value);
  }
  return names;
}

}  // namespace health

HealthPaths::HealthPaths(std::vector<HealthCheck> checks) : checks_(std::move(checks)) {
  checks_.insert(checks_.begin(), {.name = "ping", .run = [] { return Result<void>(); }});
  checks_.push_back({.name = "ready",
                     .run = [this]() -> Result<void> {
                       if (ready_.load(std::memory_order_relaxed)) return {};
                       return Status(Reason::kServiceUnavailable, "starting or stopping");
                     },
                     .for_liveness = false});
}

std::optional<http::Response> HealthPaths::answer(const http::RequestHead& head,
                                                  const http::Target& target) {
  if (target.segments.empty() || !health::is_endpoint(target.segments[0])) return std::nullopt;
  if (head.method != "GET" && head.method != "HEAD") {
    return text_response(405, "method not allowed\n");
  }
  const std::string& endpoint = target.segments[0];
  if (target.segments.size() == 1) return run_all(endpoint, target);
  for (const HealthCheck& check : checks_) {
    if (target.segments.size() != 2 || check.name != target.segments[1]) continue;
    if (!health::concerns(check, endpoint)) continue;
    const Result<void> outcome = check.run();
    if (outcome) return text_response(200, "ok");
    return text_response(500, "internal server error: " + outcome.status().message() + "\n");
  }
  return text_response(404, "404 page not found\n");
}

http::Response HealthPaths::run_all(const std::string& endpoint, const http::Target& target) const {
  std::set<std::string, std::less<>> excluded = health::excluded(target);
  std::string report;
  std::string failed;
  for (const HealthCheck& check : checks_) {
    if (!health::concerns(check, endpoint)) continue;
    if (excluded.erase(check.name) > 0) {
      report += "[+]" + check.name + " excluded: ok\n";
      continue;
    }
    const Result<void> outcome = check.run();
    if (outcome) {
      report += "[+]" + check.name + " ok\n";
      continue;
    }
    // The reason is only logged: anybody may call this.
    report += "[-]" + check.name + " failed: reason withheld\n";
    failed += (failed.empty() ? "" : ",") + check.name;
    health::kLog.warn("health check failed", {{"check", check.name}, {"error", outcome.status()}});
  }
  for (const std::string& name : excluded) {
    report += "warn: some health checks cannot be excluded: no matches for \"" + name + "\"\n";
  }
  if (!failed.empty()) return text_response(500, report + endpoint + " check failed\n");
  if (target.find("verbose") == nullptr) return text_response(200, "ok");
  return text_response(200, report + endpoint + " check passed\n");
}

}  // namespace proa::apiserver
