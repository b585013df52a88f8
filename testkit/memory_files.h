#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/files.h"

namespace proa::testkit {

// Only files that a test wrote exist.
class MemoryFiles final : public Files {
 public:
  Result<std::string> read_file(const std::string& path, size_t) override {
    const auto found = content.find(path);
    if (found == content.end())
      return Status(Reason::kNotFound, "open " + path + ": no such file or directory");
    return found->second;
  }
  Result<void> write_file_atomic(const std::string&, std::string_view, mode_t) override {
    return {};
  }
  Result<std::vector<std::string>> list(const std::string&) override {
    return std::vector<std::string>();
  }
  Result<void> make_dirs(const std::string&, mode_t) override { return {}; }
  Result<void> remove(const std::string&) override { return {}; }
  Result<bool> exists(const std::string& path) override { return content.contains(path); }
  Result<FileDescriptor> open_beneath(const std::string&, const std::string&, int,
                                      mode_t) override {
    return Status(Reason::kNotFound, "none");
  }

  std::map<std::string, std::string> content;
};

}  // namespace proa::testkit
