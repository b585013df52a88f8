#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "api/selector/label_selector.h"
#include "client/informer/informers.h"
#include "scheduler/model/pod.h"

namespace proa::scheduler {

// The remaining disruptions of a PodDisruptionBudget.
struct Budget {
  std::string name_space = {};
  api::LabelSelector selector = {};
  int64_t allowed = 0;
  std::unordered_set<std::string> on_their_way = {};  // names of pods already counted as disrupted

  bool covers(const Pod& pod) const;
};

Budget read_budget(const api::Object& budget);

// All budgets, from an informer. For the scheduler's thread.
class Budgets {
 public:
  explicit Budgets(client::Informers& informers);
  Budgets(const Budgets&) = delete;
  Budgets& operator=(const Budgets&) = delete;

  const std::vector<Budget>& all() const;
  // Incremented with every change.
  uint64_t changes() const { return changes_; }

 private:
  client::Informer& informer_;
  uint64_t changes_ = 1;
  mutable uint64_t read_at_ = 0;
  mutable std::vector<Budget> budgets_;
};

}  // namespace proa::scheduler
