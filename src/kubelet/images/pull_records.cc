#include "kubelet/images/pull_records.h"

#include <algorithm>
#include <set>

namespace proa::kubelet {
namespace pull_records {

// More than that many secrets for one image are not remembered; the next pod pulls again.
constexpr size_t kMaxKeys = 100;

bool opens(const PullKey& held, const PullKey& known) {
  return (!known.hash.empty() && held.hash == known.hash) || held.is_same_secret(known);
}

}  // namespace pull_records

void PullRecords::pulled(const std::string& image_id, const std::string& repository,
                         const PullKey* key) {
  MutexLock lock(mutex_);
  Record& record = images_[image_id][repository];
  if (key == nullptr) {
    record.is_open = true;
    record.keys.clear();
    return;
  }
  const bool is_known = std::any_of(record.keys.begin(), record.keys.end(), [&](const auto& known) {
    return known.hash == key->hash && known.is_same_secret(*key);
  });
  if (record.is_open || is_known || record.keys.size() >= pull_records::kMaxKeys) return;
  record.keys.push_back(*key);
  record.keys.back().credentials = {};
}

bool PullRecords::is_ours(const std::string& image_id) const {
  MutexLock lock(mutex_);
  return images_.count(image_id) > 0;
}

bool PullRecords::may_use(const std::string& image_id, const std::string& repository,
                          const std::vector<PullKey>& keys) const {
  MutexLock lock(mutex_);
  const auto image = images_.find(image_id);
  if (image == images_.end()) return true;
  const auto record = image->second.find(repository);
  if (record == image->second.end()) return false;
  if (record->second.is_open) return true;
  return std::any_of(keys.begin(), keys.end(), [&](const PullKey& held) {
    return std::any_of(record->second.keys.begin(), record->second.keys.end(),
                       [&](const PullKey& known) { return pull_records::opens(held, known); });
  });
}

void PullRecords::keep_only(const std::vector<cri::Image>& images) {
  std::set<std::string> ids;
  for (const cri::Image& image : images) ids.insert(image.id);
  MutexLock lock(mutex_);
  std::erase_if(images_, [&](const auto& image) { return ids.count(image.first) == 0; });
}

}  // namespace proa::kubelet
