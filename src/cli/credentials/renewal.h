#pragma once

#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "api/object/names.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/result.h"
#include "base/threads/mutex.h"
#include "cli/credentials/certificates.h"

namespace proa::cli {

// Renews the certificates of a running server: checks once a day, and whenever the system clock was
// set, and calls ensure_certificates. Watchers of the files load the new ones; the administrator's
// kubeconfig is rewritten. Runs on its own thread once started.
class Renewal {
 public:
  struct Options {
    std::string directory;                // directory of the certificates
    std::vector<std::string> names;       // names in the server's certificate
    std::string kubeconfig;               // path of the administrator's kubeconfig
    std::string server;                   // server URL in the kubeconfig
    api::NodeName node_name;              // name of the node in this process; empty if none
    std::vector<std::string> node_names;  // names in the kubelet's certificate
    // Called when a client certificate of the API server was renewed, that for kubelets or that of
    // the front proxy, on the polling thread.
    std::function<void(const Certificates&)> clients_renewed = nullptr;
  };
  // Files and clock outlive it.
  Renewal(Files& files, Clock& clock, Options options);
  ~Renewal();
  Renewal(const Renewal&) = delete;
  Renewal& operator=(const Renewal&) = delete;

  // Starts polling, until destruction. At most once.
  void start() EXCLUDES(mutex_);
  // Fails if a certificate has expired or is about to: renewing it failed for weeks. Does not
  // block; from any thread.
  Result<void> health() const EXCLUDES(mutex_);
  // Checks the certificates if due: on the first call, after a day, or when system and steady clock
  // diverged. Returns whether it did. REQUIRES: not started.
  bool poll() EXCLUDES(mutex_);

 private:
  void run();
  bool pause() EXCLUDES(mutex_);
  bool is_due();
  Result<void> look();
  void note_expiry() EXCLUDES(mutex_);

  Files& files_;
  Clock& clock_;
  const Options options_;

  // Used by the polling thread only.
  Steady next_look_;
  Duration calendar_offset_;

  mutable Mutex mutex_;
  CondVar stopped_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  struct Expiry {
    std::string file;
    Time at;
  };
  std::optional<Expiry> first_expiry_ GUARDED_BY(mutex_);
  std::jthread thread_;
};

}  // namespace proa::cli
