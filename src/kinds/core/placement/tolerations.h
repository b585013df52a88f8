#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "api/object/view.h"
#include "base/time.h"

// Which taints of nodes a pod bears.

namespace proa::kinds::pods {

inline constexpr std::string_view kNoSchedule = "NoSchedule";
inline constexpr std::string_view kNoExecute = "NoExecute";

struct Taint {
  std::string key;
  std::string value = {};
  std::string effect = {};

  // One taint in another's place: what it stands for decides, not its value.
  bool is(std::string_view other_key, std::string_view other_effect) const {
    return key == other_key && effect == other_effect;
  }
  bool operator==(const Taint&) const = default;
};

std::vector<Taint> read_taints(api::View node_spec);
// Read once for each state of a node.
const std::vector<Taint>& taints_of(const api::Object& node);

struct Toleration {
  std::string key = {};  // empty: of any taint
  std::string op = {};   // "Equal" (also when empty), "Exists"
  std::string value = {};
  std::string effect = {};  // empty: of any
  std::optional<int64_t> seconds = std::nullopt;
};

std::vector<Toleration> read_tolerations(api::View pod_spec);
// Read once for each state of a pod.
const std::vector<Toleration>& tolerations_of(const api::Object& pod);

bool tolerates(const Toleration& toleration, const Taint& taint);

// How long a pod may stay where these taints are: zero: not at all; nullopt: for ever. Of several
// tolerations of one taint the first counts.
std::optional<Duration> may_stay(std::span<const Toleration> tolerations,
                                 std::span<const Taint> taints);

}  // namespace proa::kinds::pods
