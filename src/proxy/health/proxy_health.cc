#include "proxy/health/proxy_health.h"

#include <fmt/format.h>

#include <algorithm>

namespace proa::proxy {
namespace proxy_health {

// Twice upstream's default syncPeriod.
constexpr Duration kPatience = std::chrono::minutes(1);
constexpr Family kFamilies[] = {Family::kV4, Family::kV6};
// The zero of Go's time.
constexpr std::string_view kNever = "0001-01-01T00:00:00Z";

std::string time_text(const std::optional<Time>& time) {
  return time ? format_time(*time) : std::string(kNever);
}

}  // namespace proxy_health

void ProxyHealth::queued() {
  MutexLock lock(mutex_);
  for (Side& side : sides_) {
    if (!side.waits_since) side.waits_since = clock_.steady();
  }
}

void ProxyHealth::updated(Family family) {
  MutexLock lock(mutex_);
  sides_[static_cast<size_t>(family)] = {.updated = clock_.now(), .waits_since = std::nullopt};
}

void ProxyHealth::set_eligible(bool eligible) {
  MutexLock lock(mutex_);
  eligible_ = eligible;
}

bool ProxyHealth::healthy(const Side& side) const {
  return !side.updated || !side.waits_since ||
         clock_.steady() - *side.waits_since < proxy_health::kPatience;
}

bool ProxyHealth::all_healthy() const { return healthy(sides_[0]) && healthy(sides_[1]); }

bool ProxyHealth::healthy() const {
  MutexLock lock(mutex_);
  return all_healthy();
}

http::Response ProxyHealth::response(std::optional<bool> eligible) const {
  const bool healthy_rules = all_healthy();
  const bool good = healthy_rules && eligible.value_or(true);
  std::optional<Time> last;
  std::string status;
  for (const Family family : proxy_health::kFamilies) {
    const Side& side = sides_[static_cast<size_t>(family)];
    if (!side.updated) continue;
    last = std::max(last, side.updated);
    status +=
        fmt::format(R"({}"{}":{{"lastUpdated":"{}","healthy":{}}})", status.empty() ? "" : ",",
                    name_of(family), format_time(*side.updated), healthy(side));
  }
  const Time now = clock_.now();
  if (good) last = now;
  std::string body = fmt::format(R"({{"lastUpdated":"{}","currentTime":"{}")",
                                 proxy_health::time_text(last), format_time(now));
  if (eligible) body += fmt::format(R"(,"nodeEligible":{})", *eligible);
  body += fmt::format(R"(,"healthy":{})", healthy_rules);
  if (!status.empty()) body += fmt::format(R"(,"status":{{{}}})", status);
  body += '}';
  return {.status = good ? 200 : 503,
          .headers = {{"content-type", "application/json"}, {"x-content-type-options", "nosniff"}},
          .body = Bytes(std::move(body)),
          .trailers = {}};
}

http::Response ProxyHealth::healthz() const {
  MutexLock lock(mutex_);
  return response(eligible_);
}

http::Response ProxyHealth::livez() const {
  MutexLock lock(mutex_);
  return response(std::nullopt);
}

}  // namespace proa::proxy
