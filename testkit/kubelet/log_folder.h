#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "base/files.h"

namespace proa::kubelet {

// A folder of logs, with a pod's folder "pod/main"; removed on destruction.
class TestFolder {
 public:
  TestFolder() {
    char path[] = "/tmp/proa-logs-XXXXXX";
    root = ::mkdtemp(path);
    EXPECT_TRUE(files.make_dirs(root + "/pod/main", 0755).ok());
  }
  ~TestFolder() {
    for (const std::string& name : names()) ::unlink((root + "/pod/main/" + name).c_str());
    ::rmdir((root + "/pod/main").c_str());
    ::rmdir((root + "/pod").c_str());
    ::rmdir(root.c_str());
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  std::string path(const std::string& name) const { return root + "/pod/main/" + name; }
  std::vector<std::string> names() { return *files.list(root + "/pod/main"); }
  void append(const std::string& name, std::string_view text) const {
    const FileDescriptor file(
        ::open(path(name).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640));
    EXPECT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  SystemFiles files;
  std::string root;
};

}  // namespace proa::kubelet
