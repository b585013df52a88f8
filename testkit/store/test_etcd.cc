#include "testkit/store/test_etcd.h"

#include <fstream>
#include <sstream>

namespace proa::testkit {

TestEtcd::TestEtcd(std::vector<std::string> flags, bool tls) : flags_(std::move(flags)), tls_(tls) {
  start();
}

std::string TestEtcd::missing() {
  return has_program("etcd") ? "" : "etcd is not installed (package etcd-server)";
}

std::string TestEtcd::log() const {
  std::ostringstream text;
  text << std::ifstream(folder_.file("etcd.log")).rdbuf();
  return text.str();
}

void TestEtcd::start() {
  const std::string peer = "http://127.0.0.1:" + std::to_string(peer_port_);
  std::vector<std::string> words = {
      "env",
      "ETCD_UNSUPPORTED_ARCH=arm64",  // experimental there
      "etcd", "--name=one", "--data-dir=" + folder_.file("data"), "--listen-client-urls=" + url(),
      "--advertise-client-urls=" + url(), "--listen-peer-urls=" + peer,
      "--initial-advertise-peer-urls=" + peer, "--initial-cluster=one=" + peer,
      // One member need not wait for others.
      "--heartbeat-interval=20", "--election-timeout=200"};
  words.insert(words.end(), flags_.begin(), flags_.end());
  process_.emplace(words, folder_.file("etcd.log"));
}

}  // namespace proa::testkit
