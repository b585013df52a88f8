#include "subject.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "meter.h"

namespace proa::load {
namespace subject {

std::unique_ptr<testkit::Process> start(std::vector<std::string> words, const std::string& log) {
  words.insert(words.begin(), {"setpriv", "--pdeathsig", "KILL"});
  return std::make_unique<testkit::Process>(std::move(words), log);
}

std::string local(int port) { return "http://127.0.0.1:" + std::to_string(port); }

double megabytes(pid_t process) { return static_cast<double>(resident_bytes(process)) / 1e6; }

void stop(testkit::Process& process) {
  process.signal(SIGTERM);
  process.wait();
}

}  // namespace subject

double Subject::megabytes() const { return subject::megabytes(pid); }

double Subject::own_megabytes() const {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  std::string word;
  double kilobytes = 0;
  while (status >> word) {
    if (word == "RssAnon:" && status >> kilobytes) return kilobytes * 1024 / 1e6;
  }
  return 0;
}

Subject subject_of(const Server& server) {
  return {.name = "proa", .target = server.target(), .pid = server.pid()};
}

Upstream::Upstream(const std::string& program, const std::string& directory,
                   const std::string& ours, const Target& like)
    : target_(like) {
  std::filesystem::create_directories(directory);
  const std::string client = subject::local(testkit::free_port());
  const std::string peer = subject::local(testkit::free_port());
  etcd_ = subject::start(
      {"etcd", "--data-dir", directory + "/etcd", "--listen-client-urls", client,
       "--advertise-client-urls", client, "--listen-peer-urls", peer,
       "--initial-advertise-peer-urls", peer, "--initial-cluster", "default=" + peer},
      directory + "/etcd.log");
  const std::string tls = ours + "/tls/";
  const std::string key = directory + "/service-account.pub";
  testkit::Process convert(
      {"openssl", "pkey", "-in", tls + "service-account.key", "-pubout", "-out", key});
  if (convert.wait() != 0) fail("openssl does not write the service account key");
  target_.port = testkit::free_port();
  server_ = subject::start({program,
                            "--etcd-servers",
                            client,
                            "--bind-address",
                            "127.0.0.1",
                            "--secure-port",
                            std::to_string(target_.port),
                            "--advertise-address",
                            "192.0.2.1",
                            "--cert-dir",
                            directory + "/tls",
                            "--tls-cert-file",
                            tls + "server.crt",
                            "--tls-private-key-file",
                            tls + "server.key",
                            "--client-ca-file",
                            tls + "authority.crt",
                            "--authorization-mode",
                            "Node,RBAC",
                            "--service-account-key-file",
                            key,
                            "--service-account-signing-key-file",
                            tls + "service-account.key",
                            "--service-account-issuer",
                            "https://kubernetes.default.svc.cluster.local",
                            "--service-cluster-ip-range",
                            "10.96.0.0/16"},
                           directory + "/kube-apiserver.log");
  const auto start = std::chrono::steady_clock::now();
  while (!is_ready(target_.port)) {
    if (seconds_since(start) > 90)
      fail("kube-apiserver does not get ready: see " + directory + "/kube-apiserver.log");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

Upstream::~Upstream() {
  subject::stop(*server_);
  subject::stop(*etcd_);
}

Subject Upstream::subject() const {
  return {.name = "kube-apiserver", .target = target_, .pid = server_->pid()};
}

double Upstream::etcd_megabytes() const { return subject::megabytes(etcd_->pid()); }

std::string upstream_program() {
  const char* named = std::getenv("KUBE_APISERVER");
  if (named == nullptr || ::access(named, X_OK) != 0 || !testkit::has_program("etcd")) return {};
  return named;
}

}  // namespace proa::load
