#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/e2e/leftovers.h"

// For tests that run the program with little of everything.
namespace proa::e2e {

// A cgroup with a memory limit, where this process may make one. Removed on destruction.
class MemoryCgroup {
 public:
  explicit MemoryCgroup(size_t bytes) {
    namespace fs = std::filesystem;
    const bool v2 = fs::exists("/sys/fs/cgroup/cgroup.controllers");
    const fs::path base = v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    remove_leftover_cgroups(base);
    const fs::path place = base / own_mark();
    std::error_code failed;
    if (!fs::create_directory(place, failed)) return;
    path_ = place.string();
    std::ofstream limit(place / (v2 ? "memory.max" : "memory.limit_in_bytes"));
    limit << bytes << std::flush;
    if (limit.good()) procs_ = path_ + "/cgroup.procs";
  }
  ~MemoryCgroup() {
    if (!path_.empty()) rmdir(path_.c_str());
  }
  MemoryCgroup(const MemoryCgroup&) = delete;
  MemoryCgroup& operator=(const MemoryCgroup&) = delete;

  bool works() const { return !procs_.empty(); }
  // Called between fork and exec.
  void enter() const {
    if (procs_.empty()) return;
    const int file = open(procs_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0 || write(file, "0", 1) != 1) _exit(126);
  }

 private:
  std::string path_;
  std::string procs_;  // empty: there is no limit
};

// Called between fork and exec: the program does not outlive a test that is killed. REQUIRES: the
// thread that starts it runs to the end of the test.
inline void end_with_test() { prctl(PR_SET_PDEATHSIG, SIGKILL); }

// Called between fork and exec.
inline void limit_descriptors(rlim_t count) {
  const rlimit limit{count, count};
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) _exit(126);
}

}  // namespace proa::e2e
