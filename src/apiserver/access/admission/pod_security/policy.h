#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/validation/field_errors.h"

// What the labels of a namespace say about its pods.

namespace proa::apiserver::pod_security {

// How much pods may ask for: a later one allows less.
enum class Level : uint8_t { kPrivileged, kBaseline, kRestricted };

std::string_view level_name(Level level);
std::optional<Level> parse_level(std::string_view text);
inline constexpr std::string_view kLevelProblem = "must be one of privileged, baseline, restricted";

// Whose release's idea of a level counts: of 1.x, or of the latest, which is newer than all others.
struct Version {
  bool latest = true;
  int64_t minor = 0;  // zero for the latest

  auto operator<=>(const Version&) const = default;
  std::string str() const;
};

std::optional<Version> parse_version(std::string_view text);
inline constexpr std::string_view kVersionProblem = R"(must be "latest" or "v1.x")";

// What pods are held to.
struct Standard {
  Level level = Level::kPrivileged;
  Version version;

  bool operator==(const Standard&) const = default;
  // The version of what allows everything does not matter.
  bool is_equivalent(const Standard& other) const;
  std::string str() const;  // "restricted:latest"
};

struct Policy {
  Standard enforce;  // others are refused
  Standard audit;    // others are written down
  Standard warn;     // who sends others is told

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

// By the labels of a namespace. What can't be read is an error, and means the strictest where it
// would be enforced, nothing elsewhere.
Policy policy_of(api::View labels, const Policy& defaults, api::FieldErrors& errors);

}  // namespace proa::apiserver::pod_security
