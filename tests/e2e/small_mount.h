#pragma once

#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/files.h"
#include "tests/e2e/leftovers.h"

namespace proa::e2e {

// A small file system, where this process may mount one.
class SmallMount {
 public:
  SmallMount(std::string path, int megabytes) : path_(std::move(path)) {
    remove_leftover_mounts();
    std::filesystem::create_directories(path_);
    const std::string size = "size=" + std::to_string(megabytes) + "m";
    mounted_ = ::mount(own_mark().c_str(), path_.c_str(), "tmpfs", 0, size.c_str()) == 0;
  }
  ~SmallMount() {
    if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  SmallMount(const SmallMount&) = delete;
  SmallMount& operator=(const SmallMount&) = delete;

  bool mounted() const { return mounted_; }
  std::string data_dir() const { return path_ + "/data"; }
  // Another program takes all that is left, until free().
  void fill() const {
    const FileDescriptor file(
        ::open(filler().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    for (size_t piece = 1 << 20; piece > 0;) {
      const std::string bytes(piece, 'x');
      if (::write(file.get(), bytes.data(), bytes.size()) <= 0) piece /= 2;
    }
  }
  void free() const { ::unlink(filler().c_str()); }

 private:
  std::string filler() const { return path_ + "/filler"; }

  const std::string path_;
  bool mounted_ = false;
};

}  // namespace proa::e2e
