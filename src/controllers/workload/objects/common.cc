#include "controllers/workload/objects/common.h"

#include <algorithm>

namespace proa::controllers::objects {

using api::entry;

std::optional<Time> StatusCondition::since() const {
  const Result<Time> time = parse_time(last_transition);
  return time ? std::optional(*time) : std::nullopt;
}

const api::FieldTable& StatusCondition::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&StatusCondition::type>("type"),
      entry<&StatusCondition::status>("status"),
      entry<&StatusCondition::last_transition>("lastTransitionTime"),
      entry<&StatusCondition::reason>("reason"),
      entry<&StatusCondition::message>("message"),
  };
  static constexpr api::FieldTable kTable{
      .types = "apps/v1/ReplicaSetCondition batch/v1/JobCondition v1/PodCondition",
      .entries = kEntries};
  return kTable;
}

const StatusCondition* find_condition(std::span<const StatusCondition> conditions,
                                      std::string_view type) {
  const auto found = std::find_if(conditions.begin(), conditions.end(),
                                  [&](const StatusCondition& one) { return one.type == type; });
  return found == conditions.end() ? nullptr : &*found;
}

bool condition_holds(std::span<const StatusCondition> conditions, std::string_view type) {
  const StatusCondition* found = find_condition(conditions, type);
  return found != nullptr && found->holds();
}

const api::FieldTable& RollingUpdate::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&RollingUpdate::max_unavailable>("maxUnavailable"),
      entry<&RollingUpdate::max_surge>("maxSurge"),
  };
  static constexpr api::FieldTable kTable{
      .types = "apps/v1/RollingUpdateDeployment apps/v1/RollingUpdateDaemonSet",
      .entries = kEntries};
  return kTable;
}

const api::FieldTable& ScaleSpec::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ScaleSpec::replicas>("replicas"),
  };
  static constexpr api::FieldTable kTable{.types = "autoscaling/v1/ScaleSpec", .entries = kEntries};
  return kTable;
}

const api::FieldTable& ScaleStatus::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&ScaleStatus::replicas>("replicas"),
      entry<&ScaleStatus::selector>("selector"),
  };
  static constexpr api::FieldTable kTable{.types = "autoscaling/v1/ScaleStatus",
                                          .entries = kEntries};
  return kTable;
}

const api::FieldTable& Scale::table() {
  static constexpr api::FieldEntry kEntries[] = {
      entry<&Scale::spec>("spec"),
      entry<&Scale::status>("status"),
  };
  static constexpr api::FieldTable kTable{.types = "autoscaling/v1/Scale", .entries = kEntries};
  return kTable;
}

}  // namespace proa::controllers::objects
