#include "apiserver/front/fairness/watch_counts.h"

#include <algorithm>
#include <vector>

namespace proa::apiserver::fairness {
namespace watch_counts {

std::string key_of(const Attributes& attributes, std::string_view name_space,
                   std::string_view name) {
  std::string key(attributes.group);
  for (const std::string_view part : {attributes.resource, name_space, name})
    key.append("/").append(part);
  return key;
}

// As upstream's watch tracker, which knows that pods are indexed by their node.
bool is_of_one_node(const Attributes& watch) {
  return watch.resource == "pods" && std::ranges::any_of(watch.fields, [](const auto& term) {
           return term.field == "spec.nodeName" && term.equal && !term.value.empty();
         });
}

}  // namespace watch_counts

std::shared_ptr<void> WatchCounts::add(const Attributes& watch) {
  if (watch_counts::is_of_one_node(watch)) return nullptr;
  std::string key = watch_counts::key_of(watch, watch.name_space, watch.name);
  {
    MutexLock lock(mutex_);
    ++counts_[key];
  }
  return {nullptr, [self = shared_from_this(), key = std::move(key)](void*) { self->remove(key); }};
}

void WatchCounts::remove(const std::string& key) {
  MutexLock lock(mutex_);
  const auto found = counts_.find(key);
  if (found != counts_.end() && --found->second == 0) counts_.erase(found);
}

int64_t WatchCounts::interested_in(const Attributes& change) const {
  MutexLock lock(mutex_);
  if (counts_.empty()) return 0;
  // Of all objects, of those in the namespace, and of this one.
  std::vector<std::string> keys{watch_counts::key_of(change, "", "")};
  if (!change.name_space.empty())
    keys.push_back(watch_counts::key_of(change, change.name_space, ""));
  if (!change.name.empty())
    keys.push_back(watch_counts::key_of(change, change.name_space, change.name));
  int64_t sum = 0;
  for (const std::string& key : keys) {
    const auto found = counts_.find(key);
    if (found != counts_.end()) sum += found->second;
  }
  return sum;
}

}  // namespace proa::apiserver::fairness
