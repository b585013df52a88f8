#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/threads/mutex.h"
#include "kubelet/runtime/images/pull_record_files.h"

namespace proa::kubelet {

// With which credentials images were pulled, so that a pod can't use what another pod was allowed
// to pull. Images that somebody else brought here are for all (upstream's policy
// NeverVerifyPreloadedImages). From any thread.
class PullRecords {
 public:
  // Without files all is forgotten with the program: images are for all then.
  explicit PullRecords(std::optional<PullRecordFiles> files = std::nullopt);

  // What a pull of that reference brings is ours, whatever becomes of this program meanwhile.
  void begins(const std::string& reference) EXCLUDES(mutex_);
  void ended(const std::string& reference, bool ok) EXCLUDES(mutex_);
  // `key`: null when it was pulled without credentials; then it is for all.
  void pulled(const std::string& image_id, const std::string& repository, const PullKey* key)
      EXCLUDES(mutex_);
  // Whether we pulled it, under whatever name, or may have begun to.
  bool is_ours(const std::string& image_id, const std::string& reference) const EXCLUDES(mutex_);
  // Whether one of these keys opens it: the same credentials, or the same secret with new ones.
  // REQUIRES: it is ours.
  bool may_use(const std::string& image_id, const std::string& repository,
               const std::vector<PullKey>& keys) const EXCLUDES(mutex_);
  // Keeps those of the images that are still there.
  void keep_only(const std::vector<cri::Image>& images) EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::optional<PullRecordFiles> files_ GUARDED_BY(mutex_);
  std::map<std::string, ImagePulls> images_ GUARDED_BY(mutex_);
  // References whose pulls a program before this one did not see to their end.
  std::set<std::string> interrupted_ GUARDED_BY(mutex_);
};

}  // namespace proa::kubelet
