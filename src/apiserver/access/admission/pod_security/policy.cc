#include "apiserver/access/admission/pod_security/policy.h"

#include <array>

#include "base/strings.h"

namespace proa::apiserver::pod_security {
namespace policy {

using api::FieldErrors;
using api::Path;
using api::View;

constexpr std::array<std::string_view, 3> kNames{"privileged", "baseline", "restricted"};

void complain(std::string_view label, std::string_view value, std::string_view problem,
              FieldErrors& errors) {
  const Path labels("metadata.labels");
  errors.invalid(labels.key(label), value, problem);
}

// Returns whether the label is present and valid; sets `level` to `fallback` if it is invalid.
bool read_level(View labels, std::string_view label, Level fallback, Level& level,
                FieldErrors& errors) {
  if (!labels[label]) return false;
  const std::string_view text = labels[label].text();
  const std::optional<Level> read = parse_level(text);
  level = read.value_or(fallback);
  if (!read) complain(label, text, kLevelProblem, errors);
  return read.has_value();
}

void read_version(View labels, std::string_view label, Version& version, FieldErrors& errors) {
  if (!labels[label]) return;
  const std::string_view text = labels[label].text();
  const std::optional<Version> read = parse_version(text);
  version = read.value_or(Version{});
  if (!read) complain(label, text, kVersionProblem, errors);
}

}  // namespace policy

std::string_view level_name(Level level) { return policy::kNames[static_cast<size_t>(level)]; }

std::optional<Level> parse_level(std::string_view text) {
  for (const Level level : {Level::kPrivileged, Level::kBaseline, Level::kRestricted}) {
    if (text == level_name(level)) return level;
  }
  return std::nullopt;
}

std::string Version::str() const { return latest ? "latest" : "v1." + std::to_string(minor); }

std::optional<Version> parse_version(std::string_view text) {
  if (text == "latest") return Version{};
  constexpr std::string_view kPrefix = "v1.";
  if (!text.starts_with(kPrefix)) return std::nullopt;
  const std::string_view digits = text.substr(kPrefix.size());
  if (digits.size() > 1 && digits.front() == '0') return std::nullopt;
  const std::optional<int64_t> minor = parse_int(digits);
  if (!minor || digits.front() == '-') return std::nullopt;
  return Version{.latest = false, .minor = *minor};
}

bool Standard::is_equivalent(const Standard& other) const {
  return *this == other || (level == Level::kPrivileged && other.level == Level::kPrivileged);
}

std::string Standard::str() const { return std::string(level_name(level)) + ":" + version.str(); }

bool Policy::is_equivalent(const Policy& other) const {
  return enforce.is_equivalent(other.enforce) && audit.is_equivalent(other.audit) &&
         warn.is_equivalent(other.warn);
}

bool Policy::allows_everything() const { return is_equivalent(Policy{}); }

Policy policy_of(api::View labels, const Policy& defaults, api::FieldErrors& errors) {
  Policy found = defaults;
  const bool enforces =
      policy::read_level(labels, kEnforceLabel, Level::kRestricted, found.enforce.level, errors);
  policy::read_version(labels, kEnforceVersionLabel, found.enforce.version, errors);
  policy::read_level(labels, kAuditLabel, Level::kPrivileged, found.audit.level, errors);
  policy::read_version(labels, kAuditVersionLabel, found.audit.version, errors);
  policy::read_level(labels, kWarnLabel, Level::kPrivileged, found.warn.level, errors);
  policy::read_version(labels, kWarnVersionLabel, found.warn.version, errors);
  // Warn about pod templates whose pods would be rejected.
  if (enforces && !labels[kWarnLabel] && found.enforce.level > found.warn.level) {
    found.warn.level = found.enforce.level;
    if (!labels[kWarnVersionLabel]) found.warn.version = found.enforce.version;
  }
  return found;
}

}  // namespace proa::apiserver::pod_security
