#include "testkit/store/test_etcd.h"

#include <fstream>
#include <sstream>

namespace proa::testkit {

TestEtcd::TestEtcd(std::vector<std::string> flags, bool tls) : flags_(std::move(flags)), tls_(tls) {
  start();
}

std::vector<std::unique_ptr<TestEtcd>> TestEtcd::cluster(size_t count) {
  std::vector<std::unique_ptr<TestEtcd>> members;
  std::string all;
  for (size_t i = 0; i < count; ++i) {
    members.push_back(std::unique_ptr<TestEtcd>(new TestEtcd(Unstarted())));
    members.back()->name_ = "member" + std::to_string(i);
    all.append(all.empty() ? "" : ",");
    all.append(members.back()->name_).append("=").append(members.back()->peer_url());
  }
  for (const auto& member : members) {
    member->initial_cluster_ = all;
    member->start();
  }
  return members;
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
  const std::string peer = peer_url();
  std::vector<std::string> words = {
      "env",
      "ETCD_UNSUPPORTED_ARCH=arm64",  // experimental there
      "etcd", "--name=" + name_, "--data-dir=" + folder_.file("data"),
      "--listen-client-urls=" + url(), "--advertise-client-urls=" + url(),
      "--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer,
      "--initial-cluster=" + (initial_cluster_.empty() ? name_ + "=" + peer : initial_cluster_),
      // One member need not wait for others.
      "--heartbeat-interval=40", "--election-timeout=400"};
  words.insert(words.end(), flags_.begin(), flags_.end());
  process_.emplace(words, folder_.file("etcd.log"));
}

}  // namespace proa::testkit
