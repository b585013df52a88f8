#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace proa::testkit {

// The names of all scripts (*.txt) of a folder, without their ending, in the order of the alphabet:
// for tests that run a script without listing it. Empty if there is no such folder, since it is
// called before main; the test suite then fails as one without instances.
inline std::vector<std::string> scripts_of(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".txt") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace proa::testkit
