#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace proa::kubelet {

// A tar archive (ustar) in memory. The same files give the same bytes: they are root's, of 1970.
class Tar {
 public:
  // REQUIRES: the name has less than 100 bytes.
  void add(std::string_view name, std::string_view content, mode_t mode);
  // Nothing can be added any more.
  std::string finish();

 private:
  std::string bytes_;
};

}  // namespace proa::kubelet
