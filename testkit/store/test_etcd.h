#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "http/client/request.h"
#include "testkit/process.h"

namespace proa::testkit {

// An etcd of one member, on free ports and with a folder of its own. It ends with the test.
class TestEtcd {
 public:
  // `flags`: further ones; with `tls` they name the certificates.
  explicit TestEtcd(std::vector<std::string> flags = {}, bool tls = false);

  // Why there can be none on this machine; empty: there can.
  static std::string missing();

  http::Origin origin() const { return {.tls = tls_, .host = "127.0.0.1", .port = port_}; }
  int port() const { return port_; }
  std::string url() const {
    return (tls_ ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port_);
  }
  // What it wrote to its log.
  std::string log() const;

  // Several members of one cluster.
  static std::vector<std::unique_ptr<TestEtcd>> cluster(size_t count);

  // SIGKILL; start() continues with the same data.
  void kill() { process_.reset(); }
  void start();
  void signal(int number) const { process_->signal(number); }

 private:
  struct Unstarted {};
  explicit TestEtcd(Unstarted) : tls_(false) {}
  std::string peer_url() const { return "http://127.0.0.1:" + std::to_string(peer_port_); }

  const int port_ = free_port();
  const int peer_port_ = free_port();
  const std::vector<std::string> flags_;
  const bool tls_;
  std::string name_ = "one";
  std::string initial_cluster_;  // empty: this one
  TempDir folder_;
  std::optional<Process> process_;
};

}  // namespace proa::testkit
