#pragma once

#include <memory>
#include <string>
#include <vector>

#include "connection.h"
#include "testkit/process.h"

namespace proa::load {

// `proa server`, as a child with a directory and a port of its own. It goes when its owner goes,
// also when the benchmark is killed.
class Server {
 public:
  // Returns when /readyz says so. `binary` is a path, `directory` the data directory, `address`
  // where it listens: it must be reachable as 127.0.0.1.
  Server(const std::string& binary, const std::string& directory,
         const std::string& address = "127.0.0.1", const std::vector<std::string>& flags = {});
  // In order, so that nothing but the start is in the next start's time.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  const Target& target() const { return target_; }
  pid_t pid() const { return process_->pid(); }
  // From the start of the process to the first 200 of /readyz.
  double ready_seconds() const { return ready_seconds_; }

 private:
  std::unique_ptr<testkit::Process> process_;
  Target target_;
  double ready_seconds_ = 0;
};

// PROA_BINARY, or the program beside this one.
std::string server_binary();

}  // namespace proa::load
