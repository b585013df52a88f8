#include "apiserver/front/fairness/object_figures.h"

#include "apiserver/objects/keys.h"

namespace proa::apiserver::fairness {
namespace object_figures {

constexpr Duration kFresh = std::chrono::seconds(1);
// Custom resources come and go: more than a cluster has of them.
constexpr size_t kMostSamples = 4096;

}  // namespace object_figures

std::optional<ObjectFigures> ObjectSampler::figures(const api::Resource& resource, Steady now) {
  if (resource.key_prefix.empty()) return std::nullopt;
  const std::string prefix = prefix_of(resource, "");
  {
    MutexLock lock(mutex_);
    const auto found = samples_.find(prefix);
    if (found != samples_.end() && now - found->second.taken < object_figures::kFresh)
      return found->second.figures;
  }
  const ObjectFigures figures = look(prefix);
  MutexLock lock(mutex_);
  if (samples_.size() >= object_figures::kMostSamples) samples_.clear();
  samples_.insert_or_assign(prefix, Sample{figures, now});
  return figures;
}

ObjectFigures ObjectSampler::look(const std::string& prefix) const {
  ObjectFigures figures;
  const auto range =
      store_.range({.keys = store::KeyRange::prefix(prefix), .revision = {}, .limit = kSample});
  if (!range || range->entries.empty()) return figures;
  size_t bytes = 0;
  for (const store::EntryPtr& entry : range->entries) bytes += entry->value().size();
  figures.objects = static_cast<int64_t>(range->entries.size());
  figures.average_bytes = static_cast<int64_t>(bytes / range->entries.size());
  figures.more = range->more;
  return figures;
}

}  // namespace proa::apiserver::fairness
