#include "server.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <utility>

#include "meter.h"

namespace proa::load {

Server::Server(const std::string& binary, const std::string& directory, const std::string& address,
               const std::vector<std::string>& flags) {
  const int port = testkit::free_port();
  // setpriv costs a millisecond of the start.
  std::vector<std::string> words{"setpriv", "--pdeathsig", "KILL",
                                 binary,    "server",      "--data-dir",
                                 directory, "--listen",    address + ":" + std::to_string(port)};
  words.insert(words.end(), flags.begin(), flags.end());
  const auto start = std::chrono::steady_clock::now();
  process_ = std::make_unique<testkit::Process>(std::move(words), directory + ".log");
  while (!is_ready(port)) {
    if (seconds_since(start) > 60) fail("the server does not get ready: see " + directory + ".log");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ready_seconds_ = seconds_since(start);
  target_ = read_target(directory + "/admin.kubeconfig");
}

Server::~Server() {
  process_->signal(SIGTERM);
  process_->wait();
}

std::string server_binary() {
  const char* named = std::getenv("PROA_BINARY");
  std::string path =
      named != nullptr
          ? named
          : (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "proa").string();
  if (::access(path.c_str(), X_OK) != 0) fail(path + " is not there: build it, or set PROA_BINARY");
  return path;
}

}  // namespace proa::load
