#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/files.h"

namespace proa::kubelet {

// Facts about this machine from the kernel and system files. Read once: they do not change at run
// time. What cannot be read is empty or zero.
struct Machine {
  int64_t cpus = 0;
  int64_t memory_bytes = 0;
  int64_t swap_bytes = 0;
  std::map<std::string, int64_t> huge_pages = {};  // bytes, by resource: "hugepages-2Mi"
  std::string machine_id = {};
  std::string system_uuid = {};
  std::string boot_id = {};
  std::string kernel = {};
  std::string os_image = {};
};

// `root`: prefix of "/proc", "/sys" and "/etc"; empty except in tests.
Machine read_machine(Files& files, const std::string& root);

// The architecture as image platforms and Go name it: "amd64", "arm64".
std::string_view architecture();

// Available memory as upstream computes it: free memory and inactive page cache. Fails if
// /proc/meminfo cannot be parsed.
Result<int64_t> available_memory(Files& files, const std::string& root);

struct DiskSpace {
  int64_t capacity = 0;  // bytes
  int64_t available = 0;
  int64_t inodes = 0;  // zero: the filesystem does not count them
  int64_t inodes_free = 0;
};
// Of the filesystem of `path`.
Result<DiskSpace> disk_space(const std::string& path);

}  // namespace proa::kubelet
