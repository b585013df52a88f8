#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/workload/objects/common.h"

namespace proa::controllers::objects {

struct CronMetadata {
  Time created{};

  static const api::FieldTable& table();
};

struct CronJobSpec {
  std::string schedule;
  std::optional<std::string> time_zone;
  std::optional<int64_t> starting_deadline_seconds;
  std::string_view concurrency_policy;
  bool suspend = false;
  std::optional<int64_t> successful_limit;
  std::optional<int64_t> failed_limit;

  static const api::FieldTable& table();
};

struct CronJobStatus {
  std::optional<Time> last_schedule;

  static const api::FieldTable& table();
};

struct CronJob {
  CronMetadata metadata;
  CronJobSpec spec;
  CronJobStatus status;

  static const api::FieldTable& table();
};

}  // namespace proa::controllers::objects
