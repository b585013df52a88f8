#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace proa::testkit {

// A program that a test or benchmark runs; killed and reaped on destruction.
class Process {
 public:
  // Starts `arguments[0]`, looked up in PATH. Its output goes to the file `output`.
  explicit Process(std::vector<std::string> arguments, const std::string& output = "/dev/null");
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  // Waits for it to exit; returns the exit code, or 128 plus the signal.
  int wait();

 private:
  pid_t pid_ = -1;
};

bool has_program(const std::string& name);
// Waits until a server accepts connections at 127.0.0.1:port; false after ten seconds.
bool wait_for_port(int port);
// A recently free port of 127.0.0.1, for programs that cannot choose one themselves.
int free_port();

// A temporary directory, removed with its content.
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
