#include "kubelet/runtime/images/pull_records.h"

#include <algorithm>

namespace proa::kubelet {
namespace pull_records {

// More than that many secrets for one image are not remembered; the next pod pulls again.
constexpr size_t kMaxKeys = 100;

bool opens(const PullKey& held, const PullKey& known) {
  return (!known.hash.empty() && held.hash == known.hash) || held.is_same_secret(known);
}

}  // namespace pull_records

PullRecords::PullRecords(std::optional<PullRecordFiles> files) : files_(std::move(files)) {
  MutexLock lock(mutex_);
  if (!files_) return;
  images_ = files_->read();
  interrupted_ = files_->interrupted();
}

void PullRecords::begins(const std::string& reference) {
  MutexLock lock(mutex_);
  if (files_) files_->begin(reference);
}

void PullRecords::ended(const std::string& reference, bool ok) {
  MutexLock lock(mutex_);
  if (ok) interrupted_.erase(reference);
  // An image that an interrupted pull may have loaded has no known credentials yet.
  if (files_ && !interrupted_.contains(reference)) files_->end(reference);
}

void PullRecords::pulled(const std::string& image_id, const std::string& repository,
                         const PullKey* key) {
  MutexLock lock(mutex_);
  PullRecord& record = images_[image_id][repository];
  const bool is_known = std::any_of(record.keys.begin(), record.keys.end(), [&](const auto& known) {
    return key != nullptr && known.hash == key->hash && known.is_same_secret(*key);
  });
  if (record.is_open || is_known || record.keys.size() >= pull_records::kMaxKeys) return;
  if (key == nullptr) {
    record.is_open = true;
    record.keys.clear();
  } else {
    record.keys.push_back(*key);
    record.keys.back().credentials = {};
  }
  if (files_) files_->write(image_id, images_[image_id]);
}

bool PullRecords::is_ours(const std::string& image_id, const std::string& reference) const {
  MutexLock lock(mutex_);
  return images_.contains(image_id) || interrupted_.contains(reference);
}

bool PullRecords::may_use(const std::string& image_id, const std::string& repository,
                          const std::vector<PullKey>& keys) const {
  MutexLock lock(mutex_);
  const auto image = images_.find(image_id);
  if (image == images_.end()) return false;
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
  for (auto image = images_.begin(); image != images_.end();) {
    if (ids.contains(image->first)) {
      ++image;
      continue;
    }
    if (files_) files_->remove(image->first);
    image = images_.erase(image);
  }
}

}  // namespace proa::kubelet
