#pragma once

#include <stdlib.h>  // mkdtemp

#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/files.h"

namespace proa::kubelet {

// A folder that imitates the /proc, /sys and /etc of a machine; removed on destruction.
class TestMachine {
 public:
  TestMachine() {
    std::string name = "/tmp/proa-machine-XXXXXX";
    CHECK(::mkdtemp(name.data()) != nullptr);
    path_ = name;
    write("/proc/meminfo",
          "MemTotal:       16384000 kB\nMemFree:        1024000 kB\nInactive(file):  512000 kB\n"
          "SwapTotal:          2048 kB\n");
    write("/proc/sys/kernel/random/boot_id", "boot-1\n");
    write("/proc/sys/kernel/osrelease", "6.1.0\n");
    write("/sys/devices/system/cpu/online", "0-3,8\n");
    write("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "4\n");
    write("/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages", "0\n");
    write("/etc/machine-id", "0123456789abcdef\n");
    write("/etc/os-release", "NAME=Some\nPRETTY_NAME=\"Some Linux 12 (bookworm)\"\n");
  }
  ~TestMachine() { remove_all(path_); }
  TestMachine(const TestMachine&) = delete;
  TestMachine& operator=(const TestMachine&) = delete;

  const std::string& path() const { return path_; }
  void write(const std::string& name, std::string_view content) {
    const std::string path = path_ + name;
    CHECK(files.make_dirs(path.substr(0, path.rfind('/')), 0755).ok());
    CHECK(files.write_file_atomic(path, content, 0644).ok());
  }

  SystemFiles files;

 private:
  void remove_all(const std::string& path) {
    const Result<std::vector<std::string>> names = files.list(path);
    if (names) {
      for (const std::string& name : *names) remove_all(path + "/" + name);
    }
    static_cast<void>(files.remove(path).ok());
  }

  std::string path_;
};

}  // namespace proa::kubelet
