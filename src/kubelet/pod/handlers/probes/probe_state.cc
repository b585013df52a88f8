#include "kubelet/pod/handlers/probes/probe_state.h"

#include <algorithm>

namespace proa::kubelet {
namespace probe_states {

// The API's default replaces invalid values.
int64_t positive(int64_t number, int64_t fallback) { return number > 0 ? number : fallback; }

}  // namespace probe_states

ProbeSettings read_probe_settings(const objects::Probe& probe, ProbeKind kind) {
  using probe_states::positive;
  const objects::Probe defaults;
  ProbeSettings settings;
  settings.kind = kind;
  settings.initial_delay = std::chrono::seconds(std::max<int64_t>(probe.initial_delay_seconds, 0));
  settings.period = std::chrono::seconds(positive(probe.period_seconds, defaults.period_seconds));
  settings.failure_threshold = positive(probe.failure_threshold, defaults.failure_threshold);
  settings.success_threshold = positive(probe.success_threshold, defaults.success_threshold);
  return settings;
}

const std::optional<objects::Probe>& find_probe(const objects::Container& container,
                                                ProbeKind kind) {
  switch (kind) {
    case ProbeKind::kLiveness:
      return container.liveness;
    case ProbeKind::kReadiness:
      return container.readiness;
    case ProbeKind::kStartup:
      break;
  }
  return container.startup;
}

std::string_view probe_field(ProbeKind kind) {
  switch (kind) {
    case ProbeKind::kLiveness:
      return "livenessProbe";
    case ProbeKind::kReadiness:
      return "readinessProbe";
    case ProbeKind::kStartup:
      break;
  }
  return "startupProbe";
}

std::string_view probe_name(ProbeKind kind) {
  switch (kind) {
    case ProbeKind::kLiveness:
      return "Liveness";
    case ProbeKind::kReadiness:
      return "Readiness";
    case ProbeKind::kStartup:
      break;
  }
  return "Startup";
}

ProbeState::Notice ProbeState::see(const ProbedContainer& now) {
  Notice notice;
  const bool is_other = now.id != now_.id;
  const bool had_ended = now_.ended && !is_other;
  if (is_other) {
    notice.forget = now_.id;
    on_hold_ = false;
    last_.reset();
    run_ = 0;
    const bool begins_anew = !now.id.empty() && !now.adopted;
    if (begins_anew && settings_.kind == ProbeKind::kLiveness) notice.result = true;
    if (begins_anew && settings_.kind == ProbeKind::kReadiness) notice.result = false;
    // One that had started under the kubelet before us need not show it again.
    if (settings_.kind == ProbeKind::kStartup && now.adopted && now.has_started) {
      notice.result = true;
    }
  }
  now_ = now;
  if (now_.ended && !had_ended) notice.result = false;
  return notice;
}

bool ProbeState::wants_probe() const {
  if (!now_.running || on_hold_) return false;
  return settings_.kind == ProbeKind::kStartup ? !now_.has_started : now_.has_started;
}

Duration ProbeState::first_wait(Time now) const {
  const Duration left = now_.started + settings_.initial_delay - now;
  // The system clock may have been set back: never longer than the delay itself.
  return std::clamp(left, Duration::zero(), settings_.initial_delay);
}

std::optional<bool> ProbeState::judge(bool passed) {
  run_ = last_ == passed ? run_ + 1 : 1;
  last_ = passed;
  if (run_ < (passed ? settings_.success_threshold : settings_.failure_threshold)) {
    return std::nullopt;
  }
  if (settings_.kind == ProbeKind::kStartup ||
      (settings_.kind == ProbeKind::kLiveness && !passed)) {
    on_hold_ = true;
    run_ = 0;
  }
  return passed;
}

}  // namespace proa::kubelet
