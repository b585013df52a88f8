#include "scheduler/plugins/basic/priority_sort.h"

namespace proa::scheduler {
namespace priority_sort {

class PrioritySort final : public QueueSortPlugin {
 public:
  std::string_view name() const override { return "PrioritySort"; }

  bool goes_before(const QueuedPod& a, const QueuedPod& b) const override {
    const int32_t first = a.pod->priority();
    const int32_t second = b.pod->priority();
    return first != second ? first > second : a.queued < b.queued;
  }
};

}  // namespace priority_sort

Result<std::unique_ptr<Plugin>> make_priority_sort(const PluginContext& /*context*/,
                                                   api::View /*args*/) {
  return std::make_unique<priority_sort::PrioritySort>();
}

}  // namespace proa::scheduler
