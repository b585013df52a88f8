#include "apiserver/front/paths/health.h"

#include <set>

namespace proa::apiserver {
namespace health {

bool is_endpoint(std::string_view name) {
  return name == "livez" || name == "readyz" || name == "healthz";
}

HealthScope scope_of(std::string_view endpoint) {
  return endpoint == "livez" ? HealthScope::kLiveness : HealthScope::kReadiness;
}

std::set<std::string, std::less<>> excluded(const http::Target& target) {
  std::set<std::string, std::less<>> names;
  for (const auto& [name, value] : target.query) {
    if (name == "exclude") names.insert(value);
  }
  return names;
}

}  // namespace health

std::optional<http::Response> HealthPaths::answer(const http::RequestHead&,
                                                  const http::Target& target) {
  if (target.segments.empty() || !health::is_endpoint(target.segments[0])) return std::nullopt;
  const std::string& endpoint = target.segments[0];
  if (target.segments.size() == 1) return run_all(endpoint, target);
  if (target.segments.size() == 2) return run_one(endpoint, target.segments[1]);
  return text_response(404, "404 page not found\n");
}

http::Response HealthPaths::run_one(const std::string& endpoint, std::string_view name) const {
  const auto outcomes =
      checks_.run(health::scope_of(endpoint), [&](std::string_view one) { return one == name; });
  if (outcomes.empty()) return text_response(404, "404 page not found\n");
  for (const HealthChecks::Outcome& outcome : outcomes) {
    if (outcome.result) continue;
    return text_response(500, "internal server error: " + outcome.result.status().message() + "\n");
  }
  return text_response(200, "ok");
}

http::Response HealthPaths::run_all(const std::string& endpoint, const http::Target& target) const {
  std::set<std::string, std::less<>> excluded = health::excluded(target);
  std::string report;
  bool failed = false;
  std::set<std::string, std::less<>> found;
  const auto outcomes =
      checks_.run(health::scope_of(endpoint), [](std::string_view) { return true; });
  for (const HealthChecks::Outcome& outcome : outcomes) {
    if (excluded.contains(outcome.name)) {
      report += "[+]" + outcome.name + " excluded: ok\n";
      found.insert(outcome.name);
      continue;
    }
    slis_.observe(outcome.name, endpoint, outcome.result.ok());
    if (outcome.result) {
      report += "[+]" + outcome.name + " ok\n";
    } else {
      // The reason is only logged: anybody may call this.
      report += "[-]" + outcome.name + " failed: reason withheld\n";
      failed = true;
    }
  }
  for (const std::string& name : excluded) {
    if (found.contains(name)) continue;
    report += "warn: some health checks cannot be excluded: no matches for \"" + name + "\"\n";
  }
  if (failed) return text_response(500, report + endpoint + " check failed\n");
  if (target.find("verbose") == nullptr) return text_response(200, "ok");
  return text_response(200, report + endpoint + " check passed\n");
}

}  // namespace proa::apiserver
