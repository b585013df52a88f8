#include "controllers/node/tolerations.h"

#include <algorithm>

#include "api/object/view.h"

namespace proa::controllers::nodes {
namespace tolerations {

using api::View;

// Longer is for ever: beyond that, durations could not be added to times.
constexpr int64_t kForeverSeconds = int64_t{100} * 365 * 24 * 3600;

std::vector<Toleration> read(const api::Object& pod) {
  std::vector<Toleration> read;
  const Result<json::Document> document = pod.document();
  if (!document) return read;
  for (const View one : View(document->root())["spec"]["tolerations"].items()) {
    Toleration toleration{.key = std::string(one["key"].text()),
                          .op = std::string(one["operator"].text()),
                          .value = std::string(one["value"].text()),
                          .effect = std::string(one["effect"].text())};
    const View seconds = one["tolerationSeconds"];
    if (seconds.exists()) toleration.seconds = seconds.integer();
    read.push_back(std::move(toleration));
  }
  return read;
}

}  // namespace tolerations

const std::vector<Toleration>& tolerations_of(const api::Object& pod) {
  return pod.kept<std::vector<Toleration>>([&] { return tolerations::read(pod); });
}

// The operators Lt and Gt are behind a gate that is off (TaintTolerationComparisonOperators): they
// tolerate nothing.
bool tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op.empty() || toleration.op == "Equal") return toleration.value == taint.value;
  return toleration.op == "Exists";
}

std::optional<Duration> may_stay(std::span<const Toleration> tolerations,
                                 std::span<const Taint> taints) {
  int64_t least = tolerations::kForeverSeconds;
  for (const Taint& taint : taints) {
    const auto found = std::find_if(tolerations.begin(), tolerations.end(),
                                    [&](const Toleration& one) { return tolerates(one, taint); });
    if (found == tolerations.end()) return Duration::zero();
    if (found->seconds) least = std::min(least, std::max<int64_t>(0, *found->seconds));
  }
  if (least == tolerations::kForeverSeconds) return std::nullopt;
  return std::chrono::seconds(least);
}

}  // namespace proa::controllers::nodes
