#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "program.h"
#include "testkit/patience.h"

namespace proa::e2e {

// A running program with some arguments; killed on destruction.
class Process {
 public:
  // `confine` is called in the new process, before the program starts: no memory is allocated.
  explicit Process(std::vector<std::string> words, const std::function<void()>& confine = {}) {
    words.insert(words.begin(), program());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    int pipe_ends[2];
    if (pipe2(pipe_ends, O_CLOEXEC) != 0) return;
    process_ = fork();
    if (process_ == 0) {
      dup2(pipe_ends[1], STDOUT_FILENO);
      dup2(pipe_ends[1], STDERR_FILENO);
      if (confine) confine();
      execv(arguments[0], arguments.data());
      _exit(127);
    }
    close(pipe_ends[1]);
    reader_ = std::jthread([this, output = pipe_ends[0]] { read_all(output); });
  }
  ~Process() { stop(SIGKILL); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Waits until it has printed the text; false if its output ends first, or after half a minute (on
  // an ordinary machine).
  bool wait_for(const std::string& word) {
    std::unique_lock lock(mutex_);
    bool found = false;
    more_.wait_for(lock, testkit::patient(std::chrono::seconds(30)), [&] {
      found = said_.find(word) != std::string::npos;
      return found || ended_;
    });
    return found;
  }

  pid_t pid() const { return process_; }
  // All output so far.
  std::string said() const {
    const std::lock_guard lock(mutex_);
    return said_;
  }
  // Zero once it was stopped.
  pid_t id() const { return std::max(process_, 0); }
  // The exit code after the signal; -1 if it was killed.
  int stop(int signal) {
    if (process_ <= 0) return -1;
    kill(process_, signal);
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = -1;
    reader_.join();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  // Keeps the pipe empty, so that the server never blocks on it.
  void read_all(int output) {
    char buffer[4096];
    ssize_t count = 0;
    while ((count = read(output, buffer, sizeof buffer)) > 0) {
      const std::lock_guard lock(mutex_);
      said_.append(buffer, static_cast<size_t>(count));
      more_.notify_all();
    }
    close(output);
    const std::lock_guard lock(mutex_);
    ended_ = true;
    more_.notify_all();
  }

  pid_t process_ = -1;
  mutable std::mutex mutex_;
  std::condition_variable more_;
  std::string said_;
  bool ended_ = false;
  std::jthread reader_;
};

// A server on a free port.
class Server : public Process {
 public:
  // `command`: "server" or "up". `flags`: additional ones.
  explicit Server(const std::string& data_dir, const std::string& command = "server",
                  const std::vector<std::string>& flags = {},
                  const std::function<void()>& confine = {})
      : Process(words(data_dir, command, flags), confine) {}

  bool ready() { return wait_for("Ready"); }
  // "https://127.0.0.1:PORT", once it is printed.
  std::string url() const {
    const std::string text = said();
    const size_t begin = text.find("https://");
    if (begin == std::string::npos) return "";
    return text.substr(begin, text.find_first_of(" \n", begin) - begin);
  }

 private:
  static std::vector<std::string> words(const std::string& data_dir, const std::string& command,
                                        const std::vector<std::string>& flags) {
    // Pods cannot reach a loopback address.
    const char* listen = command == "up" ? "0.0.0.0:0" : "127.0.0.1:0";
    std::vector<std::string> words = {command, "--listen", listen, "--data-dir", data_dir};
    // Tests leave the machine's rules alone.
    if (command == "up") {
      words.insert(words.end(), {"--proxy-mode", "none", "--network-policy", "none"});
    }
    words.insert(words.end(), flags.begin(), flags.end());
    return words;
  }
};

}  // namespace proa::e2e
