#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace proa {

// An open file; closed by the destructor.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();

  int get() const { return number_; }
  bool valid() const { return number_ >= 0; }
  // Passes ownership to the caller.
  int release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

// The file system. Components never call the system directly: tests provide a wrapper that fails or
// tears writes. A missing path is kNotFound, an existing one kAlreadyExists; messages name the
// path.
class Files {
 public:
  virtual ~Files() = default;

  // The whole file; kRequestEntityTooLarge if it is longer than `limit` bytes.
  virtual Result<std::string> read_file(const std::string& path, size_t limit) = 0;
  // Readers of `path`, now or after a power loss, see either the old content or all of the new
  // content. The new content is durable when this returns.
  virtual Result<void> write_file_atomic(const std::string& path, std::string_view content,
                                         mode_t mode) = 0;
  // The names in a directory, sorted, without "." and "..".
  virtual Result<std::vector<std::string>> list(const std::string& path) = 0;
  // Creates a directory and its parents; existing ones are fine.
  virtual Result<void> make_dirs(const std::string& path, mode_t mode) = 0;
  // A file or an empty directory.
  virtual Result<void> remove(const std::string& path) = 0;
  virtual Result<bool> exists(const std::string& path) = 0;
  // Opens an untrusted path: it cannot lead out of `root`, neither by "..", nor by being absolute,
  // nor by a symbolic link. `flags` and `mode` as for open(2); close-on-exec is always set.
  virtual Result<FileDescriptor> open_beneath(const std::string& root, const std::string& path,
                                              int flags, mode_t mode) = 0;
};

class SystemFiles final : public Files {
 public:
  Result<std::string> read_file(const std::string& path, size_t limit) override;
  Result<void> write_file_atomic(const std::string& path, std::string_view content,
                                 mode_t mode) override;
  Result<std::vector<std::string>> list(const std::string& path) override;
  Result<void> make_dirs(const std::string& path, mode_t mode) override;
  Result<void> remove(const std::string& path) override;
  Result<bool> exists(const std::string& path) override;
  Result<FileDescriptor> open_beneath(const std::string& root, const std::string& path, int flags,
                                      mode_t mode) override;
};

}  // namespace proa
