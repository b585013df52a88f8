#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace proa::testkit {

// A program that a test or benchmark runs beside itself; killed and waited for when it goes.
class Process {
 public:
  // Starts `arguments[0]`, looked up in PATH. Its output goes to `output` (a file), or nowhere.
  explicit Process(std::vector<std::string> arguments, const std::string& output = "/dev/null");
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  // Waits for its end; the exit code, or 128 and the signal.
  int wait();

 private:
  pid_t pid_ = -1;
};

bool has_program(const std::string& name);
// Waits until something accepts connections at 127.0.0.1:port; false when nothing does within ten
// seconds.
bool wait_for_port(int port);
// A port of 127.0.0.1 that was free a moment ago, for programs that can't choose one themselves.
int free_port();

// A directory of its own, removed with all that is in it.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  // Writes a file there and returns its path.
  std::string write(const std::string& name, const std::string& content) const;

 private:
  std::string path_;
};

}  // namespace proa::testkit
