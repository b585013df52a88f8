#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "base/time.h"
#include "controllers/node/node_facts.h"

namespace proa::controllers::nodes {

struct Toleration {
  std::string key = {};  // empty: of any taint
  std::string op = {};   // "Equal" (also when empty), "Exists"
  std::string value = {};
  std::string effect = {};  // empty: of any
  std::optional<int64_t> seconds = std::nullopt;
};

// Read once for each state of a pod.
const std::vector<Toleration>& tolerations_of(const api::Object& pod);

bool tolerates(const Toleration& toleration, const Taint& taint);

// How long a pod may stay where these taints are: zero: not at all; nullopt: for ever. Of several
// tolerations of one taint the first counts.
std::optional<Duration> may_stay(std::span<const Toleration> tolerations,
                                 std::span<const Taint> taints);

}  // namespace proa::controllers::nodes
