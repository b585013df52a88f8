#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/validation/field_errors.h"

// The pod security policy in the labels of a namespace.

namespace proa::apiserver::pod_security {

// In increasing strictness.
enum class Level : uint8_t { kPrivileged, kBaseline, kRestricted };

std::string_view level_name(Level level);
std::optional<Level> parse_level(std::string_view text);
inline constexpr std::string_view kLevelProblem = "must be one of privileged, baseline, restricted";

// The Kubernetes release whose definition of the level applies: v1.x, or latest, which is greater
// than all others.
struct Version {
  bool latest = true;
  int64_t minor = 0;  // zero for the latest

  auto operator<=>(const Version&) const = default;
  std::string str() const;
};

std::optional<Version> parse_version(std::string_view text);
inline constexpr std::string_view kVersionProblem = R"(must be "latest" or "v1.x")";

// A level at a version.
struct Standard {
  Level level = Level::kPrivileged;
  Version version;

  bool operator==(const Standard&) const = default;
  // True also if both are privileged, whatever their versions.
  bool is_equivalent(const Standard& other) const;
  std::string str() const;  // "restricted:latest"
};

struct Policy {
  Standard enforce;  // violations are rejected
  Standard audit;    // violations are audited
  Standard warn;     // violations cause warnings

  bool operator==(const Policy&) const = default;
  bool is_equivalent(const Policy& other) const;
  bool allows_everything() const;
};

inline constexpr std::string_view kEnforceLabel = "pod-security.kubernetes.io/enforce";
inline constexpr std::string_view kEnforceVersionLabel =
    "pod-security.kubernetes.io/enforce-version";
inline constexpr std::string_view kAuditLabel = "pod-security.kubernetes.io/audit";
inline constexpr std::string_view kAuditVersionLabel = "pod-security.kubernetes.io/audit-version";
inline constexpr std::string_view kWarnLabel = "pod-security.kubernetes.io/warn";
inline constexpr std::string_view kWarnVersionLabel = "pod-security.kubernetes.io/warn-version";

// Reads the labels of a namespace. An invalid label is an error; it then counts as the strictest
// standard for enforce and as privileged for the others.
Policy policy_of(api::View labels, const Policy& defaults, api::FieldErrors& errors);

}  // namespace proa::apiserver::pod_security
