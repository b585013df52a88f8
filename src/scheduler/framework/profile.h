#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scheduler/framework/plugin.h"

namespace proa::scheduler {

struct WeightedScore {
  ScorePlugin* plugin = nullptr;
  int64_t weight = 1;
};

// The plugins of one schedulerName by extension point, in order.
struct Profile {
  std::string scheduler_name = {};
  std::vector<std::unique_ptr<Plugin>> plugins = {};

  std::vector<PreEnqueuePlugin*> pre_enqueue = {};
  QueueSortPlugin* queue_sort = nullptr;
  std::vector<FilterPlugin*> filter = {};
  std::vector<PostFilterPlugin*> post_filter = {};
  std::vector<WeightedScore> score = {};
  std::vector<ReservePlugin*> reserve = {};
  std::vector<PermitPlugin*> permit = {};
  std::vector<PreBindPlugin*> pre_bind = {};
  std::vector<BindPlugin*> bind = {};
  std::vector<PostBindPlugin*> post_bind = {};
};

}  // namespace proa::scheduler
