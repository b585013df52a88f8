#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "http/net/endpoint.h"
#include "http/net/loop.h"

namespace proa::http {

void close_descriptor(int descriptor);

// A listening socket, TCP or unix. It accepts on one loop and passes descriptors on, so that
// connections are spread evenly over the loops.
class Listener {
 public:
  using Accepted = std::function<void(int descriptor, std::string address, bool is_unix)>;

  // `accepted` is called on the loop's thread and owns the descriptor. `exhausted` is called there
  // when the process has no descriptor left for a connection.
  Listener(Loop& loop, Accepted accepted, std::function<void()> exhausted = {});
  // REQUIRES: stopped, or never listened.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Not on the loop's thread. Returns the actual address, with the port that the system chose for
  // port 0. kAlreadyExists if the address is in use.
  Result<Endpoint> listen(const Endpoint& where);
  void stop();

 private:
  struct Handle;
  void resume();
  void accept_some();
  void warn(const char* why);

  Loop& loop_;
  const Accepted accepted_;
  const std::function<void()> exhausted_;
  std::optional<Steady> warned_;  // that accepting failed
  int descriptor_ = -1;
  std::string unix_path_;
  Handle* handle_ = nullptr;  // freed by the loop once it is closed
};

}  // namespace proa::http
