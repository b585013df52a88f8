#pragma once

#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

// What a test makes outside of its process has the name of that process: a test that was killed
// cannot remove it, so the next one does. What is in use stays.
namespace proa::e2e {

inline const std::string& leftover_prefix() {
  static const std::string kPrefix = "proa-test-";
  return kPrefix;
}

inline std::string own_mark() { return leftover_prefix() + std::to_string(getpid()); }

// Whether that is the mark of a process that is gone.
inline bool is_leftover(const std::string& mark) {
  if (!mark.starts_with(leftover_prefix())) return false;
  const int pid = std::atoi(mark.c_str() + leftover_prefix().size());
  return pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH;
}

// Empty cgroups of tests that are gone.
inline void remove_leftover_cgroups(const std::filesystem::path& base) {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(base, failed)) {
    if (is_leftover(entry.path().filename().string())) ::rmdir(entry.path().c_str());
  }
}

// File systems of tests that are gone, and the temporary folders that they were mounted in.
inline void remove_leftover_mounts() {
  std::vector<std::filesystem::path> found;
  std::ifstream mounts("/proc/self/mounts");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string source;
    std::string path;
    if (words >> source >> path && is_leftover(source)) found.emplace_back(path);
  }
  for (const std::filesystem::path& path : found) {
    if (::umount2(path.c_str(), 0) != 0) continue;
    // SmallMounts are in folders of TemporaryFolder.
    const std::filesystem::path folder = path.parent_path();
    std::error_code failed;
    if (folder.filename().string().starts_with("proa_e2e_")) {
      std::filesystem::remove_all(folder, failed);
    }
  }
}

}  // namespace proa::e2e
