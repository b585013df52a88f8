#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/files.h"
#include "kubelet/runtime/images/keyring.h"

namespace proa::kubelet {

// How an image was pulled from one repository.
struct PullRecord {
  bool is_open = false;            // without credentials: it is for all
  std::vector<PullKey> keys = {};  // without the credentials themselves
};
using ImagePulls = std::map<std::string, PullRecord>;  // by repository

// The files of pull records: one per image, in upstream's format (ImagePulledRecord in
// ROOT/image_manager/pulled, ImagePullIntent in .../pulling). Failed writes are logged; the record
// is then lost on restart. For one thread at a time.
class PullRecordFiles {
 public:
  PullRecordFiles(Files& files, std::string folder) : files_(files), folder_(std::move(folder)) {}

  std::map<std::string, ImagePulls> read() const;  // by the image's id
  void write(const std::string& image_id, const ImagePulls& pulls);
  void remove(const std::string& image_id);

  // References whose pulls were started and not recorded as finished.
  std::set<std::string> interrupted() const;
  void begin(const std::string& reference);
  void end(const std::string& reference);

 private:
  std::string pulled(const std::string& image_id) const;
  std::string pulling(const std::string& reference) const;
  void save(const std::string& folder, const std::string& path, const std::string& text);
  void discard(const std::string& path);

  Files& files_;
  const std::string folder_;
};

}  // namespace proa::kubelet
