#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/files.h"

namespace proa::kubelet {

// What this machine is, as its kernel and its files tell it. Read once: it does not change while
// we run. What can't be read is empty or zero.
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

// `root`: what stands before "/proc", "/sys" and "/etc"; empty but in tests.
Machine read_machine(Files& files, const std::string& root);

// As containers' images and Go call this machine: "amd64", "arm64".
std::string_view architecture();

// What of the memory could be given to somebody, as upstream counts it: what is free, and pages of
// files that nobody used lately. Failure when /proc/meminfo makes no sense.
Result<int64_t> available_memory(Files& files, const std::string& root);

struct DiskSpace {
  int64_t capacity = 0;  // bytes
  int64_t available = 0;
  int64_t inodes = 0;  // zero: the filesystem does not count them
  int64_t inodes_free = 0;
};
// Of the filesystem that `path` lies on.
Result<DiskSpace> disk_space(const std::string& path);

}  // namespace proa::kubelet
