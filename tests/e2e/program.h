#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

// Shared by tests of the program.
namespace proa::e2e {

// The program under test: PROA_BINARY, or the one built with this test.
inline std::string program() {
  if (const char* path = std::getenv("PROA_BINARY"); path != nullptr) return path;
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "proa").string();
}

struct Outcome {
  int code = -1;     // -1: it was killed
  std::string text;  // standard output and standard error
};

inline Outcome run_shell(const std::string& command) {
  Outcome outcome;
  FILE* pipe = popen(("{ " + command + "\n} 2>&1 </dev/null").c_str(), "r");
  char buffer[4096];
  while (const size_t count = fread(buffer, 1, sizeof buffer, pipe)) {
    outcome.text.append(buffer, count);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
  return outcome;
}

// `environment`: "NAME=value NAME=value".
inline Outcome run_program(const std::string& words, const std::string& environment = "") {
  return run_shell("env " + environment + " " + program() + " " + words);
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "proa_e2e_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // Writes a file into it and returns its path.
  std::string file(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << content;
    return (path_ / name).string();
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace proa::e2e
