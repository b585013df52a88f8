#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "api/object/view.h"
#include "api/typed/table.h"
#include "base/time.h"

// Taints of nodes, and the tolerations of pods.

namespace proa::kinds::pods {

inline constexpr std::string_view kNoSchedule = "NoSchedule";
inline constexpr std::string_view kNoExecute = "NoExecute";

struct Taint {
  std::string key;
  std::string value = {};
  std::string effect = {};

  // Taints with the same key and effect replace each other; the value does not matter.
  bool is(std::string_view other_key, std::string_view other_effect) const {
    return key == other_key && effect == other_effect;
  }
  bool operator==(const Taint&) const = default;
  static const api::FieldTable& table();
};

std::vector<Taint> read_taints(api::View node_spec);
// Decoded once per version of a node.
const std::vector<Taint>& taints_of(const api::Object& node);

struct Toleration {
  std::string key = {};  // empty: any key
  std::string op = {};   // "Equal" (also when empty), "Exists"
  std::string value = {};
  std::string effect = {};  // empty: of any
  std::optional<int64_t> seconds = std::nullopt;

  static const api::FieldTable& table();
};

std::vector<Toleration> read_tolerations(api::View pod_spec);
// Decoded once per version of a pod.
const std::vector<Toleration>& tolerations_of(const api::Object& pod);

bool tolerates(const Toleration& toleration, const Taint& taint);

// How long a pod may stay on a node with these taints. Zero: not at all; nullopt: forever. If
// several tolerations match a taint, the first one counts.
std::optional<Duration> may_stay(std::span<const Toleration> tolerations,
                                 std::span<const Taint> taints);

}  // namespace proa::kinds::pods
