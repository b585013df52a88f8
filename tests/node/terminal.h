#pragma once

#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <vector>

#include "testkit/patience.h"

namespace proa::node_tests {

// A program on a pseudo-terminal whose input and size the test controls. Killed on destruction.
class Terminal {
 public:
  struct Size {
    unsigned short rows = 24;
    unsigned short columns = 80;
  };

  Terminal(std::vector<std::string> words, Size size) {
    const winsize window = window_of(size);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    process_ = forkpty(&keys_, nullptr, nullptr, &window);
    if (process_ == 0) {
      execvp(arguments[0], arguments.data());
      _exit(127);
    }
  }
  ~Terminal() {
    if (process_ > 0) kill(process_, SIGKILL);
    wait();
    if (keys_ >= 0) close(keys_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void resize(Size size) {
    const winsize window = window_of(size);
    ioctl(keys_, TIOCSWINSZ, &window);
  }
  void type(const std::string& text) {
    if (write(keys_, text.data(), text.size()) < 0) shown_ += "(nobody reads the keys)";
  }
  // Waits until it has printed the text, after what was waited for before; false if it ends first,
  // or on timeout.
  bool shows(const std::string& text) {
    size_t found = 0;
    while ((found = shown_.find(text, seen_)) == std::string::npos) {
      if (!read_more()) return false;
    }
    seen_ = found + text.size();
    return true;
  }
  // All output.
  const std::string& shown() const { return shown_; }
  // Its exit code, if it has exited.
  int end() {
    while (read_more()) continue;
    return wait();
  }

 private:
  static winsize window_of(Size size) {
    return {.ws_row = size.rows, .ws_col = size.columns, .ws_xpixel = 0, .ws_ypixel = 0};
  }
  bool read_more() {
    pollfd polled{.fd = keys_, .events = POLLIN, .revents = 0};
    const auto patience = testkit::patient(std::chrono::milliseconds(20'000));
    if (poll(&polled, 1, static_cast<int>(patience.count())) <= 0) return false;
    char buffer[4096];
    const ssize_t count = read(keys_, buffer, sizeof buffer);
    if (count <= 0) return false;
    shown_.append(buffer, static_cast<size_t>(count));
    return true;
  }
  int wait() {
    if (process_ <= 0) return -1;
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  pid_t process_ = -1;
  int keys_ = -1;
  std::string shown_;
  size_t seen_ = 0;
};

}  // namespace proa::node_tests
