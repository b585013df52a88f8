#include "kinds/core/placement/tolerations.h"

#include <algorithm>

#include "api/typed/decode.h"

namespace proa::kinds::pods {
namespace tolerations {

using api::View;

// Longer than any practical wait.
constexpr int64_t kForeverSeconds = int64_t{100} * 365 * 24 * 3600;

// The result of `read` on the object's spec, cached with the object.
template <typename T>
const T& kept_of_spec(const api::Object& object, T (*read)(View spec)) {
  return object.kept<T>([&] {
    const Result<json::Document> document = object.document();
    return document ? read(View(document->root())["spec"]) : T();
  });
}

}  // namespace tolerations

const api::FieldTable& Taint::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&Taint::key>("key"),
      api::entry<&Taint::value>("value"),
      api::entry<&Taint::effect>("effect"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Taint", .entries = kEntries};
  return kTable;
}

const api::FieldTable& Toleration::table() {
  static constexpr api::FieldEntry kEntries[] = {
      api::entry<&Toleration::key>("key"),
      api::entry<&Toleration::op>("operator"),
      api::entry<&Toleration::value>("value"),
      api::entry<&Toleration::effect>("effect"),
      api::entry<&Toleration::seconds>("tolerationSeconds"),
  };
  static constexpr api::FieldTable kTable{.types = "v1/Toleration", .entries = kEntries};
  return kTable;
}

std::vector<Taint> read_taints(api::View node_spec) {
  std::vector<Taint> read;
  for (const api::View one : node_spec["taints"].items()) {
    read.push_back({.key = std::string(one["key"].text()),
                    .value = std::string(one["value"].text()),
                    .effect = std::string(one["effect"].text())});
  }
  return read;
}

const std::vector<Taint>& taints_of(const api::Object& node) {
  return tolerations::kept_of_spec(node, read_taints);
}

std::vector<Toleration> read_tolerations(api::View pod_spec) {
  std::vector<Toleration> read;
  for (const api::View one : pod_spec["tolerations"].items()) {
    Toleration toleration{.key = std::string(one["key"].text()),
                          .op = std::string(one["operator"].text()),
                          .value = std::string(one["value"].text()),
                          .effect = std::string(one["effect"].text())};
    const api::View seconds = one["tolerationSeconds"];
    if (seconds.exists()) toleration.seconds = seconds.integer();
    read.push_back(std::move(toleration));
  }
  return read;
}

const std::vector<Toleration>& tolerations_of(const api::Object& pod) {
  return tolerations::kept_of_spec(pod, read_tolerations);
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

}  // namespace proa::kinds::pods
